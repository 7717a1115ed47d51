// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import TrustRecipes

/// The complete chains of x509-limbo.
enum LimboSeeds {
    private struct Suite: Decodable { let testcases: [Case] }

    private struct Case: Decodable {
        struct Peer: Decodable { let value: String }

        let trustedCerts: [String]
        let untrustedIntermediates: [String]
        let peerCertificate: String
        let expectedPeerName: Peer?
        let validationTime: Date?
        let crls: [String]?
    }

    static func all(of limbo: String) throws -> [[UInt8]] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        let suite = try decoder.decode(Suite.self, from: Data(contentsOf: URL(filePath: limbo)))
        return suite.testcases.map { records($0).flatMap(\.bytes) }
    }

    private static func records(_ one: Case) -> [ChainRecord] {
        let parts = [
            (ChainRecord.Kind.presented, [one.peerCertificate] + one.untrustedIntermediates),
            (.anchor, Array(one.trustedCerts.prefix(4))), (.list, one.crls ?? []),
        ]
        var records = parts.flatMap { kind, texts in
            texts.prefix(16).map { ChainRecord(kind, (try? PEMDocument(pemString: $0))?.derBytes ?? []) }
        }
        if let peer = one.expectedPeerName { records.append(ChainRecord(.host, Array(peer.value.utf8))) }
        if let time = one.validationTime,
            let seconds = Int32(exactly: time.timeIntervalSince(Instant.now).rounded())
        {
            let bits = UInt32(bitPattern: seconds)
            records.append(ChainRecord(.time, [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }))
        }
        if !(one.crls ?? []).isEmpty { records.append(ChainRecord(.policy, [0, 0, 2])) }
        return records
    }
}
