// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Foundation
import Identities
import SwiftASN1
import Testing
import X509
import XMLEncryption

/// Tests in which xmlsec's program and this library decrypt each other's documents.
@Suite(.enabled(if: isInstalled("xmlsec1"), "xmlsec1 is missing: run make interop"))
struct EncryptionInteropTests {
    private static let document =
        "<e:Envelope xmlns:e=\"urn:e\" xmlns=\"urn:d\"><e:Body xml:lang=\"en\">text <x a=\"&#9;q:1\"/>\u{e9}<!-- c --></e:Body></e:Envelope>"
    private static let path = [XMLName("Envelope", in: "urn:e"), XMLName("Body", in: "urn:e")]
    private static let shared = [UInt8](1...32)

    private static let identity = Result {
        try CertificateAuthority.selfSigned(.server(names: ["a.test"], keyType: .rsa2048), now: Date())
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let algorithm: ContentAlgorithm
        let form: EncryptedForm
        /// Whether the recipient has a certificate instead of a shared key.
        let isCertified: Bool

        var testDescription: String { "\(algorithm) \(form) \(isCertified ? "RSA-OAEP" : "key wrap")" }
    }

    static let rows = ContentAlgorithm.allCases.flatMap { algorithm in
        EncryptedForm.allCases.flatMap { form in
            [true, false].map { Row(algorithm: algorithm, form: form, isCertified: $0) }
        }
    }

    /// The document without namespace declarations, whose positions may differ.
    private static func bare(_ document: String) -> String {
        document.replacing(#/<\?xml[^>]*>\s*/#, with: "").replacing(#/ xmlns(:\w)?="[^"]*"/#, with: "")
            .replacing("></x>", with: "/>").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func output(of script: String, _ variables: [String: String]) async throws -> String {
        let output = FileManager.default.temporaryDirectory.appending(path: "xmlsec-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        try await Script.succeeds(script, variables.merging(["OUTPUT": output.path]) { first, _ in first })
        return String(decoding: try Data(contentsOf: output), as: UTF8.self)
    }

    @Test("xmlsec decrypts this library's documents", arguments: rows.filter { !$0.algorithm.isLegacy })
    func encryptedHere(row: Row) async throws {
        let identity = try Self.identity.get()
        var encryptor = XMLEncryptor(
            for: row.isCertified ? .certificate(identity.certificate) : .shared(Self.shared, name: "k"))
        encryptor.algorithm = row.algorithm
        let encrypted = try encryptor.encrypt(Array(Self.document.utf8), at: Self.path, as: row.form)
        let decrypted = try await Self.output(
            of: """
                printf '%s' "$KEY" > key.pem; printf '%s' "$SHARED" | base64 -d > key.bin; printf '%s' "$DOCUMENT" > document
                exec xmlsec1 --decrypt $OPTION --output "$OUTPUT" document
                """,
            [
                "KEY": try identity.privateKey.serializeAsPEM().pemString,
                "SHARED": Data(Self.shared).base64EncodedString(),
                "DOCUMENT": String(decoding: encrypted, as: UTF8.self),
                "OPTION": row.isCertified ? "--privkey-pem key.pem" : "--aeskey:k key.bin",
            ])
        #expect(Self.bare(decrypted) == Self.bare(Self.document))
    }

    @Test("This library decrypts xmlsec's documents", arguments: rows)
    func encryptedThere(row: Row) async throws {
        let identity = try Self.identity.get()
        let method =
            row.isCertified
            ? "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p" : "http://www.w3.org/2001/04/xmlenc#kw-aes256"
        let name = row.isCertified ? "" : "<ds:KeyInfo><ds:KeyName>k</ds:KeyName></ds:KeyInfo>"
        let template = """
            <EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" \
            Type="\(row.form.rawValue)"><EncryptionMethod Algorithm="\(row.algorithm.rawValue)"/><ds:KeyInfo>\
            <EncryptedKey><EncryptionMethod Algorithm="\(method)"/>\(name)<CipherData><CipherValue/></CipherData>\
            </EncryptedKey></ds:KeyInfo><CipherData><CipherValue/></CipherData></EncryptedData>
            """
        let encrypted = try await Self.output(
            of: """
                printf '%s' "$CERTIFICATE" > cert.pem; printf '%s' "$SHARED" | base64 -d > key.bin
                printf '%s' "$DOCUMENT" > document; printf '%s' "$TEMPLATE" > template
                exec xmlsec1 --encrypt $OPTION --session-key aes-$BITS --xml-data document --node-name urn:e:Body \
                    --output "$OUTPUT" template
                """,
            [
                "CERTIFICATE": try identity.certificate.serializeAsPEM().pemString, "TEMPLATE": template,
                "SHARED": Data(Self.shared).base64EncodedString(), "DOCUMENT": Self.document,
                "OPTION": row.isCertified ? "--pubkey-cert-pem cert.pem" : "--aeskey:k key.bin",
                "BITS": String("\(row.algorithm)".filter(\.isNumber)),
            ])
        let key: DecryptionKey = row.isCertified ? .privateKey(identity.privateKey) : .shared(Self.shared)
        let decryptor = XMLDecryptor(
            keys: [key], policy: EncryptionPolicy(algorithms: Set(ContentAlgorithm.allCases)))
        let decrypted = try decryptor.decrypt(Array(encrypted.utf8))
        #expect(Self.bare(String(decoding: decrypted, as: UTF8.self)) == Self.bare(Self.document))
    }
}
