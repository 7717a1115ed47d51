// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import Identities

@Suite struct Writing {
    /// Encryptions with few iterations, because a debug build derives keys slowly.
    static let encryptions: [PKCS12.Encryption] = [
        .aes256(iterations: 100),
        PKCS12.Encryption(scheme: .tripleDES(iterations: 100), integrity: .sha1, iterations: 100),
    ]

    @Test("A written PKCS#12 file is read back", arguments: TestKeys.allCases, Writing.encryptions)
    func pkcs12(key: TestKeys, encryption: PKCS12.Encryption) throws {
        let identity = try key.identity()
        let passphrase = Secret("pass 🔑 é")
        let file = try PKCS12.encode(
            [.init(identity, friendlyName: "näme 🔑")], passphrase: passphrase, encryption: encryption)
        let contents = try PKCS12(file, passphrase: passphrase)
        #expect(contents.identities == [identity])
        #expect(contents.certificates == identity.chain)
        #expect(contents.friendlyName(of: identity.certificate) == "näme 🔑")
        #expect(contents.isAuthenticated)
        #expect(throws: IdentityError.wrongPassphrase) { try PKCS12(file, passphrase: Secret("pass")) }
        #expect(throws: IdentityError.passphraseNeeded) { try PKCS12(file) }
    }

    @Test("Several identities and further certificates are written to one file, each certificate once") func several()
        throws
    {
        let (first, second) = (try TestKeys.p256.identity(), try TestKeys.ed25519.identity())
        let extra = try TestKeys.p384.identity().chain
        let file = try PKCS12.encode(
            [.init(first, friendlyName: "first"), .init(second)], certificates: extra + first.chain,
            passphrase: Secret(""), encryption: .aes256(iterations: 1))
        let contents = try PKCS12(file)
        #expect(contents.identities == [first, second])
        #expect(Set(contents.certificates) == Set(first.chain + second.chain + extra))
        #expect(contents.certificates.count == 12)
        #expect(contents.friendlyName(of: second.certificate) == nil)
    }

    @Test("Of two certificates for one key, the identity has the one with the key's local identifier") func renewed()
        throws
    {
        let old = try TestKeys.p256.identity()
        let renewed = try Identity(
            chain: TestChain(leafKey: old.privateKey).certificates, privateKey: old.privateKey)
        for leaf in [old, renewed] {
            let other = leaf == old ? renewed : old
            let reader = try reader(keyOf: leaf, certificatesOf: [.init(other), .init(leaf)])
            #expect(reader.keys.compactMap(reader.leaf) == [leaf.certificate])
        }
    }

    /// Reads safes with one key and with the certificates in the given order.
    private func reader(keyOf identity: Identity, certificatesOf entries: [PKCS12.Entry]) throws -> SafeReader {
        var random = SystemRandomNumberGenerator()
        let writer = PKCS12Writer(passphrase: Secret("x"), encryption: .aes256(iterations: 1))
        let bags = try BagWriter.certificateBags(entries, [])
        let safes = try writer.authenticatedSafe(bags, [.init(identity)], random: &random)
        var reader = SafeReader(passphrase: Secret("x"), isAuthenticated: false, budget: WorkBudget())
        try reader.read(authenticatedSafe: safes)
        return reader
    }

    @Test("A file may contain certificates only") func certificatesOnly() throws {
        let chain = try TestKeys.p256.identity().chain
        let file = try PKCS12.encode(
            [], certificates: chain, passphrase: Secret("x"), encryption: .aes256(iterations: 1))
        #expect(try PKCS12(file, passphrase: Secret("x")).certificates == chain)
    }

    @Test("A file with the maximum number of keys can be read") func maximumKeyCount() throws {
        let entry = PKCS12.Entry(try TestKeys.p256.identity())
        // The iterations and the budget are both divided by 1000.
        let cheap = PKCS12.Encryption.aes256(iterations: PKCS12.Encryption.maximumIterations / 1000)
        let budget = WorkBudget(iterations: WorkBudget.maximumIterations / 1000)
        let file = try PKCS12.encode(
            Array(repeating: entry, count: 14), passphrase: Secret("x"), encryption: cheap)
        #expect(try PKCS12(file, passphrase: Secret("x"), budget: budget).identities == [entry.identity])
        #expect(throws: IdentityError.tooLarge(.elements, limit: 14)) {
            try PKCS12.encode(Array(repeating: entry, count: 15), passphrase: Secret("x"), encryption: .aes256())
        }
    }

    @Test(
        "Iteration counts are limited to the range that Windows accepts",
        arguments: [(0, 1), (-5, 1), (1, 1), (600_000, 600_000), (600_001, 600_000), (.max, 600_000)] as [(Int, Int)])
    func iterations(asked: Int, given: Int) {
        #expect(PKCS12.Encryption.aes256(iterations: asked).iterations == given)
    }

    @Test("The same random numbers give the same file, and others a different file") func random() throws {
        let entry = PKCS12.Entry(try TestKeys.p256.identity(), friendlyName: "x")
        func file(_ seed: UInt64) throws -> [UInt8] {
            var random = SplitMix64(seed: seed)
            return try PKCS12.encode(
                [entry], certificates: [], passphrase: Secret("x"), encryption: .aes256(iterations: 1),
                random: &random)
        }
        #expect(try file(1) == file(1))
        #expect(try file(1) != file(2))
    }

    @Test("A written key is read back, encrypted or not", arguments: TestKeys.allCases)
    func keys(key: TestKeys) throws {
        let identity = try key.identity()
        let (chain, passphrase) = (try identity.pemEncodedChain, Secret("swordfish"))
        let encrypted = try identity.pemEncodedPrivateKey(passphrase: passphrase, iterations: 1000)
        for file in [try identity.pemEncodedPrivateKey, try identity.derEncodedPrivateKey, encrypted] {
            #expect(try Identity(pemCertificates: chain, privateKey: file, passphrase: passphrase) == identity)
        }
        #expect(encrypted.starts(with: "-----BEGIN ENCRYPTED PRIVATE KEY-----\n".utf8))
        #expect(throws: IdentityError.wrongPassphrase) {
            try Identity(pemCertificates: chain, privateKey: encrypted, passphrase: Secret("x"))
        }
    }

    @Test("Certificates are written in order") func certificates() throws {
        let chain = try TestKeys.p256.identity().chain
        #expect(try CertificateFile.certificates(in: CertificateFile.pem(chain)) == chain)
        #expect(try CertificateFile.certificates(in: CertificateFile.der(chain[1])) == [chain[1]])
    }
}
