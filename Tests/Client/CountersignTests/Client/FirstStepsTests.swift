// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import ChallengeLab
import Countersign
import ErrorExplanations
import Foundation
import Identities
import SwiftASN1
import TestServer
import Testing
import X509

/// The first sample of the README, run against the lab.
@Suite("First steps with files and URLs") struct FirstStepsTests {
    /// A temporary folder with the lab's files and `client.p12`, which OpenSSL makes from `client.pem`.
    private final class Files {
        let folder = FileManager.default.temporaryDirectory.appending(path: "first-steps-\(UUID().uuidString)")

        init(_ lab: Lab) throws {
            try lab.save(to: folder)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        subscript(name: String) -> URL { folder.appending(path: name) }

        func makePKCS12(passphrase: String) async throws {
            let openssl = Process()
            openssl.executableURL = URL(filePath: "/usr/bin/env")
            openssl.arguments = [
                "openssl", "pkcs12", "-export", "-in", self["client.pem"].path, "-out", self["client.p12"].path,
                "-passout", "pass:\(passphrase)",
            ]
            try #require(await openssl.end() == 0)
        }
    }

    private func withLab(_ body: (Lab, Files) async throws -> Void) async throws {
        try await Lab.withServers { lab in try await body(lab, try Files(lab)) }
    }

    @Test("A private CA and a PKCS#12 file suffice for a server that requires a client certificate")
    func privateAuthorityAndIdentity() async throws {
        try await withLab { lab, files async throws in
            try await files.makePKCS12(passphrase: "correct horse")
            let session = HTTPSession(
                trust: TrustPolicy(anchors: try .only(contentsOf: files["ca.pem"])),
                handlers: [
                    .clientCertificate: .identity(
                        try Identity(contentsOf: files["client.p12"], passphrase: Secret("correct horse")),
                        host: "localhost")
                ])
            let url = try #require(URL(string: lab[.clientCertificateRequired].url))
            #expect(try await session.get(url).text() == "Countersign lab\n")
            await session.close()
        }
    }

    @Test("The same identity is read from a file, from Data and from bytes")
    func sameIdentity() async throws {
        try await withLab { lab, files async throws in
            let data = try Data(contentsOf: files["client.pem"])
            let identity = try Identity(contentsOf: files["client.pem"])
            #expect(identity == lab.clientIdentity)
            #expect(try Identity.read(data) == identity)
            #expect(try Identity.read(Array(data)) == identity)
            #expect(
                try Identity(contentsOf: files["client-certificate.pem"], privateKey: files["client-key.pem"])
                    == identity)
            #expect(try TrustPolicy.Anchors.systemAnd(contentsOf: files["ca.pem"]) == .systemAnd([lab.authority]))
        }
    }

    @Test("A file that cannot be read is named in the error")
    func unreadableFiles() async throws {
        try await withLab { _, files async throws in
            let missing = files["missing.p12"]
            #expect {
                try Identity(contentsOf: missing)
            } throws: { error in
                guard case SessionError.file(.failed(missing.path, .read, ENOENT)) = error else { return false }
                return true
            }
            #expect {
                try Identity(contentsOf: files.folder)
            } throws: { error in
                guard case SessionError.file(.failed(_, .read, EISDIR)) = error else { return false }
                return true
            }
            #expect {
                try TrustPolicy.Anchors.only(contentsOf: #require(URL(string: "https://user:secret@a.test/ca.pem")))
            } throws: { error in
                guard case SessionError.request(.invalidURL(let text, .notAFile)) = error else { return false }
                return !text.contains("secret")
            }
        }
    }

    private static func unusable(_ body: () throws -> Void) -> (path: String, error: IdentityError)? {
        do {
            try body()
        } catch SessionError.file(.unusable(let path, let error)) {
            return (path, error)
        } catch {}
        return nil
    }

    @Test("A file without the expected certificates or keys is named in the error, with its reason")
    func unusableFiles() async throws {
        try await withLab { _, files async throws in
            try await files.makePKCS12(passphrase: "correct horse")
            try Data("no certificate".utf8).write(to: files["text"])
            let rows: [(() throws -> Void, String, code: String)] = [
                (
                    { _ = try TrustPolicy.Anchors.only(contentsOf: files["ca.pem"], files["text"]) }, "text",
                    IdentityError.notPEM.code
                ),
                (
                    { _ = try TrustPolicy.Anchors.systemAnd(contentsOf: files["client-key.pem"]) }, "client-key.pem",
                    IdentityError.keyWhereCertificateExpected.code
                ),
                ({ _ = try ServerPolicy.only(contentsOf: files["text"]) }, "text", IdentityError.notPEM.code),
                ({ _ = try Identity(contentsOf: files["ca.pem"]) }, "ca.pem", IdentityError.noPrivateKey.code),
                (
                    { _ = try Identity(contentsOf: files["client.p12"], passphrase: Secret("wrong")) }, "client.p12",
                    IdentityError.wrongPassphrase.code
                ),
                (
                    { _ = try Identity(contentsOf: files["ca.pem"], privateKey: files["client-key.pem"]) },
                    "client-key.pem", IdentityError.keyDoesNotMatch(subject: DistinguishedName()).code
                ),
            ]
            for (body, name, code) in rows {
                let (path, error) = try #require(Self.unusable(body), "\(name)")
                #expect(path.hasSuffix("/\(name)") && error.code == code, "\(path): \(error)")
                let text = FileError.unusable(path: path, error).explanation
                #expect(text.message.hasPrefix("\(path): ") && text.code == error.code)
            }
        }
    }

    @Test("Anchors are read from several files, in PEM or DER, with several certificates in each, without duplicates")
    func severalAnchors() async throws {
        try await withLab { lab, files async throws in
            let others = try (1...3).map { number in
                try CertificateAuthority(name: "Root \(number)", now: Date()).certificate
            }
            let pem = try others.prefix(2).map { try $0.serializeAsPEM().pemString }.joined(separator: "\n")
            try Data(pem.utf8).write(to: files["two.pem"])
            var der = DER.Serializer()
            try der.serialize(others[2])
            try Data(der.serializedBytes).write(to: files["one.der"])
            let all = [lab.authority] + others
            let anchors = try TrustPolicy.Anchors.only(
                contentsOf: files["ca.pem"], files["two.pem"], files["one.der"], files["two.pem"])
            #expect(anchors == .only(all))
            let policies: DomainPolicies = try [
                "localhost": .only(contentsOf: files["ca.pem"]),
                "*.partner.example": .only(contentsOf: files["two.pem"]),
            ]
            let session = HTTPSession(HTTPSession.Configuration(policies: policies))
            #expect(try await session.get(lab[.goodHTTPS].url).text() == "Countersign lab\n")
            await session.close()
        }
    }

    @Test(
        "Files are named by file URLs of this machine",
        arguments: ["https://mary:secret@a.example/f?key=secret", "file://a.example/f", "f"])
    func foreignURLs(text: String) async throws {
        let url = try #require(URL(string: text))
        let session = HTTPSession()
        let uses: [() async throws -> Void] = [
            { _ = try TrustPolicy.Anchors.only(contentsOf: url) },
            { _ = try TrustPolicy.Anchors.systemAnd(contentsOf: url) },
            { _ = try Identity(contentsOf: url) },
            { _ = try Identity(contentsOf: url, privateKey: url) },
            { _ = try SessionRequestBody.file(url) },
            { _ = try FormPart.file("f", contentsOf: url) },
            { _ = try CookieJar(contentsOf: url) },
            { try CookieJar().save(to: url) },
            { _ = try FileServerMemory(folder: url) },
            { try await session.download("http://a.test/", to: url) },
            { _ = try await session.beginDownload(.get("http://a.test/"), to: url).value },
        ]
        for use in uses {
            await #expect {
                try await use()
            } throws: { error in
                guard case SessionError.request(.invalidURL(let named, .notAFile)) = error else { return false }
                return !named.contains("secret")
            }
        }
        await session.close()
    }

    @Test("Every verb accepts a URL, and a download accepts a file URL")
    func verbs() async throws {
        try await withLab { lab, files async throws in
            let session = HTTPSession()
            let url = try #require(URL(string: lab[.plainHTTP].url))
            let body = SessionRequestBody.bytes(Data("a".utf8))
            for response in [
                try await session.head(url), try await session.post(url, body: body),
                try await session.put(url, body: body), try await session.patch(url, body: body),
                try await session.delete(url), try await session.send(SessionRequest(url: url)),
            ] {
                #expect(response.status == .ok)
                _ = try await response.bytes()
            }
            try await session.download(url, to: files["page"])
            #expect(try Data(contentsOf: files["page"]) == Data("Countersign lab\n".utf8))
            await session.close()
        }
    }
}
