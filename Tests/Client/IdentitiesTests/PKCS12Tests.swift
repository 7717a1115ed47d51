// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing
import X509

@testable import Identities

@Suite struct PKCS12Files {
    let passphrase = Secret("swordfish")
    let plain: Identity

    init() throws {
        plain = try Identity(pem: (Fixture.certificate + "\n" + Fixture.pkcs8).bytes)
    }

    @Test(
        "An encrypted file is decrypted with its passphrase only",
        arguments: [TestFile("with MAC", Fixture.pkcs12), TestFile("without", Fixture.pkcs12WithoutMAC)])
    func encrypted(named: TestFile) throws {
        let file = named.bytes
        let contents = try PKCS12(file, passphrase: passphrase)
        #expect(contents.identities == [plain])
        #expect(contents.certificates == plain.chain)
        #expect(contents.unmatchedKeys.isEmpty)
        #expect(contents.trustedCertificates.isEmpty)
        #expect(contents.friendlyName(of: plain.certificate) == "fixture")
        #expect(contents.isAuthenticated == (file == Fixture.pkcs12))
        #expect(try Identity.read(file, passphrase: passphrase) == plain)
        #expect(throws: IdentityError.passphraseNeeded) { try PKCS12(file) }
        for wrong in ["Swordfish", "", "schwertfisch-ä"] {
            #expect(throws: IdentityError.wrongPassphrase) { try PKCS12(file, passphrase: Secret(wrong)) }
        }
    }

    @Test("An unencrypted file needs no passphrase", arguments: [nil, Secret(""), Secret("swordfish")])
    func plaintext(passphrase: Secret?) throws {
        let contents = try PKCS12(Fixture.pkcs12Plain, passphrase: passphrase)
        #expect(contents.identities == [plain])
        #expect(!contents.isAuthenticated)
    }

    @Test("Files that OpenSSL 1.1 encrypted with RC2 and 3DES are read") func legacyEncryption() throws {
        #expect(try PKCS12(Fixture.pkcs12Legacy, passphrase: passphrase).identities == [plain])
        #expect(throws: IdentityError.wrongPassphrase) { try PKCS12(Fixture.pkcs12Legacy, passphrase: Secret("x")) }
        #expect(throws: IdentityError.passphraseNeeded) { try PKCS12(Fixture.pkcs12Legacy) }
    }

    @Test("A changed byte of an authenticated file is refused or has no effect") func changedBytes() throws {
        for index in Fixture.pkcs12.indices {
            var file = Fixture.pkcs12
            file[index] ^= 0x01
            guard let contents = try? PKCS12(file, passphrase: passphrase, budget: WorkBudget(iterations: 2000)) else {
                continue
            }
            #expect(contents.identities == [plain], "byte \(index)")
        }
    }

    @Test("A truncated file is refused") func truncation() {
        for count in 0..<Fixture.pkcs12.count {
            #expect(throws: IdentityError.self) {
                try PKCS12(Array(Fixture.pkcs12.prefix(count)), passphrase: passphrase)
            }
        }
        #expect(throws: IdentityError.malformed(.pkcs12, offset: Fixture.pkcs12.count)) {
            try PKCS12(Fixture.pkcs12 + [0], passphrase: passphrase)
        }
    }

    @Test("The iterations of all parts count toward one limit") func iterations() throws {
        // 50 iterations each for the integrity check, the certificates and the key.
        _ = try PKCS12(Fixture.pkcs12, passphrase: passphrase, budget: WorkBudget(iterations: 150))
        #expect(throws: IdentityError.tooLarge(.iterations, limit: 149)) {
            try PKCS12(Fixture.pkcs12, passphrase: passphrase, budget: WorkBudget(iterations: 149))
        }
    }
}

@Suite struct BERWalkTests {
    @Test(
        "A well-formed element is accepted",
        arguments: [
            [0x30, 0x00], [0x30, 0x80, 0x00, 0x00], [0x24, 0x80, 0x04, 0x01, 0xff, 0x00, 0x00],
            [0x30, 0x81, 0x02, 0x05, 0x00], [0x30, 0x84, 0x00, 0x00, 0x00, 0x02, 0x05, 0x00], [0xbf, 0x87, 0x68, 0x00],
            [0x30, 0x06, 0x30, 0x80, 0x30, 0x00, 0x00, 0x00],
        ] as [[UInt8]])
    func wellFormed(bytes: [UInt8]) throws {
        try BERWalk.check(bytes[...], as: .pkcs12)
    }

    @Test(
        "A malformed element is refused with its offset",
        arguments: [
            ([], 0), ([0x30], 1), ([0x30, 0x01], 2), ([0x30, 0x00, 0x00], 2),
            ([0x00, 0x00], 1),  // end-of-contents without an open element
            ([0x04, 0x80, 0x00, 0x00], 2),  // indefinite and primitive
            ([0x30, 0x80, 0x00], 3), ([0x30, 0x80], 2), ([0x30, 0x80, 0x00, 0x01], 3),
            ([0x30, 0x03, 0x30, 0x80, 0x00, 0x00], 5),  // ends outside its parent
            ([0x30, 0xff], 2), ([0x30, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 0], 2),
            ([0x30, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 10),
            ([0x30, 0x02, 0x04, 0x01], 4), ([0x1f, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00], 5),
        ] as [([UInt8], Int)])
    func malformed(bytes: [UInt8], offset: Int) {
        #expect(throws: IdentityError.malformed(.pkcs12, offset: offset)) {
            try BERWalk.check(bytes[...], as: .pkcs12)
        }
    }

    @Test("Nesting and number of elements are limited") func limits() throws {
        for indefinite in [true, false] {
            #expect(throws: IdentityError.tooLarge(.nesting, limit: BERWalk.maximumDepth)) {
                try BERWalk.check(nested(BERWalk.maximumDepth + 1, indefinite: indefinite)[...], as: .pkcs12)
            }
            try BERWalk.check(nested(BERWalk.maximumDepth, indefinite: indefinite)[...], as: .pkcs12)
        }
        let elements = [[UInt8]](repeating: [5, 0], count: BERWalk.maximumElementCount).joined()
        let many: [UInt8] = [0x30, 0x80] + elements + [0, 0]
        #expect(throws: IdentityError.tooLarge(.elements, limit: BERWalk.maximumElementCount)) {
            try BERWalk.check(many[...], as: .pkcs12)
        }
    }

    private func nested(_ levels: Int, indefinite: Bool) -> [UInt8] {
        (0..<levels).reduce([]) { inside, _ in
            indefinite ? [0x30, 0x80] + inside + [0, 0] : [0x30, UInt8(inside.count)] + inside
        }
    }
}
