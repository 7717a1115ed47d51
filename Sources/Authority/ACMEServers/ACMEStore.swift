// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// A store for the records of an ACME server: accounts, orders, authorizations, certificates and used nonces.
///
/// Transactions must be serializable: no transaction sees part of another one, and a transaction that throws changes
/// nothing. When `transact` of a persistent store returns, the saved records must be on disk. The server relies on
/// this: a nonce is used only once, a key has only one account, and the last authorization and its order change
/// together.
public protocol ACMEStore: Sendable {
    /// Runs a transaction.
    ///
    /// - Parameter body: Reads and writes records. It must not block, and the store may run it more than once.
    /// - Returns: The value that the body returns.
    /// - Throws: The error of the body or another one in its place, and any error of the store.
    func transact<Value: Sendable>(
        _ body: @Sendable @escaping (any ACMERecords) throws -> Value
    ) async throws -> Value
}

/// The records inside a transaction.
public protocol ACMERecords {
    /// Returns the record with a kind and an identifier.
    ///
    /// - Parameters:
    ///   - kind: The type of the record.
    ///   - id: The record's identifier.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: Any error of the store, and `DecodingError` if the stored JSON is not a record of this type.
    func find<Record: ACMERecord>(_ kind: Record.Type, _ id: String) throws -> Record?

    /// Returns the records of a kind in a group, in the order in which they were first saved.
    ///
    /// - Parameters:
    ///   - kind: The type of the records.
    ///   - group: The records' group.
    /// - Returns: The records; empty if there are none.
    /// - Throws: Any error of the store, and `DecodingError` if the stored JSON is not a record of this type.
    func list<Record: ACMERecord>(_ kind: Record.Type, group: String) throws -> [Record]

    /// Adds a record, or replaces the record with the same kind and identifier.
    ///
    /// - Parameter record: The record.
    /// - Throws: Any error of the store, and `EncodingError`.
    func save<Record: ACMERecord>(_ record: Record) throws

    /// Records that a nonce was used.
    ///
    /// - Parameters:
    ///   - nonce: The nonce.
    ///   - expiry: The expiry time of the nonce, after which the store may remove the entry.
    /// - Returns: `false` if the nonce was used before.
    /// - Throws: Any error of the store.
    func use(nonce: String, until expiry: Date) throws -> Bool

    /// Removes the records and nonces that expired before a time. Records without an expiry time are never removed.
    ///
    /// - Parameter time: The time.
    /// - Throws: Any error of the store.
    func removeExpired(before time: Date) throws
}

/// A record of a store, which saves it as JSON under a kind and an identifier, and lists it by its group.
public protocol ACMERecord: Codable, Sendable {
    /// The name of this type of record in the store.
    static var kind: String { get }
    /// The identifier, which is unique among the records of the kind.
    var id: String { get }
    /// The group in which the record is listed.
    ///
    /// It never changes, except for an account, whose group is the thumbprint of its key.
    var group: String { get }
    /// The expiry time, after which the record can be removed; `nil` for never.
    var expiry: Date? { get }
}

/// A store in memory, for tests and for trying a server out.
public actor MemoryStore: ACMEStore {
    private var contents = Contents()

    /// Creates an empty store.
    public init() {}

    /// Runs a transaction, which changes nothing if it throws.
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
        private struct StoredRecord {
            let group: String
            let expiry: Date?
            let number: Int
            let json: Data
        }

        private var records: [String: [String: StoredRecord]] = [:]
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
            records[Record.kind, default: [:]][record.id] = StoredRecord(
                group: record.group, expiry: record.expiry, number: number, json: try JSONEncoder().encode(record))
        }

        func use(nonce: String, until expiry: Date) -> Bool { nonces.updateValue(expiry, forKey: nonce) == nil }

        func removeExpired(before time: Date) {
            nonces = nonces.filter { $0.value >= time }
            records = records.mapValues { $0.filter { $0.value.expiry ?? .distantFuture >= time } }
        }
    }
}
