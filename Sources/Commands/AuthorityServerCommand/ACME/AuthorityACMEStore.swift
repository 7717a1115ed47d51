// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACMEServer
import AuthorityStore
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The records of ACME, beside what the authority has issued.
struct AuthorityACMEStore: ACMEStore {
    let store: AuthorityStore

    func transact<Value: Sendable>(
        _ body: @Sendable @escaping (any ACMERecords) throws -> Value
    ) async throws -> Value {
        try await store.transact { try body(Records(records: $0)) }
    }

    /// The key of nonces, which all servers of the authority share; the first one makes it.
    func nonceKey() async throws -> Secret {
        try await store.prepareRecords()
        let new = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
        let text = try await store.transact { records in
            if let known = try records.find("key", "nonce") { return known }
            try records.save("key", "nonce", list: "", end: nil, new)
            return new
        }
        return Secret(utf8: Array(text.utf8))
    }

    private struct Records: ACMERecords {
        let records: StoredRecords

        func find<Record: ACMERecord>(_ kind: Record.Type, _ id: String) throws -> Record? {
            try records.find(kind.kind, id).map(Self.read)
        }

        func list<Record: ACMERecord>(_ kind: Record.Type, group: String) throws -> [Record] {
            try records.list(kind.kind, group).map(Self.read)
        }

        func save<Record: ACMERecord>(_ record: Record) throws {
            let json = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
            try records.save(Record.kind, record.id, list: record.group, end: record.end, json)
        }

        func use(nonce: String, until end: Date) throws -> Bool { try records.use(nonce: nonce, until: end) }

        func removeExpired(before time: Date) throws { try records.removeExpired(before: time) }

        private static func read<Record: ACMERecord>(_ json: String) throws -> Record {
            try JSONDecoder().decode(Record.self, from: Data(json.utf8))
        }
    }
}
