// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Crypto
import CryptoExtras
import Foundation
import Identities
import Testing
import X509
import XMLDocuments
import XMLEncryption

@Suite struct EncryptionTests {
    static let document = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <e:a xmlns:e="urn:e" xmlns="urn:d" xmlns:q="urn:q" xml:lang="en"><b>&lt;&amp;]]&gt; <!-- c --><x t="q:n"/>\u{e9}<?p i?></b><c/></e:a>

        """.utf8)
    static let path = [XMLName("a", in: "urn:e"), XMLName("b", in: "urn:d")]
    static let identity = Result {
        try CertificateAuthority.selfSigned(.server(names: ["a.test"], keyType: .rsa2048), now: Date())
    }

    /// Returns recipients with their decryption keys.
    static func recipients() throws -> [(XMLEncryptor.Recipient, DecryptionKey)] {
        let identity = try identity.get()
        return [
            (.certificate(identity.certificate, .oaepSHA1), .privateKey(identity.privateKey)),
            (.certificate(identity.certificate, .oaepSHA256), .privateKey(identity.privateKey)),
            (.shared([UInt8](repeating: 1, count: 16)), .shared([UInt8](repeating: 1, count: 16))),
            (
                .shared([UInt8](repeating: 1, count: 24), name: "k"),
                .shared([UInt8](repeating: 1, count: 24), name: "k")
            ),
            (.shared([UInt8](repeating: 1, count: 32), name: "k"), .shared([UInt8](repeating: 1, count: 32))),
        ]
    }

    @Test("A document encrypted for a recipient decrypts to the same document", arguments: EncryptedForm.allCases)
    func roundTrip(form: EncryptedForm) throws {
        for (recipient, key) in try Self.recipients() {
            for algorithm in ContentAlgorithm.allCases where !algorithm.isLegacy {
                var encryptor = XMLEncryptor(for: recipient)
                encryptor.algorithm = algorithm
                let encrypted = try encryptor.encrypt(Self.document, at: Self.path, as: form)
                #expect(!encrypted.contains("q:n".utf8))
                let decrypted = try XMLDecryptor(keys: [key]).decrypt(encrypted)
                #expect(
                    String(decoding: decrypted, as: UTF8.self).replacing(#/ xmlns(:\w)?="[^"]*"/#, with: "")
                        == String(decoding: Self.document, as: UTF8.self).replacing(
                            #/ xmlns(:\w)?="[^"]*"/#, with: ""))
                let tree = try XMLTree(parsing: decrypted, limits: XMLLimits())
                let inner = try tree.element(at: Self.path + [XMLName("x", in: "urn:d")])
                #expect(inner.namespaces["q"] == "urn:q")
                withExtendedLifetime(tree) {}
            }
        }
    }

    @Test("The document element can be encrypted") func root() throws {
        let (recipient, key) = try Self.recipients()[0]
        let encrypted = try XMLEncryptor(for: recipient).encrypt(Self.document, at: [], as: .element)
        #expect(!encrypted.contains("urn:e".utf8))
        #expect(try XMLDecryptor(keys: [key]).decrypt(encrypted).contains("<!-- c -->".utf8))
    }

    @Test("A changed message and a wrong key have the same error") func damage() throws {
        for (recipient, key) in try Self.recipients() {
            let encrypted = try XMLEncryptor(for: recipient).encrypt(Self.document, at: Self.path)
            let text = String(decoding: encrypted, as: UTF8.self)
            for match in text.matches(of: /<xenc:CipherValue>/) {
                var changed = encrypted
                let index = text.utf8.distance(from: text.startIndex, to: match.range.upperBound) + 20
                changed[index] = changed[index] == 0x41 ? 0x42 : 0x41
                #expect(throws: XMLEncryptionError.cannotDecrypt) { try XMLDecryptor(keys: [key]).decrypt(changed) }
            }
            let other: DecryptionKey
            switch key {
            case .privateKey: other = .privateKey(.init(try _RSA.Signing.PrivateKey(keySize: .bits2048)))
            case .shared(let bytes, let name): other = .shared(bytes.map { $0 ^ 1 }, name: name)
            case .content(let bytes, let name): other = .content(bytes.map { $0 ^ 1 }, name: name)
            }
            #expect(throws: XMLEncryptionError.cannotDecrypt) { try XMLDecryptor(keys: [other]).decrypt(encrypted) }
            #expect(throws: XMLEncryptionError.noKey) { try XMLDecryptor(keys: []).decrypt(encrypted) }
        }
    }

    /// Returns a message whose content is encrypted directly with a shared key.
    static func message(
        _ algorithm: String, _ cipher: [UInt8], form: String? = EncryptedForm.content.rawValue,
        around: (String) -> String = { "<a>\($0)</a>" }
    ) -> [UInt8] {
        let type = form.map { " Type=\"\($0)\"" } ?? ""
        return Array(
            around(
                """
                <EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"\(type)><EncryptionMethod Algorithm="\(algorithm)"/>\
                <CipherData><CipherValue>\(Data(cipher).base64EncodedString())</CipherValue></CipherData></EncryptedData>
                """
            ).utf8)
    }

    private static let key = [UInt8](repeating: 7, count: 16)

    private static func gcm(_ text: String) throws -> [UInt8] {
        Array(try #require(try AES.GCM.seal(Array(text.utf8), using: SymmetricKey(data: key)).combined))
    }

    private static func cbc(_ bytes: [UInt8]) throws -> [UInt8] {
        let vector = try AES._CBC.IV(ivBytes: [UInt8](repeating: 3, count: 16))
        return [UInt8](repeating: 3, count: 16)
            + (try AES._CBC.encrypt(bytes, using: SymmetricKey(data: key), iv: vector, noPadding: true))
    }

    @Test("CBC is decrypted only if allowed, and all failures have the same error") func legacy() throws {
        let text = Array("<b>text</b>".utf8)
        let padded = text + [9, 8, 7, 6, 5]
        let uri = ContentAlgorithm.aes128CBC.rawValue
        let decryptor = XMLDecryptor(
            keys: [.content(Self.key)], policy: EncryptionPolicy(algorithms: Set(ContentAlgorithm.allCases)))
        #expect(
            try decryptor.decrypt(Self.message(uri, Self.cbc(padded))).contains("<a><b>text</b></a>".utf8))
        #expect(throws: XMLEncryptionError.algorithmNotAllowed(uri)) {
            try XMLDecryptor(keys: [.content(Self.key)]).decrypt(Self.message(uri, Self.cbc(padded)))
        }
        let wrong: [[UInt8]] = [
            text + [9, 8, 7, 6, 17], text + [9, 8, 7, 6, 0], text + [9, 8, 7, 6, 2],
            Array("<b>text</".utf8) + [UInt8](repeating: 7, count: 7),
        ]
        for padded in wrong {
            #expect(throws: XMLEncryptionError.cannotDecrypt) {
                try decryptor.decrypt(Self.message(uri, Self.cbc(padded)))
            }
        }
        for cipher in [[], [UInt8](repeating: 1, count: 16), [UInt8](repeating: 1, count: 33)] as [[UInt8]] {
            #expect(throws: XMLEncryptionError.cannotDecrypt) { try decryptor.decrypt(Self.message(uri, cipher)) }
        }
        var encryptor = XMLEncryptor(for: .shared(Self.key))
        encryptor.algorithm = .aes128CBC
        #expect(throws: XMLEncryptionError.algorithmNotAllowed(uri)) {
            try encryptor.encrypt(Self.document, at: Self.path)
        }
    }

    @Test(
        "Decrypted content must be valid at its position",
        arguments: [
            "</content><content>", "<b>", "</b>", "<!DOCTYPE b>", "<?xml version=\"1.0\"?>", "<p:b/>", "\u{0}",
            "</content><!--", String(repeating: "<b>", count: 256) + String(repeating: "</b>", count: 256),
        ])
    func injected(text: String) throws {
        let message = Self.message(ContentAlgorithm.aes128GCM.rawValue, try Self.gcm(text))
        #expect(throws: XMLEncryptionError.cannotDecrypt) {
            try XMLDecryptor(keys: [.content(Self.key)]).decrypt(message)
        }
    }

    @Test("Malformed messages and unsupported algorithms are refused with their error")
    func refusals() throws {
        let uri = ContentAlgorithm.aes128GCM.rawValue
        let message = String(decoding: Self.message(uri, try Self.gcm("text")), as: UTF8.self)
        func encryptedKey(_ algorithm: String, _ parameters: String = "") -> (String, String) {
            (
                "<CipherData>",
                """
                <KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><EncryptedKey xmlns="http://www.w3.org/2001/04/xmlenc#">\
                <EncryptionMethod Algorithm="\(algorithm)">\(parameters)</EncryptionMethod><CipherData><CipherValue>AAAA\
                </CipherValue></CipherData></EncryptedKey></KeyInfo><CipherData>
                """
            )
        }
        let (rsa15, des) = (
            "http://www.w3.org/2001/04/xmlenc#rsa-1_5", "http://www.w3.org/2001/04/xmlenc#tripledes-cbc"
        )
        let mgf1p = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
        let sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"
        let digest = "<DigestMethod xmlns=\"http://www.w3.org/2000/09/xmldsig#\" Algorithm=\"\(sha256)\"/>"
        let cases: [((String, String), XMLEncryptionError)] = [
            ((uri, des), .unsupportedAlgorithm(des)),
            (encryptedKey(rsa15), .unsupportedAlgorithm(rsa15)),
            (encryptedKey(mgf1p, digest), .unsupportedAlgorithm("\(mgf1p) \(sha256)")),
            (encryptedKey(mgf1p, "<OAEPparams>AA==</OAEPparams>"), .unsupportedAlgorithm("\(mgf1p) OAEPparams")),
            (("xmlenc#Content", "xmlenc#Other"), .malformed(element: "EncryptedData", line: 1)),
            (("<CipherValue>", "<CipherValue><!-- -->"), .malformed(element: "EncryptedData", line: 1)),
            (("<CipherData>", "<CipherData><CipherReference URI=\"http://127.0.0.1/\"/>"), .externalReference),
            (
                (
                    "<CipherData>",
                    "<KeyInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><RetrievalMethod URI=\"http://127.0.0.1/\"/></KeyInfo><CipherData>"
                ), .externalReference
            ),
            (("<a>", "<!DOCTYPE a><a>"), .document(.documentType)),
            (("<a>", "<a Id=\"i\"><b Id=\"i\"/>"), .duplicateIdentifier("i")),
        ]
        for ((old, new), expected) in cases {
            let changed = message.replacing(old, with: new)
            try #require(changed != message)
            #expect(throws: expected) {
                try XMLDecryptor(keys: [.content(Self.key), .privateKey(Self.identity.get().privateKey)]).decrypt(
                    Array(changed.utf8))
            }
        }
        let data = message.replacing("<a>", with: "").replacing("</a>", with: "")
        let many = Array("<a>\(String(repeating: data, count: 31))</a>".utf8)
        #expect(throws: XMLEncryptionError.tooManyParts(limit: 30)) {
            try XMLDecryptor(keys: [.content(Self.key)]).decrypt(many)
        }
        #expect(throws: XMLEncryptionError.noEncryptedData) {
            try XMLDecryptor(keys: []).decrypt(Array("<a/>".utf8))
        }
        let nested = message.replacing("</EncryptedData>", with: "\(data)</EncryptedData>")
        #expect(
            try XMLDecryptor(keys: [.content(Self.key)]).decrypt(Array(nested.utf8)).contains("<a>text</a>".utf8))
    }
}
