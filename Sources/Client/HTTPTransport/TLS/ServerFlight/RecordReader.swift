// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// One TLS record as received (RFC 8446 section 5.1, RFC 5246 section 6.2).
struct TLSRecord {
    enum ContentType: UInt8 {
        case changeCipherSpec = 20
        case alert = 21
        case handshake = 22
        case applicationData = 23
    }

    let type: ContentType
    /// The header, which is the additional data of the fragment's encryption (RFC 8446 section 5.2).
    let header: ArraySlice<UInt8>
    let fragment: ArraySlice<UInt8>
}

/// A reader that splits a stream into records.
struct RecordReader {
    private static let headerLength = 5
    /// The maximum fragment of an encrypted record in TLS 1.2; TLS 1.3 allows less (RFC 5246 section 6.2.3).
    private static let maximumFragment = 1 << 14 + 2048

    private var pending = ByteQueue()
    private var isFirst = true

    mutating func append(_ bytes: some Collection<UInt8>) {
        pending.append(bytes)
    }

    /// Reads the next record.
    ///
    /// - Returns: The record; `nil` if it is incomplete.
    mutating func next() throws(ServerFlightError) -> TLSRecord? {
        guard let first = pending.front.first else { return nil }
        guard let type = TLSRecord.ContentType(rawValue: first) else { throw isFirst ? .notTLS : .unreadable }
        var reader = TLSReader(pending.front)
        guard let header = reader.bytes(Self.headerLength) else { return nil }
        let length = header.suffix(2).reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.maximumFragment else { throw .unreadable }
        guard let record = pending.take(Self.headerLength + length) else { return nil }
        isFirst = false
        return TLSRecord(type: type, header: header, fragment: record.dropFirst(Self.headerLength))
    }
}
