// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

extension ASN1Node {
    /// Parses BER from outside, walked over first.
    static func parse(ber bytes: [UInt8], as part: IdentityError.Part) throws(IdentityError) -> ASN1Node {
        try BERWalk.check(bytes[...], as: part)
        do {
            return try BER.parse(bytes)
        } catch {
            throw .malformed(part)
        }
    }

    /// An OCTET STRING, or what is tagged as one implicitly, in either encoding (X.690 section 8.7).
    func octets(_ expected: ASN1Identifier, _ part: IdentityError.Part) throws(IdentityError) -> [UInt8] {
        guard identifier == expected else { throw .malformed(part) }
        switch content {
        case .primitive(let bytes):
            return Array(bytes)
        case .constructed(let pieces):
            var joined: [UInt8] = []
            // The walk has bounded how deep this goes.
            for piece in pieces { joined += try piece.octets(.octetString, part) }
            return joined
        }
    }

    /// A BIT STRING of whole bytes, or what is tagged as one implicitly.
    func bits(_ expected: ASN1Identifier, _ part: IdentityError.Part) throws(IdentityError) -> [UInt8] {
        guard identifier == expected, case .primitive(let bytes) = content, bytes.first == 0 else {
            throw .malformed(part)
        }
        return Array(bytes.dropFirst())
    }

    /// The two's-complement bytes of an INTEGER in their shortest form (X.690 section 8.3.2).
    func integerBytes(_ part: IdentityError.Part) throws(IdentityError) -> ArraySlice<UInt8> {
        guard identifier == .integer, case .primitive(let bytes) = content, let first = bytes.first else {
            throw .malformed(part)
        }
        if let second = bytes.dropFirst().first {
            guard first != (second < 0x80 ? 0 : 0xff) else { throw .malformed(part) }
        }
        return bytes
    }

    /// An INTEGER, clamped to the range of `Int`.
    func integer(_ part: IdentityError.Part) throws(IdentityError) -> Int {
        let bytes = try integerBytes(part)
        let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
        guard bytes.count <= 8 else { return isNegative ? .min : .max }
        return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
    }
}
