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
        self = try Self.decoded(json)
        guard version == Self.version else { throw .unknownVersion(version) }
    }

    /// Reads one case that stands alone.
    ///
    /// - Throws: ``HarnessError`` where the bytes are no case.
    static func testcase(json: Data) throws(HarnessError) -> LimboCase {
        try decoded(json)
    }

    private static func decoded<Value: Decodable>(_ json: Data) throws(HarnessError) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom(Self.date)
        do {
            return try decoder.decode(Value.self, from: json)
        } catch {
            throw .unreadableSuite("\(error)")
        }
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
