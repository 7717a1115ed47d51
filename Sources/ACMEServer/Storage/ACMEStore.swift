// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps what an ACME server must remember.
///
/// Transactions are serializable: two of them never see each other half done, and one that throws has changed nothing. When
/// `transact` returns, what was saved is on the disk. On this rest the rules that a nonce is used once, that a key has one account, and
/// that the last authorization and its order change together.
public protocol ACMEStore: Sendable {
    /// Runs a transaction.
    ///
    /// - Parameter body: Reads and writes; it waits for nothing, and may be run again.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws or another error in its place, and what goes wrong with the store.
    func transact<Value: Sendable>(
        _ body: @Sendable @escaping (any ACMERecords) throws -> Value
    ) async throws -> Value
}

/// The records inside a transaction.
public protocol ACMERecords {
    /// The record of a kind with an identifier; `nil` where there is none.
    func find<Record: ACMERecord>(_ kind: Record.Type, _ id: String) throws -> Record?

    /// The records of a kind with a group, in the order in which they were saved first.
    func list<Record: ACMERecord>(_ kind: Record.Type, group: String) throws -> [Record]

    /// Adds a record, or replaces that with the same kind and identifier.
    func save<Record: ACMERecord>(_ record: Record) throws

    /// Notes that a nonce was used.
    ///
    /// - Parameters:
    ///   - nonce: The nonce.
    ///   - end: When it is too old to be used, so that the note can go.
    /// - Returns: `false` where it was used before.
    /// - Throws: What goes wrong with the store.
    func use(nonce: String, until end: Date) throws -> Bool

    /// Removes the records that have an end, and the notes of nonces, whose end is before a time.
    func removeExpired(before time: Date) throws
}

/// A record of a store: JSON under a kind and an identifier, listed by a group.
public protocol ACMERecord: Codable, Sendable {
    /// What a store calls records of this type.
    static var kind: String { get }
    /// Unique among the records of the kind.
    var id: String { get }
    /// What it is listed by; it never changes, but for an account, whose group is the thumbprint of its key.
    var group: String { get }
    /// When it can be removed; `nil` for never.
    var end: Date? { get }
}
