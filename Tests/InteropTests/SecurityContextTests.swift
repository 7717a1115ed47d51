// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import Countersign
    import Negotiate
    import Testing

    /// The client's tokens, made with tickets of a real KDC and judged by the system's own acceptor.
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

        @Test func bothSidesAreProven() throws {
            let (context, token) = try context()
            let client = try GSSAcceptor().accept(token)
            #expect(client.name == "alice@INTEROP.TEST")
            #expect(!client.isDelegated)
            let end = try context.step(client.token)
            #expect(end.isComplete && end.isMutual && end.token == nil)
        }

        /// From the end: the authenticator, which the session's key protects, and before it the ticket.
        @Test(arguments: [1, 40, 400])
        func aTamperedTokenIsRefused(place: Int) throws {
            var (_, token) = try context()
            token[token.count - place] ^= 1
            #expect(throws: GSSError.self) { try GSSAcceptor().accept(token) }
        }

        @Test(arguments: [1, 20, 60])
        func aTamperedProofOfTheServerIsRefused(place: Int) throws {
            let (context, token) = try context()
            var answer = try GSSAcceptor().accept(token).token
            answer[answer.count - place] ^= 1
            #expect(throws: GSSError.self) { try context.step(answer) }
        }

        @Test func theProofOfAnotherExchangeIsRefused() throws {
            let (context, _) = try context()
            let (_, other) = try self.context()
            let answer = try GSSAcceptor().accept(other).token
            #expect(throws: GSSError.self) { try context.step(answer) }
        }

        @Test(arguments: [binding, nil])
        func aTokenFitsTheChannelThatItWasMadeFor(server: [UInt8]?) throws {
            let (_, token) = try context(binding: Self.binding)
            // An acceptor that knows no channel does not look.
            #expect(try GSSAcceptor(binding: server).accept(token).isBound == (server != nil))
        }

        @Test func aTokenOfAnotherChannelIsRefused() throws {
            let (_, token) = try context(binding: Self.otherBinding)
            let error = #expect(throws: GSSError.self) { try GSSAcceptor(binding: Self.binding).accept(token) }
            #expect(error?.routine == .badBindings)
        }

        @Test func withoutAChannelNothingClaimsToBeBound() throws {
            let (_, token) = try context()
            #expect(try !GSSAcceptor(binding: Self.binding).accept(token).isBound)
        }

        @Test func theClientsTicketIsHandedOverOnlyWhereThatIsSaid() throws {
            let (_, token) = try context(delegation: .unrestricted)
            #expect(try GSSAcceptor().accept(token).isDelegated)
            // Nobody has marked this service as trusted.
            let (_, careful) = try context(delegation: .whereRealmTrustsServer)
            #expect(try !GSSAcceptor().accept(careful).isDelegated)
        }

        @Test(arguments: ["bob", "bob@INTEROP.TEST"])
        func aPasswordFetchesTicketsOfItsOwn(user: String) throws {
            let password = Secret(try Apache().value("kerberosPassword"))
            let (_, token) = try context(.principal(user, password: password))
            #expect(try GSSAcceptor().accept(token).name == "bob@INTEROP.TEST")
        }

        @Test(arguments: [
            ("bob", "Preauthentication failed"), ("nobody", "not found in Kerberos database"),
            ("bob@ELSEWHERE.TEST", "Cannot find KDC for realm"), ("", ""), ("@", ""), ("a@b@c", ""),
        ])
        func aWrongPasswordOrAnUnknownUserIsAnErrorWithWords(user: String, words: String) throws {
            let error = #expect(throws: GSSError.self) {
                try context(.principal(user, password: Secret("not it")))
            }
            let text = try #require(error?.text)
            #expect(!text.isEmpty && text.contains(words) && !text.contains("not it"), "\(text)")
        }

        @Test(arguments: ["elsewhere.test", "127.0.0.1", ""])
        func aServiceThatTheRealmDoesNotKnowIsAnErrorWithWords(host: String) throws {
            let error = #expect(throws: GSSError.self) {
                try SecurityContext(host: host, owner: .currentUser, binding: nil).step(nil)
            }
            #expect(error?.text.isEmpty == false)
        }
    }
#endif
