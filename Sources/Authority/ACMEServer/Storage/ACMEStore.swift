// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Stores the records of an ACME server: accounts, orders, authorizations, certificates and used nonces.
///
/// Transactions are serializable: two of them never see each other half done, and one that throws has changed nothing. When
/// `transact` of a persistent store returns, the saved records are on the disk. The server relies on this: a nonce is used once, a key
/// has one account, and the last authorization and its order change together.
public protocol ACMEStore: Sendable {
    /// Runs a transaction.
    ///
    /// - Parameter body: Reads and writes records. It does not block, and the store may run it again.
    /// - Returns: The value that the body returns.
    /// - Throws: The error that the body throws or another one in its place, and any error of the store.
    func transact<Value: Sendable>(
        _ body: @Sendable @escaping (any ACMERecords) throws -> Value
    ) async throws -> Value
}

/// The records inside a transaction.
public protocol ACMERecords {
    /// Finds the record of a kind with an identifier.
    ///
    /// - Parameters:
    ///   - kind: The type of the record.
    ///   - id: The record's identifier.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: Any error of the store, and `DecodingError` if the stored JSON is not a record of this type.
    func find<Record: ACMERecord>(_ kind: Record.Type, _ id: String) throws -> Record?

    /// Lists the records of a kind in a group, in the order in which they were first saved.
    ///
    /// - Parameters:
    ///   - kind: The type of the records.
    ///   - group: The records' group.
    /// - Returns: The records; empty if there are none.
    /// - Throws: Any error of the store, and `DecodingError` if the stored JSON is not a record of this type.
    func list<Record: ACMERecord>(_ kind: Record.Type, group: String) throws -> [Record]

    /// Adds a record, or replaces the one with the same kind and identifier.
    ///
    /// - Parameter record: The record.
    /// - Throws: Any error of the store, and `EncodingError`.
    func save<Record: ACMERecord>(_ record: Record) throws

    /// Notes that a nonce was used.
    ///
    /// - Parameters:
    ///   - nonce: The nonce.
    ///   - end: When the nonce expires, after which the store may remove the note.
    /// - Returns: `false` if the nonce was used before.
    /// - Throws: Any error of the store.
    func use(nonce: String, until end: Date) throws -> Bool

    /// Removes the records and the notes of nonces whose end is before a time; a record without an end stays.
    ///
    /// - Parameter time: The time.
    /// - Throws: Any error of the store.
    func removeExpired(before time: Date) throws
}

/// A record of a store, which keeps it as JSON under a kind and an identifier, and lists it by a group.
public protocol ACMERecord: Codable, Sendable {
    /// The name of this type of record in a store.
    static var kind: String { get }
    /// The identifier, which is unique among the records of the kind.
    var id: String { get }
    /// The group in which the record is listed. It never changes, except that of an account, which is the thumbprint of the account's key.
    var group: String { get }
    /// When the record can be removed; `nil` for never.
    var end: Date? { get }
}
