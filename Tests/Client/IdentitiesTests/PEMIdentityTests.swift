// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Identities
import Secrets
import SwiftASN1
import Testing
import X509

@Suite struct PEMIdentities {
    @Test(
        "Each key format is read from two files and from one PEM file in any order",
        arguments: [
            (TestFile("P-256", Fixture.certificate), TestFile("PKCS#8", Fixture.pkcs8)),
            (TestFile("P-256", Fixture.certificate), TestFile("SEC 1", Fixture.sec1)),
            (TestFile("RSA", Fixture.rsaCertificate), TestFile("PKCS#1", Fixture.pkcs1)),
            (TestFile("P-256", Fixture.certificate), TestFile("EC PARAMETERS", parameters + Fixture.sec1)),
            (TestFile("P-256", Fixture.certificate), TestFile("PKCS#8 in DER", der(Fixture.pkcs8))),
            (TestFile("P-256 in DER", der(Fixture.certificate)), TestFile("SEC 1 in DER", der(Fixture.sec1))),
        ])
    func keyFormats(certificate: TestFile, key: TestFile) throws {
        let pair = try Identity(pemCertificates: certificate.bytes, privateKey: key.bytes)
        #expect(pair.certificate.subject.description.hasPrefix("CN=fixture"))
        guard !key.testDescription.hasSuffix("DER") else { return }
        let newline = "\n".bytes
        for file in [certificate.bytes + newline + key.bytes, key.bytes + newline + certificate.bytes] {
            #expect(try Identity(pem: file) == pair)
            #expect(try Identity.read(file) == pair)
            #expect(try Identity(pemCertificates: file, privateKey: file) == pair)
        }
    }

    @Test("PEM may be indented, have other line endings and be surrounded by text") func pemVariants() throws {
        let plain = Fixture.certificate + "\n" + Fixture.pkcs8
        let identity = try Identity(pem: plain.bytes)
        let variants = [
            plain.replacing("\n", with: "\r\n"), plain.replacing("\n", with: "\r"),
            plain.replacing("\n", with: " \n\t"),
            "Bag Attributes\n    friendlyName: x\n" + plain + "\n: after",
        ]
        for variant in variants { #expect(try Identity(pem: variant.bytes) == identity) }
    }

    @Test("The leaf comes first, then its issuers, then the other certificates") func order() throws {
        let chain = try TestChain()
        let key = chain.key.pemRepresentation + "\n"
        let pem = try chain.pem
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let file = Fixture.certificate + "\n" + order.map { pem[$0] }.joined() + key
            let identity = try Identity(pem: file.bytes)
            #expect(identity.chain.prefix(4) == chain.certificates[...])
            #expect(identity.chain.last?.subject.description == "CN=fixture")
            #expect(identity.chain.count == 5)
        }
    }

    @Test("Of several authorities with the same name, the one whose key signed is the issuer") func namesakes() throws {
        let (chain, namesakes) = (try TestChain(), try TestChain())
        let file = try namesakes.pem.dropFirst().joined() + chain.pem.joined() + chain.key.pemRepresentation
        #expect(try Identity(pem: file.bytes).chain.prefix(4) == chain.certificates[...])
    }

    @Test("Written PEM is read back to the same identity") func roundTrip() throws {
        let keys: [Certificate.PrivateKey] = [
            .init(P256.Signing.PrivateKey()), .init(P384.Signing.PrivateKey()), .init(P521.Signing.PrivateKey()),
            .init(Curve25519.Signing.PrivateKey()), .init(try _RSA.Signing.PrivateKey(keySize: .bits2048)),
        ]
        for key in keys {
            let identity = try Identity(chain: TestChain(leafKey: key).certificates, privateKey: key)
            let (chain, privateKey) = (try identity.pemEncodedChain, try identity.pemEncodedPrivateKey)
            #expect(try Identity(pemCertificates: chain, privateKey: privateKey) == identity)
            #expect(try Identity.read(privateKey + chain) == identity)
            #expect(chain.last == UInt8(ascii: "\n"))
        }
    }

    @Test("Printing an identity does not reveal its key") func description() throws {
        let identity = try Identity(pem: (Fixture.certificate + "\n" + Fixture.pkcs8).bytes)
        var dumped = ""
        dump(identity, to: &dumped)
        for text in [dumped, "\(identity)", String(reflecting: [identity])] {
            #expect(!text.contains("rivateKey"))
        }
        #expect("\(identity)" == "Identity(CN=fixture)")
    }
}

private let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"

@Suite struct EncryptedKeys {
    @Test(
        "Each encryption scheme is decrypted with the right passphrase only",
        arguments: (Fixture.encrypted + Fixture.legacy + Fixture.traditional).map(\.scheme))
    func schemes(scheme: String) throws {
        let all = Fixture.encrypted + Fixture.legacy + Fixture.traditional
        let pem = try #require(all.first { $0.scheme == scheme }?.pem)
        let file = (Fixture.certificate + "\n" + pem).bytes
        let plain = try Identity(pem: (Fixture.certificate + "\n" + Fixture.pkcs8).bytes)
        #expect(try Identity(pem: file, passphrase: Secret("swordfish")) == plain)
        #expect(throws: IdentityError.passphraseNeeded) { try Identity(pem: file) }
        for wrong in ["Swordfish", "", "swordfish\n"] {
            #expect(throws: IdentityError.wrongPassphrase) { try Identity(pem: file, passphrase: Secret(wrong)) }
        }
    }

    @Test(
        "An unsupported encryption scheme is refused by its name",
        arguments: Fixture.unsupported.map(\.scheme))
    func otherSchemes(scheme: String) throws {
        let pem = try #require(Fixture.unsupported.first { $0.scheme == scheme }?.pem)
        #expect(throws: IdentityError.unsupported(scheme)) {
            try Identity(pem: (Fixture.certificate + "\n" + pem).bytes, passphrase: Secret("swordfish"))
        }
    }

    @Test(
        "Malformed headers of the traditional encryption are refused by name",
        arguments: [
            ("DEK-Info: CAMELLIA-128-CBC,8AB35F8ED8A5D3B1C074E94EABC20EE1", .unsupported("CAMELLIA-128-CBC")),
            ("DEK-Info: AES-128-GCM,12F1403515AC56A38A8C1D2D", .unsupported("AES-128-GCM")),
            ("DEK-Info:", .unsupported("DEK-Info without a cipher")),
            ("DEK-Info: AES-128-CBC", .malformed(.encryption)), ("DEK-Info: AES-128-CBC,", .malformed(.encryption)),
            ("DEK-Info: AES-128-CBC,12F14", .malformed(.encryption)),
            ("DEK-Info: AES-128-CBC,12F1403515AC56A3", .malformed(.encryption)),
            ("DEK-Info: AES-128-CBC,12F1403515AC56A38A8C1D2D71FB6578,1", .malformed(.encryption)),
            ("DEK-Info: DES-CBC,9F65F72A51E60D3G", .malformed(.encryption)),
            ("Comment: a", .malformed(.pem, offset: 54)), ("", .malformed(.pem, offset: 0)),
        ] as [(String, IdentityError)])
    func traditionalHeaders(line: String, error: IdentityError) throws {
        let pem = Fixture.traditional[0].pem
        let header = try #require(pem.split(separator: "\n").first { $0.hasPrefix("DEK-Info:") })
        let file = pem.replacing(header, with: line) + "\n" + Fixture.certificate
        #expect(throws: error) { try Identity(pem: file.bytes, passphrase: Secret("swordfish")) }
        let contents = try IdentityContents(of: file.bytes)
        #expect(contents.unread.map(\.reason) == [error] && contents.certificates.count == 1)
    }

    @Test("Traditional encryption is for private keys, in the form that the label names") func labels() throws {
        let key = Fixture.traditional[0].pem
        let certificate = Fixture.certificate.replacing(
            "-----BEGIN CERTIFICATE-----",
            with: "-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES-CBC,9F65F72A51E60D3E")
        #expect(throws: IdentityError.unsupported("CERTIFICATE with DEK-Info")) {
            try Identity(pem: (certificate + "\n" + key).bytes)
        }
        let other = key.replacing("EC PRIVATE KEY", with: "RSA PRIVATE KEY")
        #expect(throws: IdentityError.self) {
            try Identity(pem: (Fixture.certificate + "\n" + other).bytes, passphrase: Secret("swordfish"))
        }
        let contents = try CertificateFile.contents(of: (Fixture.certificate + "\n" + key).bytes)
        #expect(contents.certificates.count == 1)
        #expect(contents.unread.map(\.reason) == [.keyWhereCertificateExpected])
        let cut = key.replacing("SiJSRN47", with: "SiJS")
        #expect(throws: IdentityError.malformed(.encryption)) {
            try Identity(pem: (Fixture.certificate + "\n" + cut).bytes, passphrase: Secret("swordfish"))
        }
    }
}
