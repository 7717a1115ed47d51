// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Crypto
import Foundation
import Identities
import TLSRecipes
import Testing
import X509

/// `--identity` and `--key`, with a server that requires a certificate issued by CN=a.test with ECDSA and P-256.
@Suite(.enabled(if: OpenSSLServer.isInstalled, "needs openssl")) struct IdentityOptionTests {
    struct Row: Sendable {
        let arguments: String
        let status: CommandStatus
        let words: [String]
        var answers: [String]?

        init(_ arguments: String, _ status: CommandStatus, _ words: [String] = [], answers: [String]? = nil) {
            (self.arguments, self.status, self.words, self.answers) = (arguments, status, words, answers)
        }
    }

    /// The identities p256, p521 and old have the issuer that the server names; the identity other does not, and the
    /// identity old has expired.
    static let rows = [
        Row(
            "--identity <other.pem> --identity <p521.pem> --identity <p256.pem> -v", .done,
            [
                "*   presents CN=p256 (issuer named by the server)\n",
                "*   not CN=other: the server names other issuers\n",
                "*   not CN=p521: P-521 is not among the server's algorithms\n",
            ]),
        Row("--identity <p256.pem> --identity <other.pem> -v", .done, ["*   presents CN=p256 (issuer"]),
        Row(
            "--identity <old.pem> --identity <p256.pem> -v", .done,
            ["*   presents CN=p256 (issuer", "*   not CN=old: it has expired\n"]),
        Row("--identity <old.pem> -v", .done, ["*   presents CN=old (it has expired)\n"]),
        Row(
            "--identity <other.pem> --identity <p521.pem>", .notAuthenticated,
            [
                "wants a client certificate issued by CN=a.test, and none of the identities fits: "
                    + "CN=other (the server names other issuers), CN=p521 (P-521 is not among the server's algorithms)."
            ]),
        Row("--identity <other.pem> -v", .done, ["*   presents CN=other (the server names other issuers)\n"]),
        Row("--identity <p521.pem>", .notAuthenticated, ["cannot be used"]),
        Row("--identity <p256-chain.pem> --key <p256.key>", .done),
        Row("--identity <p256.pem> --key <p256.pem>", .done),
        Row(
            "--identity <other-chain.pem> --key <other.key> --identity <p256-chain.pem> --key <p256.key> -v", .done,
            ["*   presents CN=p256 (issuer"]),
        Row(
            "--identity <p256-chain.pem> --key <other.key>", .failed,
            ["p256-chain.pem with <other.key>", "does not belong to the certificate CN=p256"]),
        Row("--identity <p256-chain.pem> --key <missing.key>", .failed, ["missing.key", "No such file"]),
        Row("--identity <p256-chain.pem>", .failed, ["no private key"]),
        Row(
            "--identity pkcs11:token=a --key pkcs11:token=a --identity <p256-chain.pem> --key <p256.key>", .usage,
            ["--identity", "add ?module-path=PATH to the URI"]),
        Row("--key <p256.key>", .usage, ["--key has no effect without --identity"]),
        Row(
            "--identity <p256.pem> --identity <other.pem> --key <p256.key>", .usage,
            ["--key was given once, and --identity 2 times."]),
        Row("--identity <p256-chain.pem> --key <locked.key> --identity-passphrase-file <passphrase>", .done),
        Row("--identity <p256-chain.pem> --key <locked.key>", .failed, ["encrypted, and no passphrase was given"]),
        Row(
            "--identity <p256-chain.pem> --key <locked.key> --identity <other.pem> --key <other.key>", .done,
            answers: ["swordfish"]),
        Row("--identity <p256-chain.pem> --key <locked.key>", .failed, ["passphrase is wrong"], answers: ["x"]),
    ]

    @Test("The identity that fits the server is presented, with its key from another file if one is given")
    func identities() async throws {
        let server = try await OpenSSLServer(
            ["-www", "-tls1_3", "-Verify", "1", "-client_sigalgs", "ECDSA+SHA256"],
            keys: GeneratedKey(GeneratedKey.rsa))
        defer { server.stop() }
        let folder = try Folder()
        try Self.write("p256", .init(P256.Signing.PrivateKey()), issuer: "a.test", in: folder)
        try Self.write("p521", .init(P521.Signing.PrivateKey()), issuer: "a.test", in: folder)
        try Self.write("old", .init(P256.Signing.PrivateKey()), issuer: "a.test", until: -60, in: folder)
        try Self.write("other", .init(P256.Signing.PrivateKey()), issuer: "Other Clients", in: folder)
        let locked = try OpenSSLServer.run(
            ["ec", "-aes256", "-passout", "pass:swordfish"], input: Data(folder.contents(of: "p256.key") ?? []))
        #expect(String(decoding: locked, as: UTF8.self).contains("DEK-Info: AES-256-CBC"))
        _ = try folder.write(String(decoding: locked, as: UTF8.self), to: "locked.key")
        _ = try folder.write("swordfish\n", to: "passphrase")
        for row in Self.rows {
            let fill = { (text: String) in text.replacing("<", with: folder.path + "/").replacing(">", with: "") }
            let arguments = row.arguments.split(separator: " ").map { fill(String($0)) }
            let run = try await CommandRun(
                ["get", "https://127.0.0.1:\(server.port)/", "--trust", "disabled"] + arguments, home: folder,
                answers: row.answers)
            #expect(run.status == row.status, "\(row.arguments): \(run.errors)")
            for words in row.words { #expect(run.errors.contains(fill(words)), "\(row.arguments): \(run.errors)") }
            #expect(run.questions.allSatisfy { $0 == "Passphrase of \(folder.file("locked.key")): " })
            #expect(run.questions.count == row.answers?.count ?? 0)
        }
    }

    /// Writes NAME.pem with a certificate and its key, and NAME-chain.pem and NAME.key with one of them.
    private static func write(
        _ name: String, _ key: Certificate.PrivateKey, issuer: String, until end: TimeInterval = 3_600,
        in folder: Folder
    ) throws {
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Date() - 3_600, notValidAfter: Date() + end,
            issuer: DistinguishedName { CommonName(issuer) }, subject: DistinguishedName { CommonName(name) },
            extensions: Certificate.Extensions(), issuerPrivateKey: .init(P256.Signing.PrivateKey()))
        let identity = try Identity(chain: [certificate], privateKey: key)
        let texts = (try identity.pemEncodedChain, try identity.pemEncodedPrivateKey)
        let (chain, secret) = (String(decoding: texts.0, as: UTF8.self), String(decoding: texts.1, as: UTF8.self))
        _ = try folder.write(chain + secret, to: name + ".pem")
        _ = try folder.write(chain, to: name + "-chain.pem")
        _ = try folder.write(secret, to: name + ".key")
    }
}
