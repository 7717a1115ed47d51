// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import Testing

@testable import Identities

@Suite("Identities with keys that swift-certificates lacks, made by OpenSSL") struct EncodedIdentityTests {
    struct Key: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let arguments: [String]
    }

    static let keys = [
        Key(testDescription: "RSASSA-PSS", arguments: ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"]),
        Key(testDescription: "Ed448", arguments: ["-algorithm", "ED448"]),
        Key(
            testDescription: "brainpoolP256r1",
            arguments: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1"]),
        Key(testDescription: "RSA-1024", arguments: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]),
    ]

    /// Makes a key, a certificate of it, and one of another key of the type; `nil` without OpenSSL.
    private func folder(_ key: Key) async throws -> Folder? {
        let folder = try Folder()
        for name in ["other", "own"] {
            guard
                try await Tool.openssl.run(["genpkey", "-out", "\(name).key"] + key.arguments, in: folder),
                try await Tool.openssl.run(
                    ["req", "-x509", "-new", "-key", "\(name).key", "-subj", "/CN=\(name)", "-out", "\(name).pem"],
                    in: folder)
            else { return nil }
        }
        return folder
    }

    @Test(
        "A key in PKCS#8, encrypted or not, or in SEC 1 or PKCS#1 is paired with its certificate", arguments: keys
    )
    func pem(key: Key) async throws {
        guard let folder = try await folder(key) else { return }
        let arguments = ["pkey", "-in", "own.key", "-out", "encrypted.key", "-aes256", "-passout", "pass:secret"]
        _ = try await Tool.openssl.run(arguments, in: folder)
        _ = try await Tool.openssl.run(["x509", "-in", "own.pem", "-outform", "DER", "-out", "own.der"], in: folder)
        var files: [(name: String, passphrase: Secret?)] = [("own", nil), ("encrypted", Secret("secret"))]
        if ["brainpoolP256r1", "RSA-1024"].contains(key.testDescription) {
            _ = try await Tool.openssl.run(["pkey", "-in", "own.key", "-out", "old.key", "-traditional"], in: folder)
            files.append(("old", nil))
        }
        // OpenSSL cannot tell an Ed448 key without a public key from another one either.
        let certificates =
            key.testDescription == "Ed448" ? folder["own.pem"] : folder["other.pem"] + folder["own.pem"]
        for (name, passphrase) in files {
            let identity = try EncodedIdentity.read(certificates + folder["\(name).key"], passphrase: passphrase)
            #expect(identity.keyType == key.testDescription)
            let leaf = try #require(identity.chain.first)
            #expect(leaf == folder["own.der"])
            let pair = try EncodedIdentity(
                pemCertificates: certificates, privateKey: folder["\(name).key"], passphrase: passphrase)
            #expect(pair == identity && !"\(pair)".contains("-----"))
        }
        let encrypted = certificates + folder["encrypted.key"]
        #expect(throws: IdentityError.passphraseNeeded) { try EncodedIdentity.read(encrypted) }
        #expect(throws: IdentityError.wrongPassphrase) {
            try EncodedIdentity.read(encrypted, passphrase: Secret("other"))
        }
        #expect(throws: IdentityError.noCertificate) { try EncodedIdentity.read(folder["own.key"]) }
        #expect(throws: IdentityError.noPrivateKey) { try EncodedIdentity.read(folder["own.pem"]) }
        guard key.testDescription != "Ed448" else { return }
        #expect(throws: IdentityError.unsupported(key.testDescription)) {
            try EncodedIdentity.read(folder["other.pem"] + folder["own.key"])
        }
    }

    @Test("A key in PKCS#12 is paired with its certificate", arguments: keys) func pkcs12(key: Key) async throws {
        guard let folder = try await folder(key) else { return }
        let arguments = [
            "pkcs12", "-export", "-in", "own.pem", "-inkey", "own.key", "-certfile", "other.pem", "-out", "own.p12",
            "-passout", "pass:secret",
        ]
        _ = try await Tool.openssl.run(arguments, in: folder)
        let identity = try EncodedIdentity.read(folder["own.p12"], passphrase: Secret("secret"))
        #expect(identity.keyType == key.testDescription && identity.chain.count == 2)
        #expect(throws: IdentityError.wrongPassphrase) {
            try EncodedIdentity.read(folder["own.p12"], passphrase: Secret("other"))
        }
    }

    @Test("An algorithm of the server fits the type of the key") func algorithms() async throws {
        let schemes: [(key: String, scheme: UInt16, tls13: Bool, tls12: Bool)] = [
            ("RSASSA-PSS", 0x0809, true, true), ("RSASSA-PSS", 0x0804, false, false), ("Ed448", 0x0808, true, true),
            ("Ed448", 0x0807, false, false), ("brainpoolP256r1", 0x0403, false, true),
            ("brainpoolP256r1", 0x081A, true, false), ("RSA-1024", 0x0401, false, true),
            ("RSA-1024", 0x0804, true, true),
        ]
        for key in Self.keys {
            guard let folder = try await folder(key) else { return }
            let identity = try EncodedIdentity.read(folder["own.pem"] + folder["own.key"])
            for one in schemes where one.key == key.testDescription {
                let scheme = TLSSignatureScheme(rawValue: one.scheme)
                #expect(identity.canSign(with: [scheme], isTLS13: true) == one.tls13)
                #expect(identity.canSign(with: [scheme], isTLS13: false) == one.tls12)
            }
        }
    }
}
