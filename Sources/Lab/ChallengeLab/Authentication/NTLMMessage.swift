// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A client's message (MS-NLMP section 2.2), parsed without the client's code.
struct NTLMMessage {
    static let signature = Array("NTLMSSP\0".utf8)

    let bytes: [UInt8]

    /// Checks the signature and the message type, which must be the expected one (1 or 3).
    init(_ bytes: [UInt8], type: UInt64) throws(NTLMRefusal) {
        self.bytes = bytes
        guard bytes.starts(with: Self.signature), try number(at: 8, size: 4) == type else { throw .unexpectedMessage }
    }

    /// Returns a little-endian number.
    func number(at offset: Int, size: Int) throws(NTLMRefusal) -> UInt64 {
        guard offset + size <= bytes.count else { throw .malformed }
        return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the bytes to which a field of length, allocated length and offset points.
    func field(at offset: Int) throws(NTLMRefusal) -> [UInt8] {
        let length = Int(try number(at: offset, size: 2))
        let start = Int(try number(at: offset + 4, size: 4))
        guard length > 0 else { return [] }
        guard start + length <= bytes.count else { throw .malformed }
        return Array(bytes[start..<start + length])
    }

    /// Returns a text in little-endian UTF-16.
    func text(at offset: Int) throws(NTLMRefusal) -> String {
        let field = try field(at: offset)
        guard field.count.isMultiple(of: 2) else { throw .malformed }
        let units = stride(from: 0, to: field.count, by: 2).map { UInt16(field[$0]) | UInt16(field[$0 + 1]) << 8 }
        return String(decoding: units, as: UTF16.self)
    }
}

extension [UInt8] {
    /// Appends a little-endian number of the given size in bytes.
    mutating func append(_ number: UInt64, size: Int) {
        for place in 0..<size { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }

    /// Encodes a text in little-endian UTF-16.
    init(ntlm text: String) {
        self = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
}

/// The attributes of a server, which a client repeats and extends (AV_PAIR, MS-NLMP section 2.2.2.1).
struct NTLMAttributes {
    enum Name: UInt64, CaseIterable {
        case computer = 1
        case domain = 2
        case dnsComputer = 3
        case dnsDomain = 4
        case flags = 6
        case timestamp = 7
        case targetName = 9
        case channelBinding = 10
    }

    private(set) var values: [UInt64: [UInt8]] = [:]

    subscript(name: Name) -> [UInt8]? {
        get { values[name.rawValue] }
        set { values[name.rawValue] = newValue }
    }

    init() {}

    /// Parses attributes up to the terminator; duplicates are refused.
    init(_ bytes: [UInt8]) throws(NTLMRefusal) {
        var rest = bytes[...]
        while rest.count >= 4 {
            let header = Array(rest.prefix(4))
            let (name, length) = (UInt64(header[0]) | UInt64(header[1]) << 8, Int(header[2]) | Int(header[3]) << 8)
            rest = rest.dropFirst(4)
            guard name != 0 else { return }
            guard rest.count >= length, values[name] == nil else { throw .malformed }
            values[name] = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        throw .malformed
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            bytes.append(name, size: 2)
            bytes.append(UInt64(value.count), size: 2)
            bytes += value
        }
        return bytes + [0, 0, 0, 0]
    }
}
