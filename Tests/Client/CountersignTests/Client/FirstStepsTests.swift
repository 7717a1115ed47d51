// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import Foundation
import TestServer
import Testing

/// The first sample of the README, run against the lab.
@Suite("First steps with files and URLs") struct FirstStepsTests {
    /// A temporary folder with the lab's files and `client.p12`, which OpenSSL makes from `client.pem`.
    private final class Files {
        let folder = FileManager.default.temporaryDirectory.appending(path: "first-steps-\(UUID().uuidString)")

        init(_ lab: Lab) throws {
            _ = try lab.writeFiles(to: folder.path)
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
        let lab = try await Lab.start()
        do {
            try await body(lab, try Files(lab))
            try await lab.stop()
        } catch {
            try await lab.stop()
            throw error
        }
    }

    @Test("A private CA and a PKCS#12 file suffice for a server that requires a client certificate")
    func privateAuthorityAndIdentity() async throws {
        try await withLab { lab, files async throws in
            try await files.makePKCS12(passphrase: "correct horse")
            let session = HTTPSession(
                trust: TrustPolicy(anchors: try .only(contentsOf: files["ca.pem"])),
                handlers: [
                    .clientCertificate: .identity(
                        try Identity(pkcs12: files["client.p12"], passphrase: Secret("correct horse")),
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
                try Identity(pemCertificates: files["client-certificate.pem"], privateKey: files["client-key.pem"])
                    == identity)
            #expect(try TrustPolicy.Anchors.systemAnd(contentsOf: files["ca.pem"]) == .systemAnd([lab.authority]))
        }
    }

    @Test("A file that cannot be read is named in the error")
    func unreadableFiles() async throws {
        try await withLab { _, files async throws in
            let missing = files["missing.p12"]
            #expect {
                try Identity(pkcs12: missing)
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
            #expect(throws: IdentityError.keyWhereCertificateExpected) {
                try TrustPolicy.Anchors.only(contentsOf: files["client.pem"])
            }
        }
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
