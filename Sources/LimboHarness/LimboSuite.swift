// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

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
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = InternetTime(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text) is not a time of RFC 3339.")
        }
        return time.date
    }
}
