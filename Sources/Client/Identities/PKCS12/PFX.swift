// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import SwiftASN1

/// The outermost structure of a PKCS#12 file (RFC 7292 section 4).
struct PFX {
    /// The AuthenticatedSafe, in BER.
    let content: [UInt8]
    let mac: MacData?

    init(_ bytes: [UInt8]) throws(IdentityError) {
        guard bytes.count <= BERWalk.mostBytes else { throw .tooLarge(.bytes, limit: BERWalk.mostBytes) }
        var fields = try Fields(ber: bytes, of: .pkcs12)
        guard try fields.integer() == 3 else { throw .malformed(.pkcs12) }
        let safe = try ContentInfo(try fields.next(), of: .pkcs12)
        guard safe.type == .data else { throw .unsupported(safe.type.name) }
        content = try safe.content.octets(.octetString, .pkcs12)
        mac = if let node = fields.nextIfAny() { try MacData(node) } else { nil }
        try fields.end()
    }
}
