// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// A line of the log, whose hash covers everything before it.
package struct LogEntry: Hashable, Sendable {
    /// What happened.
    package enum Event: String, Sendable {
        /// The authority was made. The detail is the hash of its certificate.
        case created
        /// The authority's own certificate was renewed. The detail is the hash of the new one.
        case renewed
        /// A certificate was issued. The detail is its hash.
        case issued
        /// A certificate was revoked. The detail is the reason.
        case revoked
        /// A revocation list was made. The detail is its number and its hash.
        case listed
    }

    /// From 1 on, without gaps.
    package let sequence: Int64
    /// In seconds since 1970.
    package let time: Int64
    package let event: Event
    /// The number of the certificate; empty where there is none.
    package let serial: [UInt8]
    package let detail: String

    /// The hash of nothing, before the first entry.
    static let start = [UInt8](repeating: 0, count: SHA256.byteCount)

    /// SHA-256 of the hash before, the numbers in eight bytes each, and the rest, each with its length in front.
    func hash(after previous: [UInt8]) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(data: previous)
        for number in [sequence, time] { hasher.update(data: Self.bigEndian(number)) }
        for part in [Array(event.rawValue.utf8), serial, Array(detail.utf8)] {
            hasher.update(data: Self.bigEndian(Int64(part.count)))
            hasher.update(data: part)
        }
        return Array(hasher.finalize())
    }

    private static func bigEndian(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}

extension SQLConnection {
    /// Appends an entry, in the transaction of what it tells.
    func log(_ event: LogEntry.Event, serial: [UInt8], detail: String, at time: Int64) throws {
        // The update locks the row, so that entries of several writers stand one after the other.
        let head = try rows("UPDATE head SET sequence = sequence + 1 WHERE id = 1 RETURNING sequence, hash")
        guard let head = head.first else { throw AuthorityStoreError.damaged }
        let entry = LogEntry(
            sequence: try head.integer(0), time: time, event: event, serial: serial, detail: detail)
        let hash = entry.hash(after: try head.bytes(1))
        try rows(
            "INSERT INTO log (sequence, time, event, serial, detail, hash) VALUES (?, ?, ?, ?, ?, ?)",
            .integer(entry.sequence), .integer(time), .text(event.rawValue), .bytes(serial), .text(detail),
            .bytes(hash))
        try rows("UPDATE head SET hash = ? WHERE id = 1", .bytes(hash))
    }
}
