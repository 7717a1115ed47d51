// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A store that keeps everything in memory, for tests and for trying a server out.
public actor MemoryStore: ACMEStore {
    private var contents = Contents()

    /// Makes an empty store.
    public init() {}

    /// Runs a transaction; one that throws changes nothing.
    ///
    /// - Parameter body: Reads and writes records; it runs once.
    /// - Returns: The value that the body returns.
    /// - Throws: The error that the body throws.
    public func transact<Value: Sendable>(
        _ body: @Sendable @escaping (any ACMERecords) throws -> Value
    ) async throws -> Value {
        let copy = Contents(contents)
        let value = try body(copy)
        contents = copy
        return value
    }

    private final class Contents: ACMERecords {
        private struct Kept {
            let group: String
            let end: Date?
            let number: Int
            let json: Data
        }

        private var records: [String: [String: Kept]] = [:]
        private var nonces: [String: Date] = [:]
        private var count = 0

        init() {}

        init(_ other: Contents) { (records, nonces, count) = (other.records, other.nonces, other.count) }

        func find<Record: ACMERecord>(_ kind: Record.Type, _ id: String) throws -> Record? {
            try records[kind.kind]?[id].map { try JSONDecoder().decode(kind, from: $0.json) }
        }

        func list<Record: ACMERecord>(_ kind: Record.Type, group: String) throws -> [Record] {
            try (records[kind.kind] ?? [:]).values.filter { $0.group == group }.sorted { $0.number < $1.number }
                .map { try JSONDecoder().decode(kind, from: $0.json) }
        }

        func save<Record: ACMERecord>(_ record: Record) throws {
            count += 1
            let number = records[Record.kind]?[record.id]?.number ?? count
            records[Record.kind, default: [:]][record.id] = Kept(
                group: record.group, end: record.end, number: number, json: try JSONEncoder().encode(record))
        }

        func use(nonce: String, until end: Date) -> Bool { nonces.updateValue(end, forKey: nonce) == nil }

        func removeExpired(before time: Date) {
            nonces = nonces.filter { $0.value >= time }
            records = records.mapValues { $0.filter { $0.value.end ?? .distantFuture >= time } }
        }
    }
}
