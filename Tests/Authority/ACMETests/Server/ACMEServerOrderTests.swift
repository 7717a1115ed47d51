// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ACMEServers
import Crypto
import Foundation
import HTTPTypes
import Testing
import X509

@Suite struct ACMEServerOrderTests {
    @Test("An order has one authorization for each name in canonical form") func newOrder() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let names = ["A.example", "a.example", "*.b.example", "192.0.2.1", "2001:DB8::0:1"]
        let response = try await lab.newOrder(names, by: account)
        #expect(response.status == .created)
        let order = try response.decode(ACMEOrder.self)
        #expect(order.status == .pending)
        #expect(order.identifiers.map(\.value) == ["a.example", "*.b.example", "192.0.2.1", "2001:db8::1"])
        #expect(order.authorizations.count == 4)
        #expect(order.certificate == nil && order.error == nil)
        let url = try #require(response.headers[.location])
        #expect(order.finalize == url + "/finalize")
        let expires = try #require(order.expiry)
        #expect(abs(expires.timeIntervalSince(lab.clock.now) - 86_400) < 2)
        let read = try await lab.post("", to: url.belowBase, by: account)
        #expect(try read.decode(ACMEOrder.self) == order)
        #expect(read.headers[.location] == url)
    }

    static let challengesByName: [(String, String, [ACME.ACMEChallenge.Kind], Bool?)] = [
        ("a.example", "a.example", [.http01, .dns01, .tlsALPN01], nil), ("*.a.example", "a.example", [.dns01], true),
        ("192.0.2.1", "192.0.2.1", [.http01, .tlsALPN01], nil),
        ("2001:db8::1", "2001:db8::1", [.http01, .tlsALPN01], nil),
    ]

    @Test("A wildcard is validated by DNS only, and an address never by DNS", arguments: challengesByName)
    func challenges(name: String, value: String, kinds: [ACME.ACMEChallenge.Kind], isWildcard: Bool?) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.order([name], by: account)
        let response = try await lab.post("", to: order.authorization, by: account)
        #expect(response.headers[.retryAfter] == "0")
        let authorization = try response.decode(ACMEAuthorization.self)
        #expect(authorization.status == .pending)
        #expect(authorization.identifier.value == value)
        #expect(authorization.wildcard == isWildcard)
        #expect(authorization.challenges.map(\.type) == kinds)
        #expect(authorization.challenges.allSatisfy { $0.status == .pending })
        let tokens = authorization.challenges.compactMap(\.token)
        #expect(Set(tokens).count == kinds.count)
        #expect(tokens.allSatisfy(KeyAuthorization.isToken))
    }

    static let badOrders: [(String, ACMEProblem.Kind)] = [
        ("{}", .malformed), ("[]", .malformed), ("", .malformed), (#"{"identifiers":[]}"#, .malformed),
        (#"{"identifiers":[{"type":"dns"}]}"#, .malformed),
        (#"{"identifiers":[{"type":"email","value":"a@b.example"}]}"#, .unsupportedIdentifier),
        (#"{"identifiers":[{"type":"dns","value":"a b"}]}"#, .malformed),
        (#"{"identifiers":[{"type":"dns","value":"a.example."}]}"#, .malformed),
        (#"{"identifiers":[{"type":"dns","value":"192.0.2.1"}]}"#, .malformed),
        (#"{"identifiers":[{"type":"ip","value":"a.example"}]}"#, .malformed),
        (#"{"identifiers":[{"type":"dns","value":"*.*.example"}]}"#, .malformed),
        (#"{"identifiers":[{"type":"dns","value":"\#(String(repeating: "a", count: 64)).example"}]}"#, .malformed),
        (#"{"identifiers":[{"type":"dns","value":"www.forbidden.example"}]}"#, .rejectedIdentifier),
        (#"{"identifiers":[{"type":"dns","value":"a.example"}],"notBefore":"2026-01-01T00:00:00Z"}"#, .malformed),
        (#"{"identifiers":[{"type":"dns","value":"a.example"}],"notAfter":"2026-01-01T00:00:00Z"}"#, .malformed),
        (#"{"identifiers":[{"type":"dns","value":"a.example"}],"profile":"none"}"#, .invalidProfile),
        (#"{"identifiers":[{"type":"dns","value":"a.example"}],"replaces":"none"}"#, .malformed),
    ]

    @Test("A refused order leaves no records", arguments: badOrders)
    func refused(payload: String, kind: ACMEProblem.Kind) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        try await lab.post(payload, to: "/new-order", by: account).expect(kind, 400)
        let list = try await lab.post("", to: account.path + "/orders", by: account).decode([String: [String]].self)
        #expect(list == ["orders": []])
    }

    @Test("A wildcard is refused if there is no DNS validator") func wildcard() async throws {
        let lab = try ServerLab(TestValidator(kinds: [.http01, .tlsALPN01]))
        let account = try await lab.account()
        try await lab.newOrder(["*.a.example"], by: account).expect(.rejectedIdentifier, 400)
    }

    @Test("Several wrong names are reported as subproblems, under compound if their types differ") func compound()
        async throws
    {
        let lab = try ServerLab()
        let account = try await lab.account()
        let names = ["a.example", "a.forbidden.example", "b.forbidden.example"]
        let alike = try await lab.newOrder(names, by: account).expect(.rejectedIdentifier, 400)
        #expect(alike.subproblems?.map { $0.identifier?.value } == ["a.forbidden.example", "b.forbidden.example"])
        let mixed = try await lab.newOrder(names + ["a..b"], by: account).expect(.compound, 400)
        #expect(mixed.subproblems?.map(\.type) == [.rejectedIdentifier, .rejectedIdentifier, .malformed])
    }

    @Test("The number of names in an order is limited") func limit() async throws {
        let lab = try ServerLab { $0.maximumIdentifierCount = 3 }
        let account = try await lab.account()
        #expect(try await lab.newOrder(["a.example", "b.example", "c.example"], by: account).status == .created)
        let many = ["a.example", "b.example", "c.example", "d.example"]
        try await lab.newOrder(many, by: account).expect(.malformed, 400)
    }

    @Test("The number of an account's pending orders is limited") func pendingLimit() async throws {
        let lab = try ServerLab { $0.maximumPendingOrderCount = 2 }
        let (account, other) = (try await lab.account(), try await lab.account())
        _ = try await lab.order(["a.example"], by: account)
        _ = try await lab.readyOrder(["b.example"], by: account)
        try await lab.newOrder(["c.example"], by: account).expect(.rateLimited, 429)
        #expect(try await lab.newOrder(["c.example"], by: other).status == .created)
        lab.clock.advance(by: 86_401)
        #expect(try await lab.newOrder(["c.example"], by: account).status == .created)
    }

    @Test("The resources of an account are not found by another account") func otherAccount() async throws {
        let lab = try ServerLab()
        let (account, other) = (try await lab.account(), try await lab.account())
        let order = try await lab.readyOrder(["a.example"], by: account)
        let pending = try await lab.order(["b.example"], by: account)
        let challenge = try await lab.authorization(pending.authorization, of: account).challenges[0].url.belowBase
        let done = try await lab.readyOrder(["c.example"], by: account)
        let final = try await lab.post(ServerLab.csr(["c.example"]), to: done.finalize, by: account)
        let certificate = try #require(try final.decode(ACMEOrder.self).certificate).belowBase
        for (path, payload) in [
            (order.path, ""), (order.finalize, try ServerLab.csr(["a.example"])), (order.authorization, ""),
            (order.authorization, #"{"status":"deactivated"}"#), (challenge, "{}"), (challenge, ""),
            (certificate, ""),
        ] {
            try await lab.post(payload, to: path, by: other).expect(.malformed, 404)
        }
        #expect(try await lab.read(order).order.status == .ready)
        #expect(try await lab.authorization(order.authorization, of: account).status == .valid)
        #expect(try await lab.authorization(pending.authorization, of: account).status == .pending)
    }

    @Test("A POST-as-GET request with a payload is refused") func payload() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        try await lab.post("{}", to: order.path, by: account).expect(.malformed, 400)
        try await lab.post("{}", to: "/certificate/none", by: account).expect(.malformed, 400)
    }

    @Test("An order expires together with its authorizations") func expiry() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let pending = try await lab.order(["a.example"], by: account)
        let ready = try await lab.readyOrder(["b.example"], by: account)
        lab.clock.advance(by: 86_400)
        #expect(try await lab.read(pending).order.status == .invalid)
        #expect(try await lab.read(ready).order.status == .invalid)
        #expect(try await lab.authorization(pending.authorization, of: account).status == .expired)
        // A valid authorization lives longer than its order.
        #expect(try await lab.authorization(ready.authorization, of: account).status == .valid)
        try await lab.post(ServerLab.csr(["b.example"]), to: ready.finalize, by: account).expect(.orderNotReady, 403)
        lab.clock.advance(by: 7 * 86_400)
        #expect(try await lab.authorization(ready.authorization, of: account).status == .expired)
    }

    @Test("Records are removed a day after they expire, but accounts are not") func removal() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        lab.clock.advance(by: 2 * 86_400 - 1)
        try await lab.server.removeExpired()
        #expect(try await lab.read(order).order.status == .invalid)
        lab.clock.advance(by: 2)
        try await lab.server.removeExpired()
        try await lab.post("", to: order.path, by: account).expect(.malformed, 404)
        try await lab.post("", to: order.authorization, by: account).expect(.malformed, 404)
        #expect(try await lab.post("", to: account.path, by: account).status == .ok)
    }
}

@Suite struct ACMEServerReplacementTests {
    static func more(_ certificate: Certificate) throws -> String {
        #","replaces":"\#(try #require(CertificateIdentifier(certificate)))""#
    }

    @Test("A certificate of the account can be replaced by one order") func replaces() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let old = try await lab.issue(["a.example"], by: account)[0]
        let order = try await lab.order(["a.example", "b.example"], Self.more(old), by: account)
        #expect(order.order.replaces == "\(try #require(CertificateIdentifier(old)))")
        try await lab.newOrder(["a.example"], Self.more(old), by: account).expect(.alreadyReplaced, 409)
    }

    @Test("A certificate can be replaced again after its order failed", arguments: [true, false])
    func afterFailure(byExpiry: Bool) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let old = try await lab.issue(["a.example"], by: account)[0]
        let order = try await lab.order(["a.example"], Self.more(old), by: account)
        if byExpiry {
            lab.clock.advance(by: 86_401)
        } else {
            _ = try await lab.post(#"{"status":"deactivated"}"#, to: order.authorization, by: account)
        }
        let response = try await lab.newOrder(["a.example"], Self.more(old), by: account)
        #expect(response.status == .created, "\(response.text)")
    }

    @Test("Another account's certificate cannot be replaced") func otherAccount() async throws {
        let lab = try ServerLab()
        let (account, other) = (try await lab.account(), try await lab.account())
        let old = try await lab.issue(["a.example"], by: account)[0]
        try await lab.newOrder(["a.example"], Self.more(old), by: other).expect(.malformed, 400)
    }

    @Test("A certificate with none of the order's names cannot be replaced") func otherNames() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let old = try await lab.issue(["a.example"], by: account)[0]
        try await lab.newOrder(["b.example"], Self.more(old), by: account).expect(.malformed, 400)
        // The refused order left no replacement record.
        #expect(try await lab.newOrder(["a.example"], Self.more(old), by: account).status == .created)
    }

    @Test("An identifier with another authority's key is unknown") func otherAuthority() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let old = try #require(CertificateIdentifier(try await lab.issue(["a.example"], by: account)[0]))
        let parts = "\(old)".split(separator: ".")
        let more = #","replaces":"\#(Base64URL.encode([UInt8](repeating: 7, count: 20))).\#(parts[1])""#
        try await lab.newOrder(["a.example"], more, by: account).expect(.malformed, 400)
    }

    @Test("An unknown certificate cannot be replaced") func unknown() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let more = #","replaces":"aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE""#
        try await lab.newOrder(["a.example"], more, by: account).expect(.malformed, 400)
    }
}

@Suite struct ACMEServerAuthorizationTests {
    @Test("A valid challenge makes the authorization valid and the order ready") func valid() async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.order(["a.example", "b.example"], by: account)
        let first = try await lab.authorization(order.authorization, of: account)
        let challenge = first.challenges[1]
        let response = try await lab.post("{}", to: challenge.url.belowBase, by: account)
        #expect(response.links.contains("<\(ServerLab.base)\(order.authorization)>;rel=\"up\""))
        #expect(try response.decode(ACME.ACMEChallenge.self).status == .processing)
        #expect(response.headers[.retryAfter] == "0")
        await lab.server.finishValidations()
        let read = try await lab.authorization(order.authorization, of: account)
        #expect(read.status == .valid)
        #expect(read.challenges.map(\.type) == [.dns01])
        #expect(read.challenges[0].status == .valid)
        #expect(read.challenges[0].validated != nil)
        #expect(try await lab.read(order).order.status == .pending)
        try await lab.authorize(order)
        #expect(try await lab.read(order).order.status == .ready)
    }

    @Test("The validator receives the kind, the name, the token and the key authorization") func task() async throws {
        let tasks = Box<[ValidationTask]>([])
        let lab = try ServerLab(TestValidator { task in tasks.change { $0.append(task) } })
        let account = try await lab.account()
        let order = try await lab.order(["*.a.example"], by: account)
        let token = try await lab.authorization(order.authorization, of: account).challenges[0].token
        try await lab.authorize(order)
        let task = try #require(tasks.value.first)
        #expect(tasks.value.count == 1)
        #expect(task.kind == .dns01)
        #expect(task.identifier == ACMEIdentifier("a.example"))
        #expect(task.token == token)
        #expect(task.authorization.text == "\(task.token).\(account.key.publicKey.thumbprint)")
    }

    struct OtherFailure: Error { let secret = "hunter2" }

    static let failures: [(any Error & Sendable, ACMEProblem.Kind, Int)] = [
        (ValidationFailure(.unauthorized, "It is not there."), .unauthorized, 403),
        (ValidationFailure(.connection, "No server answers."), .connection, 400),
        (ValidationFailure(.dns, "No such name."), .dns, 400), (OtherFailure(), .serverInternal, 500),
    ]

    @Test("A failed challenge makes the authorization and the order invalid, with the reason", arguments: 0..<4)
    func invalid(index: Int) async throws {
        let (error, kind, status) = Self.failures[index]
        let lab = try ServerLab(TestValidator { _ in throw error })
        let account = try await lab.account()
        let order = try await lab.readyOrder(["a.example"], by: account)
        #expect(order.order.status == .invalid)
        #expect(order.order.error?.type == kind)
        #expect(order.order.error?.subproblems?.first?.identifier?.value == "a.example")
        let authorization = try await lab.authorization(order.authorization, of: account)
        #expect(authorization.status == .invalid)
        #expect(authorization.challenges.count == 1)
        #expect(authorization.challenges[0].status == .invalid)
        #expect(authorization.challenges[0].error?.type == kind)
        #expect(authorization.challenges[0].error?.status == status)
        let text = try await lab.post("", to: order.authorization, by: account).text
        #expect(!text.contains("hunter2"))
        try await lab.post(ServerLab.csr(["a.example"]), to: order.finalize, by: account)
            .expect(.orderNotReady, 403)
        // The authorization stays invalid, even if the client responds again.
        _ = try await lab.post("{}", to: authorization.challenges[0].url.belowBase, by: account)
        await lab.server.finishValidations()
        #expect(try await lab.authorization(order.authorization, of: account).status == .invalid)
    }

    @Test("A challenge is validated once, even if the client responds several times") func once() async throws {
        let (looks, isOpen) = (Box(0), Box(false))
        let lab = try ServerLab(
            TestValidator { _ in
                looks.change { $0 += 1 }
                while !isOpen.value { try await Task.sleep(for: .milliseconds(5)) }
            })
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        let challenges = try await lab.authorization(order.authorization, of: account).challenges
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<12 {
                group.addTask { _ = try await lab.post("{}", to: challenges[index % 3].url.belowBase, by: account) }
            }
            try await group.waitForAll()
        }
        isOpen.value = true
        await lab.server.finishValidations()
        #expect(looks.value == 1)
        #expect(try await lab.read(order).order.status == .ready)
    }

    @Test("Too many concurrent validations are refused, and can be retried") func limit() async throws {
        let isOpen = Box(false)
        let lab = try ServerLab(
            TestValidator { _ in while !isOpen.value { try await Task.sleep(for: .milliseconds(5)) } }
        ) { $0.maximumValidationCount = 1 }
        let account = try await lab.account()
        let order = try await lab.order(["a.example", "b.example"], by: account)
        var paths: [String] = []
        for url in order.order.authorizations {
            paths.append(try await lab.authorization(url.belowBase, of: account).challenges[0].url.belowBase)
        }
        #expect(try await lab.post("{}", to: paths[0], by: account).status == .ok)
        try await lab.post("{}", to: paths[1], by: account).expect(.rateLimited, 429)
        isOpen.value = true
        await lab.server.finishValidations()
        #expect(try await lab.post("{}", to: paths[1], by: account).status == .ok)
        await lab.server.finishValidations()
        #expect(try await lab.read(order).order.status == .ready)
    }

    @Test("An empty payload reads a challenge, and a response must be an object") func payloads() async throws {
        let lab = try ServerLab(TestValidator(kinds: [.http01]))
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        let path = try await lab.authorization(order.authorization, of: account).challenges[0].url.belowBase
        #expect(try await lab.post("", to: path, by: account).decode(ACME.ACMEChallenge.self).status == .pending)
        for payload in ["[]", "7", "{", "null"] {
            try await lab.post(payload, to: path, by: account).expect(.malformed, 400)
        }
        await lab.server.finishValidations()
        #expect(try await lab.authorization(order.authorization, of: account).status == .pending)
        try await lab.post("{}", to: path.replacing("http-01", with: "dns-01"), by: account).expect(.malformed, 404)
    }

    @Test("A challenge is not validated after its authorization expired") func expired() async throws {
        let looks = Box(0)
        let lab = try ServerLab(TestValidator { _ in looks.change { $0 += 1 } })
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        let path = try await lab.authorization(order.authorization, of: account).challenges[0].url.belowBase
        lab.clock.advance(by: 86_401)
        _ = try await lab.post("{}", to: path, by: account)
        await lab.server.finishValidations()
        #expect(looks.value == 0)
        #expect(try await lab.authorization(order.authorization, of: account).status == .expired)
    }

    @Test("Deactivating an authorization makes its order invalid", arguments: [false, true])
    func deactivate(isValid: Bool) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order =
            try await isValid
            ? lab.readyOrder(["a.example"], by: account) : lab.order(["a.example"], by: account)
        let response = try await lab.post(#"{"status":"deactivated"}"#, to: order.authorization, by: account)
        #expect(try response.decode(ACMEAuthorization.self).status == .deactivated)
        #expect(try await lab.read(order).order.status == .invalid)
        try await lab.post(ServerLab.csr(["a.example"]), to: order.finalize, by: account).expect(.orderNotReady, 403)
        let again = try await lab.post(#"{"status":"deactivated"}"#, to: order.authorization, by: account)
        try again.expect(.malformed, 400)
    }

    @Test("An authorization can be set to deactivated only", arguments: [#"{"status":"valid"}"#, "{}", "[]"])
    func update(payload: String) async throws {
        let lab = try ServerLab()
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        try await lab.post(payload, to: order.authorization, by: account).expect(.malformed, 400)
        #expect(try await lab.authorization(order.authorization, of: account).status == .pending)
    }

    @Test("An authorization that is deactivated during validation stays deactivated") func deactivatedMeanwhile()
        async throws
    {
        let isOpen = Box(false)
        let lab = try ServerLab(
            TestValidator { _ in while !isOpen.value { try await Task.sleep(for: .milliseconds(5)) } })
        let account = try await lab.account()
        let order = try await lab.order(["a.example"], by: account)
        let path = try await lab.authorization(order.authorization, of: account).challenges[0].url.belowBase
        _ = try await lab.post("{}", to: path, by: account)
        _ = try await lab.post(#"{"status":"deactivated"}"#, to: order.authorization, by: account)
        isOpen.value = true
        await lab.server.finishValidations()
        #expect(try await lab.authorization(order.authorization, of: account).status == .deactivated)
        #expect(try await lab.read(order).order.status == .invalid)
    }
}
