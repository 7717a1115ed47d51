// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import Countersign
    import Negotiate
    import Testing

    /// Tests of the client's tokens with tickets of a real KDC and the system's acceptor.
    @Suite(.kerberos) struct SecurityContextTests {
        private static let binding = Array("tls-server-end-point:0123456789abcdef0123456789abcdef".utf8)
        private static let otherBinding = Array("tls-server-end-point:0123456789abcdef0123456789abcdeF".utf8)

        private func context(
            _ owner: GSSCredential.Owner = .currentUser, binding: [UInt8]? = nil, delegation: Delegation = .none
        ) throws -> (SecurityContext, token: [UInt8]) {
            let context = try SecurityContext(
                host: "localhost", owner: owner, binding: binding, delegation: delegation)
            let step = try context.step(nil)
            #expect(!step.isComplete)
            return (context, try #require(step.token))
        }

        @Test("The client and the server authenticate each other") func mutual() throws {
            let (context, token) = try context()
            let client = try GSSAcceptor().accept(token)
            #expect(client.name == "alice@INTEROP.TEST")
            #expect(!client.isDelegated)
            let end = try context.step(client.token)
            #expect(end.isComplete && end.isMutual && end.token == nil)
        }

        /// The offsets from the end lie in the authenticator, which
        /// the session key protects, and in the ticket before it.
        @Test("A tampered token is refused", arguments: [1, 40, 400])
        func tamperedToken(place: Int) throws {
            var (_, token) = try context()
            token[token.count - place] ^= 1
            #expect(throws: GSSError.self) { try GSSAcceptor().accept(token) }
        }

        @Test("A tampered server proof is refused", arguments: [1, 20, 60])
        func tamperedProof(place: Int) throws {
            let (context, token) = try context()
            var answer = try GSSAcceptor().accept(token).token
            answer[answer.count - place] ^= 1
            #expect(throws: GSSError.self) { try context.step(answer) }
        }

        @Test("The server proof of another exchange is refused") func otherExchange() throws {
            let (context, _) = try context()
            let (_, other) = try self.context()
            let answer = try GSSAcceptor().accept(other).token
            #expect(throws: GSSError.self) { try context.step(answer) }
        }

        @Test("A token is accepted with its own channel binding", arguments: [binding, nil])
        func channelBinding(server: [UInt8]?) throws {
            let (_, token) = try context(binding: Self.binding)
            // An acceptor without channel bindings does not verify them.
            #expect(try GSSAcceptor(binding: server).accept(token).isBound == (server != nil))
        }

        @Test("A token with another channel binding is refused") func otherChannelBinding() throws {
            let (_, token) = try context(binding: Self.otherBinding)
            let error = #expect(throws: GSSError.self) { try GSSAcceptor(binding: Self.binding).accept(token) }
            #expect(error?.routine == .badBindings)
        }

        @Test("A token without a channel binding is not reported as bound") func noChannelBinding() throws {
            let (_, token) = try context()
            #expect(try !GSSAcceptor(binding: Self.binding).accept(token).isBound)
        }

        @Test("The client's ticket is delegated only if the configuration allows it") func delegation() throws {
            let (_, token) = try context(delegation: .unrestricted)
            #expect(try GSSAcceptor().accept(token).isDelegated)
            // The realm does not mark this service as trusted for delegation.
            let (_, careful) = try context(delegation: .ifRealmTrustsServer)
            #expect(try !GSSAcceptor().accept(careful).isDelegated)
        }

        @Test("A password obtains a separate ticket", arguments: ["bob", "bob@INTEROP.TEST"])
        func password(user: String) throws {
            let password = Secret(try Apache().value("kerberosPassword"))
            let (_, token) = try context(.principal(user, password: password))
            #expect(try GSSAcceptor().accept(token).name == "bob@INTEROP.TEST")
        }

        @Test(
            "A wrong password and an unknown user are errors with a message",
            arguments: [
                ("bob", "Preauthentication failed"), ("mallory", "not found in Kerberos database"),
                ("bob@ELSEWHERE.TEST", "Cannot find KDC for realm"), ("", ""), ("@", ""), ("a@b@c", ""),
            ])
        func refusedPasswords(user: String, words: String) throws {
            let error = #expect(throws: GSSError.self) {
                try context(.principal(user, password: Secret("not it")))
            }
            let text = try #require(error?.text)
            #expect(!text.isEmpty && text.contains(words) && !text.contains("not it"), "\(text)")
        }

        @Test("An unknown service is an error with a message", arguments: ["elsewhere.test", "127.0.0.1", ""])
        func unknownService(host: String) throws {
            let error = #expect(throws: GSSError.self) {
                try SecurityContext(host: host, owner: .currentUser, binding: nil).step(nil)
            }
            #expect(error?.text.isEmpty == false)
        }
    }
#endif
