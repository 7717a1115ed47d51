// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A client's message (MS-NLMP section 2.2), read with nothing of the client's code.
struct NTLMMessage {
    static let signature = Array("NTLMSSP\0".utf8)

    let bytes: [UInt8]

    /// Looks at the signature, and at the type: only one is due, 1 or 3.
    init(_ bytes: [UInt8], type: UInt64) throws(NTLMRefusal) {
        self.bytes = bytes
        guard bytes.starts(with: Self.signature), try number(at: 8, size: 4) == type else { throw .unexpectedMessage }
    }

    /// A number, least significant byte first.
    func number(at offset: Int, size: Int) throws(NTLMRefusal) -> UInt64 {
        guard offset + size <= bytes.count else { throw .malformed }
        return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What a length, an allocated length and an offset point to.
    func field(at offset: Int) throws(NTLMRefusal) -> [UInt8] {
        let length = Int(try number(at: offset, size: 2))
        let start = Int(try number(at: offset + 4, size: 4))
        guard length > 0 else { return [] }
        guard start + length <= bytes.count else { throw .malformed }
        return Array(bytes[start..<start + length])
    }

    /// UTF-16, least significant byte first.
    func text(at offset: Int) throws(NTLMRefusal) -> String {
        let field = try field(at: offset)
        guard field.count.isMultiple(of: 2) else { throw .malformed }
        let units = stride(from: 0, to: field.count, by: 2).map { UInt16(field[$0]) | UInt16(field[$0 + 1]) << 8 }
        return String(decoding: units, as: UTF16.self)
    }
}

extension [UInt8] {
    /// Appends a number of so many bytes, least significant first.
    mutating func append(_ number: UInt64, size: Int) {
        for place in 0..<size { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }

    /// UTF-16, least significant byte first.
    init(ntlm text: String) {
        self = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
}
