// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Secrets
import Testing

@testable import CommandSession

@Suite struct NegotiateHandlerTests {
    /// Returns the answer to a Negotiate challenge of an origin or of a proxy.
    private static func answer(
        of handlers: ChallengeHandlers, to host: String, role: ProtectionSpace.Role = .origin
    ) async throws -> Disposition? {
        let space = ProtectionSpace(
            host: try HostName(host), port: 443, scheme: "https", realm: nil, method: .negotiate, role: role)
        let challenge = Challenge(space: space, statement: .http(HTTPChallenge(method: .negotiate)))
        return try await handlers[.negotiate]?.answer(challenge)
    }

    private static func handlers(
        _ host: String, user: String? = nil, proxyUser: String? = nil
    ) throws -> OriginHandlers {
        OriginHandlers(
            host: try HostName(host), port: 443, usesTLS: true,
            origin: .init(user: user, password: user.map { _ in Secret("secret") }),
            proxy: .init(user: proxyUser, password: proxyUser.map { _ in Secret("secret") }), token: nil, netrc: nil,
            identities: [], prompter: nil)
    }

    @Test("With tickets, a proxy gets neither a ticket nor a password by Negotiate", arguments: [true, false])
    func proxy(sendsTickets: Bool) async throws {
        var handlers = try Self.handlers("a.test", user: "mary", proxyUser: "paul")
        handlers.sendsTickets = sendsTickets
        switch try await Self.answer(of: handlers.handlers, to: "proxy.test", role: .proxy) {
        case .rejectProtectionSpace: #expect(sendsTickets)
        case .use(let credential):
            #expect(!sendsTickets && credential == .password(user: "paul", password: Secret("secret")))
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test("A password answers Negotiate at each origin that has one, whichever the order", arguments: [0, 1])
    func severalOrigins(first: Int) async throws {
        let origins = [try Self.handlers("a.test"), try Self.handlers("b.test", user: "mary")]
        let handlers = OriginHandlers.handlers(of: first == 0 ? origins : origins.reversed())
        guard case .use(let credential) = try await Self.answer(of: handlers, to: "b.test") else {
            Issue.record("Negotiate has no answer.")
            return
        }
        #expect(credential == .password(user: "mary", password: Secret("secret")))
    }
}
