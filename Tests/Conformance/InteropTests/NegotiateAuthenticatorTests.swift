// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import Countersign
    import Foundation
    import Negotiate
    import Testing

    /// Tests of the scheme's header fields, as a session uses them, with the system's acceptor as the server.
    @Suite(.kerberos) struct NegotiateAuthenticatorTests {
        private let challenge: HTTPChallenge
        private let binding = ChannelBinding(tlsServerEndPointHash: [UInt8](repeating: 7, count: 32))

        init() throws {
            challenge = try Self.challenge("Negotiate")
        }

        private static func challenge(_ field: String) throws -> HTTPChallenge {
            try #require(try HTTPChallenge.parse([field]).first)
        }

        private static func challenge(_ token: [UInt8]) throws -> HTTPChallenge {
            try challenge("Negotiate " + Data(token).base64EncodedString())
        }

        private var request: RequestFacts {
            RequestFacts(method: "GET", target: "/", host: "localhost", channelBinding: binding)
        }

        private func token(_ field: String) throws -> [UInt8] {
            let words = field.split(separator: " ")
            #expect(words.first == "Negotiate" && words.count == 2)
            return Array(try #require(words.last.flatMap { Data(base64Encoded: String($0)) }))
        }

        /// Returns an authenticator that has answered a challenge, and the server's proof.
        private func answered(
            serverProof: ServerProof = .required
        ) throws -> (HTTPNegotiateAuthenticator, proof: [UInt8]) {
            var authenticator = HTTPNegotiateAuthenticator(serverProof: serverProof)
            let field = try authenticator.authorization(with: .currentUser(), for: request)
            let acceptor = GSSAcceptor(binding: Array("tls-server-end-point:".utf8) + [UInt8](repeating: 7, count: 32))
            let client = try acceptor.accept(try token(field))
            #expect(client.isBound)
            return (authenticator, client.token)
        }

        @Test("The server's proof is accepted") func serverProof() throws {
            var (authenticator, proof) = try answered()
            let good = AcceptedResponse(challenge: try Self.challenge(proof))
            #expect(try !authenticator.receive(good, with: .currentUser()))
        }

        @Test("A wrong server proof is refused", arguments: [ServerProof.required, .checkedIfSent])
        func wrongProof(serverProof: ServerProof) throws {
            var (authenticator, proof) = try answered(serverProof: serverProof)
            proof[proof.count - 1] ^= 1
            let wrong = AcceptedResponse(challenge: try Self.challenge(proof))
            #expect(throws: HTTPAuthenticatorError.wrongServerProof) {
                try authenticator.receive(wrong, with: .currentUser())
            }
        }

        @Test("A missing server proof is refused unless the configuration allows it") func missingProof() throws {
            var (strict, _) = try answered()
            #expect(throws: HTTPAuthenticatorError.wrongServerProof) {
                try strict.receive(AcceptedResponse(), with: .currentUser())
            }
            var (lenient, _) = try answered(serverProof: .checkedIfSent)
            #expect(try !lenient.receive(AcceptedResponse(), with: .currentUser()))
        }

        @Test("A bare challenge and a refusal with a token are rejections") func rejection() throws {
            var (bare, _) = try answered()
            #expect(try !bare.advance(with: challenge, credential: .currentUser()))
            // The server has authenticated the client, but denies access.
            var (known, proof) = try answered()
            #expect(try !known.advance(with: try Self.challenge(proof), credential: .currentUser()))
        }

        @Test("A malformed token is refused", arguments: ["Negotiate !", "Negotiate abc", "Negotiate ===="])
        func malformedTokens(field: String) throws {
            var (authenticator, _) = try answered()
            guard let challenge = try? Self.challenge(field) else { return }
            #expect(throws: HTTPAuthenticatorError.malformedServerMessage) {
                guard try !authenticator.advance(with: challenge, credential: .currentUser()) else { return }
                throw HTTPAuthenticatorError.malformedServerMessage
            }
        }

        @Test("A token that is too long is refused before GSSAPI reads it") func longToken() throws {
            var (authenticator, _) = try answered()
            #expect(throws: HTTPAuthenticatorError.malformedServerMessage) {
                try authenticator.advance(
                    with: try Self.challenge([UInt8](repeating: 0, count: 48_001)), credential: .currentUser())
            }
        }

        @Test(
            "An invalid token is an error with GSSAPI's message",
            arguments: [[UInt8]("NTLMSSP\0".utf8), [0x60], [0xA1, 0x07, 0x30, 0x05, 0xA0, 0x03, 0x0A, 0x01, 0x02]])
        func invalidTokens(token: [UInt8]) throws {
            var (authenticator, _) = try answered()
            do {
                _ = try authenticator.advance(with: try Self.challenge(token), credential: .currentUser())
                Issue.record("went on")
            } catch HTTPAuthenticatorError.mechanism(let text) {
                #expect(!text.isEmpty)
            }
        }

        @Test("A token and a user name with a control character are refused") func unsuitableCredentials() throws {
            var authenticator = HTTPNegotiateAuthenticator()
            #expect(throws: HTTPAuthenticatorError.unsuitableCredential(.negotiate)) {
                try authenticator.authorization(with: .token(Secret("t")), for: request)
            }
            #expect(throws: HTTPAuthenticatorError.controlCharacter(.user)) {
                try authenticator.authorization(
                    with: .password(user: "a\0b", password: Secret("p")), for: request)
            }
        }

        @Test("Without a host no token is sent") func noHost() throws {
            var authenticator = HTTPNegotiateAuthenticator()
            #expect(throws: HTTPAuthenticatorError.self) {
                try authenticator.authorization(
                    with: .currentUser(), for: RequestFacts(method: "GET", target: "/"))
            }
        }
    }
#endif
