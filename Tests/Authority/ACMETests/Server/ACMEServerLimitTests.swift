// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import Crypto
import HTTPTypes
import Testing
import X509

@Suite struct ACMEServerLimitTests {
    private func newAccount(_ lab: ServerLab, _ key: AccountKey? = nil) async throws -> ACMEServerResponse {
        let key = try key ?? AccountKey(.init(P256.Signing.PrivateKey()))
        return try await lab.post("{}", to: "/new-account", by: .key(key))
    }

    private func failing(_ configure: (inout ACMEServer.Configuration) -> Void) throws -> ServerLab {
        try ServerLab(
            TestValidator(look: { _ in throw ValidationFailure(.unauthorized, "The proof is not there.") }),
            configure: configure)
    }

    @Test("The number of new accounts per hour is limited, and existing ones are found") func accounts()
        async throws
    {
        let lab = try ServerLab { $0.maximumHourlyAccountCount = 2 }
        let key = try AccountKey(.init(P256.Signing.PrivateKey()))
        #expect(try await newAccount(lab, key).status == .created)
        #expect(try await newAccount(lab).status == .created)
        let refused = try await newAccount(lab)
        try refused.expect(.rateLimited, 429)
        let wait = try #require(refused.headers[.retryAfter].flatMap(Double.init))
        #expect((1...3_600).contains(wait))
        #expect(try await newAccount(lab, key).status == .ok)
        lab.clock.advance(by: wait)
        #expect(try await newAccount(lab).status == .created)
    }

    @Test("The number of an account's orders per hour is limited, whatever their outcome") func orders() async throws {
        let lab = try failing { $0.maximumHourlyOrderCount = 3 }
        let (account, other) = (try await lab.account(), try await lab.account())
        for name in ["a.example", "b.example", "c.example"] {
            try await lab.authorize(try await lab.order([name], by: account))
        }
        let refused = try await lab.newOrder(["d.example"], by: account)
        try refused.expect(.rateLimited, 429)
        #expect(refused.headers[.retryAfter] != nil)
        #expect(try await lab.newOrder(["d.example"], by: other).status == .created)
        lab.clock.advance(by: 3_600)
        #expect(try await lab.newOrder(["d.example"], by: account).status == .created)
    }

    @Test("After too many failed validations, an account cannot order the name for an hour") func failures()
        async throws
    {
        let lab = try failing { $0.maximumHourlyFailureCount = 2 }
        let (account, other) = (try await lab.account(), try await lab.account())
        for _ in 1...2 { try await lab.authorize(try await lab.order(["a.example"], by: account)) }
        let refused = try await lab.newOrder(["b.example", "a.example"], by: account)
        let problem = try refused.expect(.rateLimited, 429)
        #expect(problem.subproblems?.map(\.identifier?.value) == ["a.example"])
        // A wildcard is authorized by its base domain.
        try await lab.newOrder(["*.a.example"], by: account).expect(.rateLimited, 429)
        #expect(try await lab.newOrder(["b.example"], by: account).status == .created)
        #expect(try await lab.newOrder(["a.example"], by: other).status == .created)
        lab.clock.advance(by: 3_600)
        #expect(try await lab.newOrder(["a.example"], by: account).status == .created)
    }

    @Test("An internal error of the validator does not count as a failed validation") func validatorFails() async throws
    {
        struct Fault: Error {}
        let lab = try ServerLab(TestValidator(look: { _ in throw Fault() })) { $0.maximumHourlyFailureCount = 1 }
        let account = try await lab.account()
        try await lab.authorize(try await lab.order(["a.example"], by: account))
        #expect(try await lab.newOrder(["a.example"], by: account).status == .created)
    }

    @Test("An unused account is removed after a month, and another one after three years") func unused()
        async throws
    {
        let lab = try ServerLab()
        let (unused, used) = (try await lab.account(), try await lab.account())
        _ = try await lab.order(["a.example"], by: used)
        lab.clock.advance(by: 30 * 86_400 - 1)
        try await lab.server.removeExpired()
        #expect(try await lab.post("", to: unused.path, by: unused).status == .ok)
        lab.clock.advance(by: 2)
        try await lab.server.removeExpired()
        try await lab.post("", to: unused.path, by: unused).expect(.accountDoesNotExist, 400)
        lab.clock.advance(by: 2 * 365 * 86_400)
        try await lab.server.removeExpired()
        #expect(try await lab.post("", to: used.path, by: used).status == .ok)
        lab.clock.advance(by: 365 * 86_400)
        try await lab.server.removeExpired()
        try await lab.post("", to: used.path, by: used).expect(.accountDoesNotExist, 400)
    }

    @Test("A body beyond the limit is refused with a problem document") func tooLarge() async throws {
        let lab = try ServerLab()
        let request = ACMEServerRequest(
            method: .post, path: "/new-account", contentType: "application/jose+json", body: nil)
        try await lab.server.respond(to: request).expect(.malformed, 413)
    }
}
