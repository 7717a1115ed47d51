// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import EssentialFoundation
import NIOConcurrencyHelpers
import SOAPClients
import TestServer
import Testing
import X509

/// Tests of the session's functions for SOAP clients: credentials, trust, certificates and content codings.
@Suite struct SessionTests {
    private static let answer = ScriptedServer.Reply(
        .ok, [.contentType: "text/xml; charset=utf-8"], body: envelope(balanceBody))

    /// Runs a closure with a server and a session.
    private func withServer(
        _ server: ScriptedServer, _ configuration: HTTPSession.Configuration,
        _ body: (HTTPSession) async throws -> Void
    ) async throws {
        let session = HTTPSession(configuration)
        let result: Result<Void, any Error>
        do { result = .success(try await body(session)) } catch { result = .failure(error) }
        await session.close()
        await server.stop()
        try result.get()
    }

    @Test("A service with Basic authentication is called only with the session's password")
    func basic() async throws {
        let server = try await ScriptedServer.start { request in
            // The credential is "user:correct horse".
            guard request.head.headerFields[.authorization] == "Basic dXNlcjpjb3JyZWN0IGhvcnNl" else {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"bank\""])
            }
            return Self.answer
        }
        let credential = Credential.password(user: "user", password: Secret("correct horse"))
        let handlers: ChallengeHandlers = [.basic: .closure { _ in .use(credential) }]
        try await withServer(server, HTTPSession.Configuration(handlers: handlers)) { session async throws in
            let bank = AccountService(session: session, endpoint: "http://localhost:\(server.port)/accounts")
            #expect(try await bank.balance(Balance(account: "1")).amount == 42)
            #expect(server.requestCount == 2)
        }
        let other = try await ScriptedServer.start { _ in
            .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"bank\""])
        }
        try await withServer(other, HTTPSession.Configuration()) { session async throws in
            let bank = AccountService(session: session, endpoint: "http://localhost:\(other.port)/accounts")
            let error = await clientError { try await bank.balance(Balance(account: "1")) }
            guard case .unexpectedStatus(let summary) = error, summary.status == .unauthorized else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A service with a self-signed certificate is called only with that anchor") func anchor()
        async throws
    {
        let identity = try CertificateAuthority.selfSigned(.server(names: ["localhost"]), now: Date())
        for (anchors, isTrusted) in [([identity.certificate], true), ([], false)] {
            let server = try await ScriptedServer.start(presenting: identity) { _ in Self.answer }
            let trust = TrustPolicy(anchors: .only(anchors))
            try await withServer(server, HTTPSession.Configuration(trust: trust)) { session async throws in
                let bank = AccountService(session: session, endpoint: "https://localhost:\(server.port)/accounts")
                do {
                    #expect(try await bank.balance(Balance(account: "1")).amount == 42)
                    #expect(isTrusted)
                } catch SessionError.trust {
                    #expect(!isTrusted)
                }
            }
        }
    }

    @Test("A service that requires a certificate receives the one from a PKCS#12 file")
    func clientCertificate() async throws {
        let authority = try CertificateAuthority(name: "Bank Root", now: Date())
        let client = try authority.issue(.client(name: "customer"), now: Date())
        let passphrase = Secret("correct horse")
        let file = FileManager.default.temporaryDirectory.appending(path: "soap-\(UUID().uuidString).p12")
        let encoded = try PKCS12.encode(
            [.init(client)], passphrase: passphrase, encryption: .aes256(iterations: 1000))
        try Data(encoded).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for hasIdentity in [true, false] {
            let server = try await ScriptedServer.start(
                presenting: try authority.issue(.server(names: ["localhost"]), now: Date()),
                naming: [authority.certificate]
            ) { _ in Self.answer }
            let handlers: ChallengeHandlers =
                hasIdentity
                ? [
                    .clientCertificate: .identity(
                        try Identity(contentsOf: file, passphrase: passphrase), host: "localhost")
                ] : [:]
            var configuration = HTTPSession.Configuration(
                trust: TrustPolicy(anchors: .only([authority.certificate])), handlers: handlers)
            let presented = NIOLockedValueBox<Certificate?>(nil)
            configuration.observer = { event in
                guard case .connected(let report) = event.kind else { return }
                presented.withLockedValue { $0 = report.tls?.clientCertificate }
            }
            try await withServer(server, configuration) { session async throws in
                let bank = AccountService(session: session, endpoint: "https://localhost:\(server.port)/accounts")
                #expect(try await bank.balance(Balance(account: "1")).amount == 42)
                #expect(presented.withLockedValue { $0 } == (hasIdentity ? client.certificate : nil))
            }
        }
    }

    @Test("A gzip response is read, and one that expands beyond the limit is refused") func gzip() async throws {
        let long = balanceBody.replacing(
            "</b:amount>", with: "</b:amount><b:text>\(String(repeating: "x", count: 9000))</b:text>")
        let content = gzipped(Array(envelope(long).utf8))
        for (limit, isRead) in [(64 << 20, true), (5000, false)] {
            let server = try await ScriptedServer.start { _ in
                .init(.ok, [.contentType: "text/xml", .contentEncoding: "gzip"], body: content)
            }
            try await withServer(server, HTTPSession.Configuration()) { session async throws in
                var bank = AccountService(session: session, endpoint: "http://localhost:\(server.port)/")
                bank.client.options.documentLimits.maximumByteCount = limit
                let error = await clientError { try await bank.balance(Balance(account: "1")) }
                if case .responseTooLarge = error { #expect(!isRead) } else { #expect(isRead && error == nil) }
            }
        }
    }

    /// Returns a gzip member with one stored block (RFC 1951 section 3.2.4).
    private func gzipped(_ bytes: [UInt8]) -> [UInt8] {
        func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let checksum = ~bytes.reduce(UInt32.max) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt32(byte)) { value, _ -> UInt32 in
                let half = value >> 1
                return value.isMultiple(of: 2) ? half : half ^ 0xEDB8_8320
            }
        }
        let length = UInt32(bytes.count)
        let parts: [[UInt8]] = [
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1], littleEndian(length, 2), littleEndian(~length, 2), bytes,
            littleEndian(checksum, 4), littleEndian(length, 4),
        ]
        return parts.flatMap(\.self)
    }

    @Test("A one-way message is complete with status 202, and a fault has status 500") func statuses() async throws {
        let log = RequestLog()
        let fault = envelope(
            """
            <s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring><detail><b:UnknownAccount>\
            <b:account>1</b:account></b:UnknownAccount></detail></s:Fault>
            """)
        let server = try await ScriptedServer.start(recordingIn: log) { request in
            guard String(decoding: request.body, as: UTF8.self).contains("Note") else {
                return .init(.internalServerError, [.contentType: "text/xml"], body: fault)
            }
            return .init(.accepted)
        }
        try await withServer(server, HTTPSession.Configuration()) { session async throws in
            let bank = AccountService(session: session, endpoint: "http://localhost:\(server.port)/")
            try await bank.note(Note(text: "<data>"))
            let error = await #expect(throws: AccountService.UnknownAccount.self) {
                try await bank.balance(Balance(account: "1"))
            }
            #expect(error?.detail.account == "1")
            #expect(server.connectionCount == 1)
            #expect(
                log.requests.first.map { String(decoding: $0.body, as: UTF8.self).contains("&lt;data&gt;") } == true)
        }
    }
}
