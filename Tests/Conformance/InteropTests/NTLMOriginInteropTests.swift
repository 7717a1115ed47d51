// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Testing

extension CountedInteropTests {
    /// Tests with an origin that requires NTLM with channel binding, which pyspnego verifies.
    @Suite struct NTLMOriginInteropTests {
        private let origin: NTLMOrigin

        init() throws {
            origin = try NTLMOrigin()
        }

        @Test("A connection is authenticated once", arguments: [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13])
        func onceAConnection(versions: HTTPSession.TLSVersions) async throws {
            let handler = RecordingHandler(try origin.account())
            let lines = try await origin.requests(to: .tls, expecting: 5) {
                try await origin.withSession(handlers: [.ntlm: handler], tlsVersions: versions) { session in
                    for _ in 0..<3 {
                        let (status, body) = try await session.text(of: origin, .tls)
                        #expect(status == 200)
                        #expect(body == "INTEROP\\alice\n")
                    }
                }
            }
            #expect(lines.statuses == [401, 401, 200, 200, 200])
            #expect(lines.connectionCount == 1)
            #expect(handler.challenges.map(\.space.method) == [.ntlm])
        }

        @Test("Each form of account is accepted", arguments: ["bob@interop.test", "carol", "INTEROP\\j\u{f6}rg"])
        func accounts(user: String) async throws {
            try await origin.withSession(handlers: [.ntlm: RecordingHandler(try origin.account(user))]) { session in
                let (status, body) = try await session.text(of: origin, .tls)
                #expect(status == 200)
                #expect(body == "\(user)\n")
            }
        }

        @Test("A wrong password is sent once, and the 401 response is delivered") func wrongPassword() async throws {
            let handler = RecordingHandler(try origin.wrongAccount())
            let lines = try await origin.requests(to: .tls, expecting: 3) {
                try await origin.withSession(handlers: [.ntlm: handler]) { session in
                    let (status, body) = try await session.text(of: origin, .tls)
                    #expect(status == 401)
                    #expect(body == "InvalidTokenError\n")
                }
            }
            #expect(lines.statuses == [401, 401, 401])
            #expect(handler.challenges.map(\.failureCount) == [0, 1])
        }

        /// RFC 5929: a relay that terminates TLS with another certificate cannot
        /// use the client's response, even if that certificate is trusted.
        @Test("A relay with another certificate cannot use the client's response") func relay() async throws {
            let handler = RecordingHandler(try origin.account())
            let lines = try await origin.requests(to: .tls, expecting: 3) {
                try await origin.withSession(handlers: [.ntlm: handler]) { session in
                    let (status, body) = try await session.text(of: origin, .relay)
                    #expect(status == 401)
                    #expect(body == "BadBindingsError\n")
                }
            }
            #expect(lines.statuses == [401, 401, 401])
        }

        @Test("Over plain HTTP a challenge is answered only if the configuration allows it")
        func plainHTTP() async throws {
            let handler = RecordingHandler(try origin.account())
            let refused = try await origin.requests(to: .plain, expecting: 1) {
                try await origin.withSession(handlers: [.ntlm: handler]) { session in
                    let (status, _) = try await session.text(of: origin, .plain)
                    #expect(status == 401)
                }
            }
            #expect(refused.statuses == [401])
            #expect(handler.challenges.isEmpty)
            let allowed = try await origin.requests(to: .plain, expecting: 4) {
                try await origin.withSession(handlers: [.ntlm: handler], allowsNTLMOverPlainHTTP: true) { session in
                    for _ in 0..<2 {
                        let (status, _) = try await session.text(of: origin, .plain)
                        #expect(status == 200)
                    }
                }
            }
            #expect(allowed.statuses == [401, 401, 200, 200])
        }

        /// The second request is always challenged, so it has no
        /// body; a one-shot body is sent in the last request only.
        @Test(
            "A repeatable body is sent with the first and last request, and a one-shot body with the last only",
            arguments: [(false, [100_000, 0, 100_000]), (true, [0, 0, 100_000])])
        func bodies(isOneShot: Bool, lengths: [Int]) async throws {
            let body = isOneShot ? SessionRequestBody.upload(100_000) : .bytes(Array(repeating: 7, count: 100_000))
            let lines = try await origin.requests(to: .tls, expecting: 3) {
                try await origin.withSession(handlers: [.ntlm: RecordingHandler(try origin.account())]) { session in
                    let status = try await session.put(body, to: origin, .tls, "/upload")
                    #expect(status == 200)
                }
            }
            #expect(lines.statuses == [401, 401, 200])
            #expect(lines.map(\.length) == lengths)
        }
    }
}
