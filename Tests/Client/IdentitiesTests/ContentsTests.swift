// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import SwiftASN1
import Testing
import X509

@testable import Identities

@Suite struct Contents {
    private let passphrase = Secret("swordfish")

    @Test(
        "The container and the keys are reported",
        arguments: [
            (TestFile("PEM", Fixture.certificate + "\n" + Fixture.pkcs8), IdentityContents.Container.pem, ["P-256"]),
            (TestFile("PKCS#1", Fixture.pkcs1 + "\n" + Fixture.sec1), .pem, ["RSA-2048", "P-256"]),
            (TestFile("certificate", der(Fixture.certificate)), .der, []),
            (TestFile("key", der(Fixture.pkcs1)), .der, ["RSA-2048"]),
            (TestFile("PKCS#7", der(Fixture.pkcs7)), .pkcs7, []), (TestFile("PKCS#7 in PEM", Fixture.pkcs7), .pem, []),
            (TestFile("PKCS#12", Fixture.pkcs12), .pkcs12, ["P-256"]),
        ])
    func containers(file: TestFile, container: IdentityContents.Container, keys: [String]) throws {
        let contents = try IdentityContents(of: file.bytes, passphrase: passphrase)
        #expect(contents.container == container)
        #expect(contents.keys.map(\.type) == keys)
        #expect(!contents.isLocked)
    }

    @Test("The encryptions, integrity check and names of a PKCS#12 file are reported") func pkcs12() throws {
        let contents = try IdentityContents(of: Fixture.pkcs12, passphrase: passphrase)
        let aes = "PBES2 with AES-256-CBC and PBKDF2 with HMAC-SHA-256"
        #expect(contents.encryptions == [.init(name: aes, iterations: 50)])
        #expect(contents.integrity == .init(name: "HMAC-SHA-256", iterations: 50))
        #expect(contents.identities.map(\.friendlyName) == ["fixture"])
        #expect(contents.identities.map(\.chain) == [contents.certificates])
        let key = try #require(contents.keys.first)
        #expect(key.friendlyName == "fixture")
        #expect(key.encryption == contents.encryptions.first)
        #expect(key.publicKey == contents.certificates.first?.publicKey)
        #expect(key.privateKey == nil)
    }

    @Test("Without a passphrase, the encryptions and the unencrypted contents are reported") func locked() throws {
        let contents = try IdentityContents(of: Fixture.pkcs12Legacy)
        #expect(contents.isLocked)
        #expect(
            contents.encryptions.map(\.name) == ["pbeWithSHAAnd40BitRC2-CBC", "pbeWithSHAAnd3-KeyTripleDES-CBC"])
        #expect(contents.integrity == .init(name: "HMAC-SHA-1", iterations: 50))
        #expect(contents.certificates.isEmpty)
        #expect(contents.keys.map(\.type) == [nil])
        let clear = try IdentityContents(of: Fixture.pkcs12WithoutMAC)
        #expect(clear.isLocked)
        #expect(clear.certificates.map(\.subject.description) == ["CN=fixture"])
        #expect(clear.keys.map(\.friendlyName) == ["fixture"])
        #expect(clear.integrity == nil)
    }

    @Test("The encryption of a key is reported, and its type if the passphrase is given") func encryptedKey() throws {
        let file = Fixture.encrypted[5].pem.bytes
        let locked = try IdentityContents(of: file)
        let scrypt = PasswordProtection(name: "PBES2 with AES-256-CBC and scrypt", iterations: nil)
        #expect(locked.isLocked)
        #expect(locked.encryptions == [scrypt])
        #expect(locked.keys.map(\.encryption) == [scrypt])
        #expect(try IdentityContents(of: file, passphrase: passphrase).keys.map(\.type) == ["P-256"])
        #expect(throws: IdentityError.wrongPassphrase) { try IdentityContents(of: file, passphrase: Secret("x")) }
    }

    @Test("The traditional encryption of a key is reported by name") func traditionalKey() throws {
        let file = Fixture.traditional[3].pem.bytes
        let locked = try IdentityContents(of: file)
        let protection = PasswordProtection(
            name: "traditional PEM encryption with DES-EDE3-CBC and MD5", iterations: 1)
        #expect(locked.isLocked && locked.encryptions == [protection])
        #expect(locked.keys.map(\.encryption) == [protection])
        #expect(try IdentityContents(of: file, passphrase: passphrase).keys.map(\.type) == ["P-256"])
        #expect(throws: IdentityError.wrongPassphrase) { try IdentityContents(of: file, passphrase: Secret("x")) }
    }

    @Test("Private keys are included only on request") func privateKeys() throws {
        let identity = try Identity(pem: (Fixture.certificate + "\n" + Fixture.pkcs8).bytes)
        let contents = try IdentityContents(of: Fixture.pkcs12, passphrase: passphrase, privateKeys: .included)
        #expect(contents.keys.map(\.privateKey) == [identity.privateKey])
        var dumped = ""
        dump(contents, to: &dumped)
        #expect(!dumped.contains("privateKey"))
    }

    @Test("Unsupported contents are reported by name") func others() throws {
        let contents = try IdentityContents(of: (Fixture.request + "\n" + Fixture.revocationList).bytes)
        #expect(contents.otherContents == ["certificate request", "certificate revocation list"])
        #expect(throws: IdentityError.unrecognized) { try IdentityContents(of: "hello".bytes) }
    }
}

@Suite struct CertificateBundles {
    @Test("PKCS#7 files of OpenSSL and of this project are read", arguments: [true, false])
    func bundles(isPEM: Bool) throws {
        let theirs = try CertificateFile.certificates(in: isPEM ? Fixture.pkcs7.bytes : der(Fixture.pkcs7))
        #expect(theirs.map(\.subject.description).sorted() == ["CN=fixture", "CN=fixture rsa"])
        let ours = try isPEM ? CertificateFile.pkcs7PEM(theirs) : CertificateFile.pkcs7(theirs)
        #expect(try CertificateFile.certificates(in: ours) == theirs)
    }

    @Test("A chain in PKCS#7 with a separate key makes an identity") func chain() throws {
        let identity = try TestKeys.p256.identity()
        let key = try identity.derEncodedPrivateKey
        let chain = try CertificateFile.pkcs7(identity.chain.reversed())
        #expect(try Identity(pemCertificates: chain, privateKey: key) == identity)
        #expect(throws: IdentityError.noPrivateKey) { try Identity.read(chain) }
        #expect(throws: IdentityError.certificateWhereKeyExpected) {
            try Identity(pemCertificates: chain, privateKey: chain)
        }
    }

    @Test("Other PKCS#7 contents are refused by name") func otherContents() throws {
        let bytes = try DER.encode(.pkcs7) { serializer in
            try serializer.contentInfo(.envelopedData) { $0.appendConstructedNode(identifier: .sequence) { _ in } }
        }
        #expect(throws: IdentityError.unsupported("PKCS#7 envelopedData")) {
            try CertificateFile.certificates(in: bytes)
        }
    }

    @Test("An empty bundle contains no certificate") func empty() throws {
        #expect(throws: IdentityError.noCertificate) {
            try CertificateFile.certificates(in: CertificateFile.pkcs7([]))
        }
    }
}
