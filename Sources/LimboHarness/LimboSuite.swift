// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cases that x509-limbo, or a suite in its format, consists of.
struct LimboSuite: Decodable {
    private static let version = 1

    let version: Int
    let testcases: [LimboCase]

    /// Reads a suite.
    ///
    /// - Throws: ``HarnessError`` where the bytes are no suite of the version that is known.
    init(json: Data) throws(HarnessError) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom(Self.date)
        do {
            self = try decoder.decode(Self.self, from: json)
        } catch {
            throw .unreadableSuite("\(error)")
        }
        guard version == Self.version else { throw .unknownVersion(version) }
    }

    private static func date(from decoder: any Decoder) throws -> Date {
        let text = try decoder.singleValueContainer().decode(String.self)
        if let date = try? Date(text, strategy: .iso8601) { return date }
        return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
