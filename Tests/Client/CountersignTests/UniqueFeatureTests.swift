// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Countersign
import HTTPTypes
import Testing
@testable import ChallengeLab
import EssentialFoundation

/// Features that curl (master of August 2026), requests (2.34) or AsyncHTTPClient (1.37) lack.
@Suite("Features that curl, requests or AsyncHTTPClient lack") struct UniqueFeatureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Returns the status of a request to the lab, which verifies the feature.
        let status: @Sendable (Lab) async throws -> Int
    }

    private static let password = Credential.password(
        user: Lab.credentials.user, password: Secret(Lab.credentials.password))

    static let rows = [
        Row(testDescription: "Digest with SHA-512-256 (requests)") { try await get(.digestSHA512Half, of: $0) },
        verified("Digest with SHA-256-sess (requests)", DigestVerifier(isSession: true)),
        verified("Digest with SHA-512-256-sess (requests)", DigestVerifier(hash: .sha512Half, isSession: true)),
        verified("Digest with MD5-sess", DigestVerifier(hash: .md5, isSession: true)),
        verified(
            "Digest with charset=UTF-8 (curl, requests)",
            DigestVerifier(
                terms: ", charset=UTF-8", name: "username*", expectedName: { _, _ in "UTF-8''J%C3%A4s%C3%B8n%20Doe" })),
        verified(
            "Digest with userhash (requests)",
            DigestVerifier(terms: ", userhash=true", expectedName: { $0.hex("\($1):r") })),
        verified(
            "several Digest challenges, each with a nonce (curl, requests)",
            DigestVerifier(otherChallenges: [
                "Digest realm=\"r\", nonce=\"1\", qop=\"auth\", Digest realm=\"r\", nonce=\"2\", algorithm=CRC-32, Basic realm=\"r\""
            ])),
        Row(testDescription: "auth-int over the request body (curl, requests)") { lab in
            try await get(.digestAuthInt, of: lab, body: .bytes(Array("what is vouched for".utf8)))
        },
        Row(testDescription: "nextnonce (curl, requests)") { lab in
            let status = try await get(.digestNextNonce, of: lab, times: 3)
            #expect(lab.requestCount(.digestNextNonce) == 3 + 1)
            return status
        },
        Row(testDescription: "rspauth (curl, requests)") { _ in try await serverProof() },
        Row(testDescription: "domain (curl, requests)") { _ in try await domain() },
        Row(testDescription: "Digest for a proxy (requests)") {
            try await get(.goodHTTPS, of: $0, through: .proxyDigest)
        },
        // The lab's acceptor accepts NTLMv2 only, and requires a MIC and a channel binding to its certificate.
        Row(testDescription: "NTLMv2 alone, with MIC and channel binding (curl)") { try await get(.ntlm, of: $0) },
        Row(testDescription: "https through a proxy that requires NTLM (requests)") {
            try await get(.goodHTTPS, of: $0, through: .proxyNTLM)
        },
        Row(testDescription: "a trust decision for each connection (requests, AsyncHTTPClient)") {
            try await get(.selfSigned, of: $0)
        },
        Row(testDescription: "a client certificate for one host, but not for its redirect target (AsyncHTTPClient)") {
            _ in
            try await identityOfOneHost()
        },
    ]

    @Test("The request succeeds with a feature that another client lacks", arguments: rows)
    func supported(row: Row) async throws {
        try await withLab { lab async throws in
            #expect(try await row.status(lab) == 200)
        }
    }

    private static func get(
        _ kind: LabServer.Kind, of lab: Lab, through proxy: LabServer.Kind? = nil, body: SessionRequestBody? = nil,
        times: Int = 1
    ) async throws -> Int {
        let handler: ClosureHandler = .closure { $0.failureCount == 0 ? .use(password) : .performDefault }
        let trust: ClosureHandler = .closure { challenge in
            guard case .serverTrust(let chain, _) = challenge.statement, challenge.space.port == lab[kind].port
            else { return .performDefault }
            return .use(.serverTrust(chain))
        }
        let handlers: ChallengeHandlers = [.digest: handler, .ntlm: handler, .serverTrust: trust]
        return try await withSession(
            lab, handlers: handlers, proxy: try proxy.map { try Proxy(lab[$0].url) },
            change: { $0.allowsNTLMOverPlainHTTP = proxy != nil }
        ) { session async throws in
            var status = 0
            for _ in 0..<times {
                let response = try await session.send(
                    SessionRequest(url: lab[kind].url, method: body == nil ? .get : .post, body: body))
                _ = try await response.body.collect(upTo: 1 << 20)
                status = response.status.code
            }
            return status
        }
    }

    private static func verified(_ name: String, _ verifier: DigestVerifier) -> Row {
        Row(testDescription: name) { _ in
            let server = try await ScriptedServer.start(verifier.reply)
            let session = HTTPSession(.init(handlers: [.digest: .closure { _ in .use(verifier.credential) }]))
            var statuses: Set<Int> = []
            for _ in 0..<2 { statuses.insert(try await session.get("http://localhost:\(server.port)/").status.code) }
            #expect(statuses == [200] && server.requestCount == 3)
            let other = HTTPSession(
                .init(handlers: [
                    .digest: .closure { _ in .use(.password(user: verifier.user, password: Secret("wrong"))) }
                ]))
            #expect(try await other.get("http://localhost:\(server.port)/").status == .forbidden)
            await session.close()
            await other.close()
            await server.stop()
            return statuses.first ?? 0
        }
    }

    /// Delivers a response only if the server proves that it knows the password.
    private static func serverProof() async throws -> Int {
        var statuses: [Int?] = []
        for information in [DigestGate.Information.wrongProof, .proof] {
            let gate = DigestGate(realm: "r", accepted: Lab.credentials, hash: .sha256, information: information)
            let server = try await ScriptedServer.start(behind: gate) { _ in .init(.ok, body: "page") }
            let session = HTTPSession(.init(handlers: [.digest: .closure { _ in .use(password) }]))
            statuses.append(try? await session.get("http://localhost:\(server.port)/").status.code)
            await session.close()
            await server.stop()
        }
        #expect(statuses.first == .some(nil))
        return statuses.last.flatMap(\.self) ?? 0
    }

    /// Two URLs of the protection space need one challenge, and a third URL outside needs another.
    private static func domain() async throws -> Int {
        let server = try await ScriptedServer.start { request in
            request.head.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=n, qop=auth, domain=\"/a /b/\""])
                : .init(.ok)
        }
        let session = HTTPSession(.init(handlers: [.digest: .closure { _ in .use(password) }]))
        var status = 0
        for (path, count) in [("/a", 2), ("/b/c", 3), ("/elsewhere", 5)] {
            status = try await session.get("http://localhost:\(server.port)\(path)").status.code
            #expect(server.requestCount == count)
        }
        await session.close()
        await server.stop()
        return status
    }

    private static func identityOfOneHost() async throws -> Int {
        let authority = try CertificateAuthority(name: "Root", now: Date())
        let presented = try authority.issue(.server(names: ["localhost"]), now: Date())
        let client = try authority.issue(.client(name: "Client"), now: Date())
        let second = try await ScriptedServer.start(presenting: presented, naming: [authority.certificate]) { _ in
            .init(.ok)
        }
        let first = try await ScriptedServer.start(presenting: presented, naming: [authority.certificate]) { _ in
            .init(.found, [.location: "https://localhost:\(second.port)/"])
        }
        let recorder = Recorder()
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: .only([authority.certificate])),
            handlers: [
                .clientCertificate: .closure { $0.space.port == first.port ? .use(.identity(client)) : .performDefault }
            ])
        configuration.observer = recorder.note
        let session = HTTPSession(configuration)
        let status = try await session.get("https://localhost:\(first.port)/").status.code
        #expect(recorder.connections.map { $0.tls?.clientCertificate } == [client.certificate, nil])
        await session.close()
        for server in [first, second] { await server.stop() }
        return status
    }
}
