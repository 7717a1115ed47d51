// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import Countersign
    import HTTPTypes
    import Negotiate
    import Testing

    /// Tests of sessions with Apache's mod_auth_gssapi and an MIT KDC.
    @Suite(.kerberos) struct NegotiateInteropTests {
        private static let servers = [Apache.Server.kerberos, .kerberosBound, .kerberosTLS]
        private static let page = "/kerberos/page.txt"

        private func withSession(
            _ handler: RecordingHandler?, _ body: (Apache, HTTPSession) async throws -> Void
        ) async throws {
            let apache = try Apache()
            let handlers: ChallengeHandlers = handler.map { [.negotiate: $0] } ?? [:]
            try await apache.withSession(
                handlers: handlers, authenticators: [.negotiate: HTTPNegotiateAuthenticator.factory()]
            ) {
                try await body(apache, $0)
            }
        }

        @Test("Apache accepts a ticket", arguments: servers)
        func ticket(server: Apache.Server) async throws {
            let handler = RecordingHandler(.currentUser())
            try await withSession(handler) { apache, session in
                let (status, body) = try await session.text(of: apache, server, Self.page)
                #expect(status == 200)
                #expect(body == "served for a ticket\n")
            }
            #expect(handler.challenges.map(\.space.method) == [.negotiate])
        }

        @Test("Apache accepts a ticket that was obtained by password", arguments: servers)
        func password(server: Apache.Server) async throws {
            let password = Secret(try Apache().value("kerberosPassword"))
            try await withSession(RecordingHandler(.password(user: "alice", password: password))) { apache, session in
                let (status, _) = try await session.text(of: apache, server, Self.page)
                #expect(status == 200)
            }
        }

        @Test("Without a handler the 401 response is delivered", arguments: servers)
        func noHandler(server: Apache.Server) async throws {
            try await withSession(nil) { apache, session in
                let (status, _) = try await session.text(of: apache, server, Self.page)
                #expect(status == 401)
            }
        }

        @Test("A principal that Apache rejects is sent once", arguments: servers)
        func rejectedPrincipal(server: Apache.Server) async throws {
            let password = Secret(try Apache().value("kerberosPassword"))
            let handler = RecordingHandler(.password(user: "bob", password: password))
            try await withSession(handler) { apache, session in
                let (status, _) = try await session.text(of: apache, server, Self.page)
                #expect(status == 401)
            }
            #expect(handler.challenges.map(\.failureCount) == [0, 1])
        }

        @Test("A wrong password is refused by the KDC") func wrongPassword() async throws {
            let handler = RecordingHandler(.password(user: "alice", password: Secret("not it")))
            try await withSession(handler) { apache, session in
                do {
                    _ = try await session.text(of: apache, .kerberos, Self.page)
                    Issue.record("went through")
                } catch SessionError.authentication(.unanswerableChallenge(let space, .mechanism(let text))) {
                    #expect(space.method == .negotiate)
                    #expect(!text.isEmpty)
                }
            }
        }

        /// Requests on an authenticated connection need no further ticket.
        ///
        /// If a server also challenges the second request, the client sends a ticket with each request from then on.
        @Test(
            "A ticket is sent once per connection, or with each request if the server requires it",
            arguments: [
                (Apache.Server.kerberosBound, "/kerberos/bound.txt", 6), (.kerberos, "/kerberos/each.txt", 7),
            ])
        func requestCount(server: Apache.Server, path: String, count: Int) async throws {
            let handler = RecordingHandler(.currentUser())
            let before = try Apache().requestCount(path)
            try await withSession(handler) { apache, session in
                for _ in 0..<5 {
                    let (status, _) = try await session.text(of: apache, server, path)
                    #expect(status == 200)
                }
            }
            #expect(handler.challenges.count == 1)
            // Apache writes a log line after the response.
            try await Task.sleep(for: .milliseconds(500))
            #expect(try Apache().requestCount(path) - before == count)
        }

        @Test("A preemptive ticket needs no further request") func preemptive() async throws {
            let path = "/kerberos/unasked.txt"
            let before = try Apache().requestCount(path)
            try await withSession(nil) { apache, session in
                var request = SessionRequest(url: try apache.url(.kerberosBound, path))
                request.credential = .currentUser()
                request.preemptiveMethod = .negotiate
                for _ in 0..<5 {
                    let response = try await session.send(request)
                    #expect(response.status.code == 200)
                    _ = try await response.body.collect(upTo: 1 << 20)
                }
            }
            try await Task.sleep(for: .milliseconds(500))
            #expect(try Apache().requestCount(path) - before == 5)
        }

        /// Apache's module does not verify channel bindings, so an acceptor verifies the token that Apache received.
        @Test("Over TLS a token is bound to the server's certificate") func channelBinding() async throws {
            try await withSession(RecordingHandler(.currentUser())) { apache, session in
                for server in [Apache.Server.kerberosTLS, .kerberosBound] {
                    let (status, _) = try await session.text(of: apache, server, Self.page)
                    #expect(status == 200)
                }
                try await Task.sleep(for: .milliseconds(500))
                let binding = try apache.certificateBinding()
                for token in try apache.negotiateTokens(sentTo: .kerberosTLS) {
                    #expect(try GSSAcceptor(binding: binding).accept(token).isBound)
                    let other = Array(binding.dropLast()) + [(binding.last ?? 0) ^ 1]
                    let error = #expect(throws: GSSError.self) { try GSSAcceptor(binding: other).accept(token) }
                    #expect(error?.routine == .badBindings)
                }
                for token in try apache.negotiateTokens(sentTo: .kerberosBound) {
                    #expect(try !GSSAcceptor(binding: binding).accept(token).isBound)
                }
            }
        }
    }
#endif
