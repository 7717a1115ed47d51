// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Testing
import TrustRecipes
import X509

@testable import Countersign

/// The cache of parsed chains and its limits.
@Suite struct ChainCacheTests {
    private static func certificate(_ name: String) throws -> [UInt8] {
        try TestAuthority(root: .authority(name, key: Recipe().key)).certificate.derBytes
    }

    @Test("A chain is parsed into its leaf, its issuers and its channel binding") func parsing() throws {
        let memory = ChainCache()
        let (leaf, issuer) = (try Self.certificate("leaf"), try Self.certificate("issuer"))
        let first = try #require(memory.reading(of: [leaf, issuer]))
        let second = try #require(memory.reading(of: [leaf, issuer]))
        #expect(first.chain.leaf.derBytes == leaf)
        #expect(first.chain.issuers.map(\.derBytes) == [issuer])
        #expect(first.chain == second.chain)
        #expect(first.channelBinding == ChannelBinding.tlsServerEndPoint(of: leaf))
    }

    @Test("The same certificates in another order are a different chain") func order() throws {
        let memory = ChainCache()
        let (leaf, issuer) = (try Self.certificate("leaf"), try Self.certificate("issuer"))
        for order in [[leaf, issuer], [issuer, leaf], [leaf], [leaf, issuer, issuer]] {
            let reading = try #require(memory.reading(of: order))
            #expect(([reading.chain.leaf] + reading.chain.issuers).map(\.derBytes) == order)
            #expect(reading.channelBinding == ChannelBinding.tlsServerEndPoint(of: order[0]))
        }
    }

    @Test("Malformed issuers are listed, and a malformed leaf has a problem")
    func malformedCertificates() throws {
        let (memory, leaf) = (ChainCache(), try Self.certificate("leaf"))
        for _ in 0..<2 {
            #expect(memory.reading(of: []) == nil)
            #expect(memory.reading(of: [[0x30, 0], leaf])?.chain.leaf.problem == .notACertificate)
            let chain = try #require(memory.reading(of: [leaf, [0x30, 0]])?.chain)
            #expect(chain.leaf.problem == nil && chain.issuers.isEmpty)
            #expect(chain.unread.map(\.description) == ["certificate 2 of 2: it is not a certificate"])
        }
    }

    @Test("The cache keeps at most sixteen chains") func countLimit() throws {
        let memory = ChainCache()
        let leaves = try (0..<20).map { try Self.certificate("leaf \($0)") }
        for leaf in leaves { _ = memory.reading(of: [leaf]) }
        #expect(memory.count == 16)
        for leaf in leaves { #expect(memory.reading(of: [leaf])?.chain.leaf.derBytes == leaf) }
        #expect(memory.count == 16)
    }

    @Test("A chain of more than 32 KiB is parsed but not cached") func sizeLimit() throws {
        let (memory, leaf) = (ChainCache(), try Self.certificate("leaf"))
        let huge = [leaf, [UInt8](repeating: 0, count: 1 << 15)]
        #expect(memory.reading(of: huge)?.chain.leaf.derBytes == leaf)
        #expect(memory.count == 0)
    }
}
