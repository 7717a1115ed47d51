// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import EssentialFoundation

/// An entry of the log.
///
/// Its hash covers all entries before it.
package struct LogEntry: Hashable, Sendable {
    /// The kind of an entry; a newer version may write further kinds.
    package struct Event: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The creation of the authority, with an ``AuthorityDetail``.
        package static let created = Self(rawValue: "created")
        /// The renewal of the authority's own certificate, with an ``AuthorityDetail``.
        package static let renewed = Self(rawValue: "renewed")
        /// The issuance of a certificate, with an ``IssuedDetail``.
        package static let issued = Self(rawValue: "issued")
        /// The revocation of a certificate, with the reason.
        package static let revoked = Self(rawValue: "revoked")
        /// The creation of a revocation list, with its number and its hash.
        package static let listed = Self(rawValue: "listed")
        /// The upgrade of a state in format 1, whose entries did not cover every column.
        ///
        /// An entry with a serial number has the certificate's ``IssuedDetail`` as its detail. An entry without one has
        /// the ``AuthorityDetail`` and the number of the last revocation list.
        package static let adopted = Self(rawValue: "adopted")
    }

    /// The number of the entry, counted from 1 without gaps.
    package let sequence: Int64
    /// The time in seconds since 1970.
    package let time: Int64
    package let event: Event
    /// The serial number of the certificate; empty if there is none.
    package let serial: [UInt8]
    package let detail: String

    /// The hash that precedes the first entry.
    static let start = [UInt8](repeating: 0, count: SHA256.byteCount)

    /// Returns the SHA-256 hash of the previous hash, the numbers in eight bytes each, and the other fields with their
    /// lengths in front.
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

    static func bigEndian(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}

/// The detail of a log entry about the authority itself.
struct AuthorityDetail: Hashable {
    /// The hash of the authority's certificate.
    let certificate: String
    /// The hash of the authority's settings; `nil` in an entry of format 1.
    let settings: String?

    init(certificate: Data, settings text: String) {
        self.certificate = hex(SHA256.hash(data: certificate))
        settings = digest(of: text)
    }

    init(_ text: String) {
        let words = text.split(separator: " ")
        (certificate, settings) = (words.first.map(String.init) ?? "", words.count > 1 ? String(words[1]) : nil)
    }

    var text: String { [certificate, settings].compactMap(\.self).joined(separator: " ") }
}

/// The detail of a log entry about an issued certificate.
struct IssuedDetail: Hashable {
    /// The hash of the certificate.
    let certificate: String
    /// The hash of the certificate's stored name, purpose and files; `nil` in an entry of format 1.
    let record: String?
    /// The serial number of the certificate that this one replaces, in hexadecimal digits.
    let replaced: String?

    /// The columns of `certificate` that ``record`` covers.
    static let columns = "name, purpose, files"

    init(certificate: [UInt8], record: [SQLValue], replacing replaced: [UInt8]?) {
        self.certificate = hex(SHA256.hash(data: certificate))
        self.record = digest(of: record)
        self.replaced = replaced.map { hex($0) }
    }

    init(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        certificate = words.first ?? ""
        (record, replaced) = (words.count > 1 ? words[1] : nil, words.count > 2 ? words[2] : nil)
    }

    var text: String { [certificate, record, replaced].compactMap(\.self).joined(separator: " ") }

    /// Returns whether the entry matches a row.
    func matches(certificate bytes: [UInt8], record values: [SQLValue]) -> Bool {
        certificate == hex(SHA256.hash(data: bytes)) && record == digest(of: values)
    }
}

/// Returns the SHA-256 hash of values, each with its type and its length in front, in hexadecimal digits.
func digest(of values: [SQLValue]) -> String {
    var hasher = SHA256()
    for value in values {
        let (type, bytes): (UInt8, [UInt8]) =
            switch value {
            case .null: (0, [])
            case .integer(let number): (1, LogEntry.bigEndian(number))
            case .text(let text): (2, Array(text.utf8))
            case .bytes(let bytes): (3, bytes)
            }
        hasher.update(data: [type] + LogEntry.bigEndian(Int64(bytes.count)) + bytes)
    }
    return hex(hasher.finalize())
}

/// Returns the SHA-256 hash of a text as a single value, in hexadecimal digits.
package func digest(of text: String) -> String { digest(of: [.text(text)]) }

extension SQLConnection {
    /// Appends an entry, in the transaction of the change that it records.
    func log(_ event: LogEntry.Event, serial: [UInt8], detail: String, at time: Int64) throws {
        try log([(event, serial, detail)], at: time)
    }

    /// Appends entries, in the transaction of the changes that they record.
    func log(_ entries: [(event: LogEntry.Event, serial: [UInt8], detail: String)], at time: Int64) throws {
        // The update locks the row, so that concurrent writers append one after the other.
        let head = try rows(
            "UPDATE head SET sequence = sequence + ? WHERE id = 1 RETURNING sequence, hash",
            .integer(Int64(entries.count)))
        guard let head = head.first else { throw AuthorityStoreError.damaged }
        var (sequence, hash) = (try head.integer(0) - Int64(entries.count), try head.bytes(1))
        for (event, serial, detail) in entries {
            sequence += 1
            let entry = LogEntry(sequence: sequence, time: time, event: event, serial: serial, detail: detail)
            hash = entry.hash(after: hash)
            try rows(
                "INSERT INTO log (sequence, time, event, serial, detail, hash) VALUES (?, ?, ?, ?, ?, ?)",
                .integer(sequence), .integer(time), .text(event.rawValue), .bytes(serial), .text(detail),
                .bytes(hash))
        }
        try rows("UPDATE head SET hash = ? WHERE id = 1", .bytes(hash))
    }
}
