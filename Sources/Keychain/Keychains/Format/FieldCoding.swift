// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets

/// Writes fields one after the other: numbers in eight bytes, the most significant first, and byte strings after their
/// length.
///
/// A length is in LEB128: seven bits in each byte, the low ones first, and the high bit set in all bytes but the last.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ value: Int64) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Writes a number as a zigzag varint, for sealed data: seven bits in each byte, the low ones first.
    mutating func shortNumber(_ value: Int64) {
        // Zigzag encoding, so that negative numbers near zero are short too.
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func field(_ value: some Collection<UInt8>) {
        count(value.count)
        bytes += value
    }

    mutating func count(_ value: Int) {
        var rest = UInt64(value)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func text(_ value: String) { field(Array(value.utf8)) }

    mutating func text(_ value: String?) {
        bytes.append(value == nil ? 0 : 1)
        value.map { text($0) }
    }

    /// Writes a text as its position in a list of common texts, from 1; any other text follows a 0.
    mutating func text(_ value: String, commonly common: [String]) {
        let place = common.firstIndex(of: value).map { UInt8($0 + 1) } ?? 0
        byte(place)
        if place == 0 { text(value) }
    }

    mutating func texts(_ values: [String]) {
        count(values.count)
        for value in values { text(value) }
    }

    mutating func secret(_ value: Secret) { value.withUnsafeBytes { field(Array($0)) } }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func erase() { bytes.erase() }
}

/// Reads the fields that a ``FieldWriter`` wrote.
///
/// Every method throws if the bytes do not contain the field.
struct FieldReader {
    /// The error for bytes that end too early or that no writer produces.
    struct Malformed: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() throws(Malformed) -> Int64 {
        try take(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    mutating func shortNumber() throws(Malformed) -> Int64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
        }
        throw Malformed()
    }

    mutating func field() throws(Malformed) -> [UInt8] { try take(try count()) }

    /// Reads a number of elements, each of at least one byte, so that it is at most the number of remaining bytes.
    mutating func count() throws(Malformed) -> Int {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 28, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                guard value <= UInt64(rest.count) else { throw Malformed() }
                return Int(value)
            }
        }
        throw Malformed()
    }

    mutating func text() throws(Malformed) -> String {
        guard let text = String(validating: try field(), as: UTF8.self) else { throw Malformed() }
        return text
    }

    mutating func optionalText() throws(Malformed) -> String? {
        switch try byte() {
        case 0: nil
        case 1: try text()
        default: throw Malformed()
        }
    }

    mutating func text(commonly common: [String]) throws(Malformed) -> String {
        let place = Int(try byte())
        if place == 0 { return try text() }
        guard place <= common.count else { throw Malformed() }
        return common[place - 1]
    }

    mutating func fields() throws(Malformed) -> [[UInt8]] {
        let count = try count()
        var fields: [[UInt8]] = []
        for _ in 0..<count { fields.append(try field()) }
        return fields
    }

    mutating func texts() throws(Malformed) -> [String] {
        var texts: [String] = []
        for field in try fields() {
            guard let text = String(validating: field, as: UTF8.self) else { throw Malformed() }
            texts.append(text)
        }
        return texts
    }

    mutating func byte() throws(Malformed) -> UInt8 { try take(1)[0] }

    func end() throws(Malformed) {
        guard rest.isEmpty else { throw Malformed() }
    }

    private mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
        guard count <= rest.count else { throw Malformed() }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }
}
