// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// What the differential run found that other implementations refuse.
struct EncodingTests {
    @Test("A signature with unused bits proves nothing", arguments: [UInt8(0), 1]) func unusedBits(count: UInt8) throws
    {
        let chain = try TestChain()
        var bytes: [UInt8] = []
        // Unused bits are zero, or the bit string is no DER at all.
        repeat {
            bytes = try chain.intermediate.issue(Recipe()).certificate.bytes()
        } while bytes.last.map { $0 & 1 } != 0
        var outer = DERReader(bytes[...])
        var parts = try #require(outer.enter(DERTag.sequence))
        _ = (parts.next(), parts.next())
        let signature = try #require(parts.next())
        bytes[bytes.count - signature.content.count] = count
        let leaf = try Certificate(derEncoded: bytes)
        let verdict = try evaluate(
            [leaf, chain.intermediate.certificate], anchors: [chain.root.certificate])
        #expect(codes(verdict) == (count == 0 ? [] : ["trust.bad-signature"]))
    }
}
