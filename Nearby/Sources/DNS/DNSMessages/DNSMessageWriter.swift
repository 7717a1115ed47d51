// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

/// Encodes a message record by record, up to a maximum length.
public struct DNSMessageWriter: Sendable {
    /// The names in record data that are compressed.
    public enum Compression: Sendable {
        /// The names in the record types of RFC 1035 (RFC 3597 section 4).
        case unicast
        /// The names in all record types that this module knows (RFC 6762 section 18.14).
        case multicast
    }

    /// A section of a message; the raw value is the byte offset of its record count in the header.
    public enum Section: Int, Sendable {
        /// The answer section.
        case answer = 6
        /// The authority section.
        case authority = 8
        /// The additional section.
        case additional = 10
    }

    /// The encoded message, with a valid header after each call.
    public private(set) var bytes: [UInt8]

    private let maximumLength: Int
    private let compression: Compression
    /// The offsets in the message of names, by their uncompressed encoding.
    private var offsets: [[UInt8]: UInt16] = [:]

    /// Creates a message without questions and records.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - flags: The one-bit flags.
    ///   - operation: The kind of query (OPCODE); only the low four bits are used.
    ///   - responseCode: The response code (RCODE).
    ///   - maximumLength: The maximum size of the message in bytes, from 12, the size of the header, to 65,535.
    ///   - compression: The names in record data that are compressed.
    public init(
        id: UInt16 = 0, flags: DNSMessage.Flags = [], operation: UInt8 = 0, responseCode: DNSResponseCode = .noError,
        maximumLength: Int = 65_535, compression: Compression = .unicast
    ) {
        self.maximumLength = min(maximumLength, 65_535)
        self.compression = compression
        let second = flags.rawValue | UInt16(operation & 0xF) << 11 | UInt16(responseCode.rawValue)
        bytes = id.bigEndianBytes + second.bigEndianBytes + [UInt8](repeating: 0, count: 8)
    }

    /// Appends a question, which must come before all records.
    ///
    /// - Parameter question: The question.
    /// - Returns: Whether the question fits; if not, the message is unchanged.
    public mutating func append(_ question: DNSQuestion) -> Bool {
        appendEntry(countedAt: 4) { writer in
            writer.append(question.name, compressed: true)
            writer.bytes += question.type.rawValue.bigEndianBytes
            writer.bytes += (question.recordClass | (question.prefersUnicast ? 0x8000 : 0)).bigEndianBytes
        }
    }

    /// Appends a record.
    ///
    /// The records of the answer section must come before those of the authority section, and both before the
    /// additional ones.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - section: The section that holds the record.
    /// - Returns: Whether the record fits; if not, the message is unchanged.
    public mutating func append(_ record: DNSRecord, to section: Section) -> Bool {
        appendEntry(countedAt: section.rawValue) { writer in
            writer.append(record.name, compressed: true)
            writer.bytes += record.type.rawValue.bigEndianBytes
            writer.bytes += (record.recordClass | (record.flushesCache ? 0x8000 : 0)).bigEndianBytes
            writer.bytes += record.timeToLive.bigEndianBytes
            let start = writer.bytes.count
            writer.bytes += [0, 0]
            let compressed = writer.compression == .multicast || Self.compressible.contains(record.type)
            record.data.forEachPart {
                switch $0 {
                case .bytes(let part): writer.bytes += part
                case .name(let name): writer.append(name, compressed: compressed)
                }
            }
            // Data longer than 65,535 bytes exceeds the maximum length, so the clamped length is never used.
            let length = UInt16(clamping: writer.bytes.count - start - 2)
            writer.bytes.replaceSubrange(start..<start + 2, with: length.bigEndianBytes)
        }
    }

    /// Sets the flag ``DNSMessage/Flags/truncated``: the message does not contain all records.
    public mutating func setTruncated() { bytes[2] |= UInt8(DNSMessage.Flags.truncated.rawValue >> 8) }

    private static let compressible: Set<DNSRecordType> = [.ns, .cname, .ptr, .soa]

    private mutating func appendEntry(countedAt index: Int, _ body: (inout DNSMessageWriter) -> Void) -> Bool {
        let (length, count) = (bytes.count, UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]))
        guard count < .max else { return false }
        body(&self)
        guard bytes.count <= maximumLength else {
            bytes.removeLast(bytes.count - length)
            offsets = offsets.filter { Int($0.value) < length }
            return false
        }
        bytes.replaceSubrange(index..<index + 2, with: (count + 1).bigEndianBytes)
        return true
    }

    /// Appends a name, or a pointer to an earlier occurrence of its last labels (RFC 1035 section 4.1.4); letter case
    /// is preserved.
    private mutating func append(_ name: DomainName, compressed: Bool) {
        var rest = name.wireFormat[...]
        while let length = rest.first, length > 0 {
            let key = Array(rest)
            if compressed, let offset = offsets[key] {
                bytes += (0xC000 | offset).bigEndianBytes
                return
            }
            if bytes.count < 0x4000, offsets[key] == nil { offsets[key] = UInt16(bytes.count) }
            bytes += rest.prefix(Int(length) + 1)
            rest = rest.dropFirst(Int(length) + 1)
        }
        bytes.append(0)
    }
}
