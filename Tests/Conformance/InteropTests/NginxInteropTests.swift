// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Testing

extension CountedInteropTests {
    /// Tests with nginx as the origin.
    @Suite struct NginxInteropTests {
        private let nginx: Nginx

        init() throws {
            nginx = try Nginx()
        }

        /// nginx does not send a charset; UTF-8 is the only one that RFC 7617 section 2.1 allows.
        @Test(
            "A password outside ASCII is accepted, and a wrong password is sent once",
            arguments: [Nginx.Server.plain, .tls12, .tls13])
        func basic(server: Nginx.Server) async throws {
            let path = "/basic/page.txt"
            let right = try await nginx.requests(to: server, expecting: 4) {
                try await nginx.withSession(handlers: [.basic: RecordingHandler(try nginx.credential())]) { session in
                    for _ in 0..<3 {
                        let (status, _) = try await session.text(of: nginx, server, path)
                        #expect(status == 200)
                    }
                }
            }
            #expect(right.statuses == [401, 200, 200, 200])
            let wrong = try await nginx.requests(to: server, expecting: 2) {
                try await nginx.withSession(handlers: [.basic: RecordingHandler(try nginx.wrongCredential())]) {
                    session in
                    let (status, _) = try await session.text(of: nginx, server, path)
                    #expect(status == 401)
                }
            }
            #expect(wrong.statuses == [401, 401])
        }

        @Test("A stapled response satisfies a policy that requires the revocation status", arguments: [true, false])
        func staple(isStapled: Bool) async throws {
            let policy = TrustPolicy(anchors: .only(try nginx.authority()), revocation: .hardFail)
            for server in [Nginx.Server.tls12, .tls13] {
                try await nginx.withSession(trust: policy) { session in
                    // Apache presents the same certificate without a response.
                    let other = try Apache().url(server == .tls12 ? .tls12 : .tls13, "/page.txt")
                    let url = try isStapled ? nginx.url(server, "/page.txt") : other
                    do {
                        let response = try await session.get(url)
                        #expect(response.status == .ok)
                        #expect(isStapled)
                        _ = try await response.body.collect(upTo: 1 << 20)
                    } catch SessionError.trust(.notTrusted(_, _, let verdict)) {
                        #expect(!isStapled)
                        #expect(verdict.failures.contains { if case .revocationUnknown = $0 { true } else { false } })
                    }
                }
            }
        }

        /// nginx completes the handshake in any case, and reports a missing certificate with an HTTP status.
        @Test(
            "nginx serves a client certificate of its authority and refuses any other",
            arguments: [
                (Nginx.Server.certificateRequired, "/page.txt", 400), (.certificateOptional, "/optional/page.txt", 403),
            ], [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13])
        func clientCertificate(
            place: (server: Nginx.Server, path: String, withoutOne: Int), versions: HTTPSession.TLSVersions
        ) async throws {
            let handler = RecordingHandler(.identity(try nginx.identity()))
            try await nginx.withSession(handlers: [.clientCertificate: handler], tlsVersions: versions) { session in
                let (status, _) = try await session.text(of: nginx, place.server, place.path)
                #expect(status == 200)
            }
            #expect(handler.challenges.count == 1)
            try await nginx.withSession(tlsVersions: versions) { session in
                let (status, _) = try await session.text(of: nginx, place.server, place.path)
                #expect(status == place.withoutOne)
            }
            let strangers = RecordingHandler(.identity(try nginx.stranger()))
            try await nginx.withSession(handlers: [.clientCertificate: strangers], tlsVersions: versions) { session in
                let (status, _) = try await session.text(of: nginx, place.server, place.path)
                #expect(status == 400)
            }
        }

        @Test("If a certificate is optional, other paths need none") func optionalCertificate() async throws {
            try await nginx.withSession { session in
                let (status, _) = try await session.text(of: nginx, .certificateOptional)
                #expect(status == 200)
            }
        }

        /// Returns an unused path, for which nginx responds with another status than for an existing file.
        private static func unusedPath() -> String { "/upload/\(UInt64.random(in: 0 ... .max))" }

        /// nginx requires the password first, and sends 100 Continue only after it was accepted.
        @Test("A one-shot upload waits for the password to be accepted", arguments: [Nginx.Server.plain, .tls12])
        func oneShotUpload(server: Nginx.Server) async throws {
            let size = 300_000
            let right = try await nginx.requests(to: server, expecting: 2) {
                try await nginx.withSession(handlers: [.basic: RecordingHandler(try nginx.credential())]) { session in
                    let status = try await session.put(.upload(size), to: nginx, server, Self.unusedPath())
                    #expect(status == 201)
                }
            }
            #expect(right.statuses == [401, 201])
            #expect(right.map { $0.length > size } == [false, true])
            let wrong = try await nginx.requests(to: server, expecting: 2) {
                try await nginx.withSession(handlers: [.basic: RecordingHandler(try nginx.wrongCredential())]) {
                    session in
                    let status = try await session.put(.upload(size), to: nginx, server, "/upload/refused")
                    #expect(status == 401)
                }
            }
            #expect(wrong.statuses == [401, 401])
            #expect(wrong.allSatisfy { $0.length < 4096 })
        }

        @Test("A repeatable upload is sent again after the challenge") func repeatableUpload() async throws {
            let body = SessionRequestBody.bytes(Array(repeating: 7, count: 300_000))
            let lines = try await nginx.requests(to: .plain, expecting: 2) {
                try await nginx.withSession(handlers: [.basic: RecordingHandler(try nginx.credential())]) { session in
                    let status = try await session.put(body, to: nginx, .plain, Self.unusedPath())
                    #expect(status == 201)
                }
            }
            #expect(lines.statuses == [401, 201])
        }
    }
}
