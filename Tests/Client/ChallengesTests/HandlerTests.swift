// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import Identities
import Secrets
import Testing
import TrustRecipes
import X509

@testable import Challenges

@Suite struct HandlerTests {
    private static func challenge(
        host: String, port: Int = 443, scheme: String = "https", role: ProtectionSpace.Role = .origin,
        rejected: Credential? = nil
    ) throws -> Challenge {
        let space = ProtectionSpace(
            host: try HostName(host), port: port, scheme: scheme, realm: "r", method: .basic, role: role)
        let field = try #require(try HTTPChallenge.parse(["Basic realm=r"]).first)
        return Challenge(
            space: space, failureCount: rejected == nil ? 0 : 1, proposedCredential: rejected, statement: .http(field))
    }

    private static let own = Credential.password(user: "u", password: Secret("p"))

    struct Row: Sendable {
        var host = "a.test"
        var port = 443
        var scheme = "https"
        var role = ProtectionSpace.Role.origin
        var rejected: Credential?
        var isAnswered = false
    }

    @Test(
        "A handler provides its password once, to its own origin",
        arguments: [
            Row(isAnswered: true),
            Row(host: "b.test"),
            Row(port: 8443),
            Row(port: 80, scheme: "http"),
            Row(role: .proxy),
            Row(rejected: own),
            // The rejected credential came from another source than this handler.
            Row(rejected: .password(user: "u", password: Secret("old")), isAnswered: true),
        ])
    func password(row: Row) async throws {
        let handler: any ChallengeHandler = .password(user: "u", password: Secret("p"), host: "A.test")
        let disposition = try await handler.answer(
            Self.challenge(
                host: row.host, port: row.port, scheme: row.scheme, role: row.role, rejected: row.rejected))
        if case .use(let credential) = disposition {
            #expect(row.isAnswered)
            #expect(credential == .password(user: "u", password: Secret("p")))
        } else {
            #expect(!row.isAnswered)
        }
    }

    @Test(
        "A handler for http answers the same host over TLS too, at the same port or at 443 instead of 80",
        arguments: [
            (port: 80, challenger: 80, scheme: "http", isAnswered: true),
            (port: 80, challenger: 443, scheme: "https", isAnswered: true),
            (port: 80, challenger: 80, scheme: "https", isAnswered: true),
            (port: 80, challenger: 8443, scheme: "https", isAnswered: false),
            (port: 8080, challenger: 8080, scheme: "https", isAnswered: true),
            (port: 8080, challenger: 443, scheme: "https", isAnswered: false),
            (port: 443, challenger: 443, scheme: "http", isAnswered: true),
            (port: 443, challenger: 80, scheme: "http", isAnswered: false),
        ])
    func upgrade(port: Int, challenger: Int, scheme: String, isAnswered: Bool) async throws {
        let handlers: [any ChallengeHandler] = [
            .password(user: "u", password: Secret("p"), host: "a.test", port: port, allowsPlainHTTP: true),
            .bearer(host: "a.test", port: port, scheme: "http") { _ in Secret("t") },
        ]
        for handler in handlers {
            let disposition = try await handler.answer(
                Self.challenge(host: "a.test", port: challenger, scheme: scheme))
            if case .use = disposition { #expect(isAnswered) } else { #expect(!isAnswered) }
        }
    }

    @Test(
        "A handler's text is a host, or a host and a port",
        arguments: [
            ("a.test", 443, true), ("A.test.", 443, true), ("a.test", 8443, false),
            ("a.test:8443", 8443, true), ("a.test:8443", 443, false), ("b.test:443", 443, false),
            ("https://a.test", 443, false), ("a.test:", 443, false), ("a.test:0", 443, false), ("", 443, false),
        ])
    func hostAndPort(text: String, port: Int, isAnswered: Bool) async throws {
        let handlers: [any ChallengeHandler] = [
            .password(user: "u", password: Secret("p"), host: text), .currentUser(host: text),
            .bearer(host: text) { _ in Secret("t") },
        ]
        for handler in handlers {
            let disposition = try await handler.answer(Self.challenge(host: "a.test", port: port))
            if case .use = disposition { #expect(isAnswered) } else { #expect(!isAnswered) }
        }
    }

    @Test(
        "An identity is for every port of its host, or for the one that its text names",
        arguments: [
            ("a.test", 443, true), ("a.test", 8443, true), ("a.test:8443", 8443, true), ("a.test:8443", 443, false),
            ("https://a.test", 443, false),
        ])
    func identityPort(text: String, port: Int, isAnswered: Bool) async throws {
        let leaf = try TestAuthority(root: .authority("a")).issue(Recipe())
        let identity = try Identity(chain: [leaf.certificate], privateKey: .init(leaf.key))
        let handler: any ChallengeHandler = .identity(identity, host: text)
        let request = ClientCertificateRequest(acceptableIssuers: nil)
        let disposition = try await handler.answer(
            Challenge(
                space: Self.challenge(host: "a.test", port: port).space, statement: .clientCertificateRequest(request)))
        if case .use = disposition { #expect(isAnswered) } else { #expect(!isAnswered) }
    }

    /// A handler that adds its name to a record of the calls.
    private struct Named: ChallengeHandler {
        let name: String
        let disposition: Disposition
        let calls: Calls

        func answer(_ challenge: Challenge) async throws -> Disposition {
            await calls.add(name)
            return disposition
        }
    }

    private actor Calls {
        private(set) var names: [String] = []

        func add(_ name: String) { names.append(name) }
    }

    @Test(
        "The handlers of a method are asked in order until one does not perform the default",
        arguments: [
            ([.use(own), .cancel], ["a"]), ([.rejectProtectionSpace, .use(own)], ["a"]), ([.cancel, .use(own)], ["a"]),
            ([.performDefault, .use(own), .cancel], ["a", "b"]),
            ([.performDefault, .performDefault, .performDefault], ["a", "b", "c"]), ([], []),
        ] as [([Disposition], [String])])
    func severalHandlers(dispositions: [Disposition], asked: [String]) async throws {
        let calls = Calls()
        var handlers: ChallengeHandlers = [:]
        for (name, disposition) in zip(["a", "b", "c"], dispositions) {
            handlers.append(Named(name: name, disposition: disposition, calls: calls), for: .basic)
        }
        let answer = try await handlers[.basic]?.answer(Self.challenge(host: "a.test"))
        #expect(await calls.names == asked)
        #expect(answer.map { "\($0)" } == dispositions.prefix(asked.count).last.map { "\($0)" })
    }

    @Test("A literal keeps every handler of a method, and an assignment replaces them") func literal() async throws {
        let calls = Calls()
        func named(_ name: String) -> Named { Named(name: name, disposition: .performDefault, calls: calls) }
        var handlers: ChallengeHandlers = [.basic: named("a"), .digest: named("b"), .basic: named("c")]
        _ = try await handlers[.basic]?.answer(Self.challenge(host: "a.test"))
        #expect(await calls.names == ["a", "c"])
        handlers[.basic] = named("d")
        _ = try await handlers[.basic]?.answer(Self.challenge(host: "a.test"))
        #expect(await calls.names == ["a", "c", "d"])
        handlers[.basic] = nil
        #expect(handlers[.basic] == nil && handlers[.digest] != nil)
    }

    /// Each case has the issuers of the identities, the acceptable issuers, and the index of the presented identity.
    @Test(
        "The first identity whose issuer is acceptable is presented to its own host",
        arguments: [
            (of: ["a", "b"], named: ["b"], presented: 1), (["a", "b"], ["b", "a"], 0), (["a", "b"], ["c"], nil),
            (["a", "b"], [], 0), (["a", "b"], nil, 0), (["a", "b"], [" B "], 1), (["a"], ["c"], 0), ([], ["a"], nil),
        ] as [(of: [String], named: [String]?, presented: Int?)])
    func identities(of issuers: [String], named: [String]?, presented: Int?) async throws {
        let identities = try issuers.map { issuer in
            let root = try TestAuthority(root: .authority(issuer))
            let leaf = try root.issue(Recipe())
            return try Identity(chain: [leaf.certificate], privateKey: .init(leaf.key))
        }
        let request = ClientCertificateRequest(
            acceptableIssuers: try named?.map { name in try DistinguishedName { CommonName(name) } })
        let handler: any ChallengeHandler = .identities(identities, host: "A.test")
        for (host, expected) in [("a.test", presented), ("b.test", nil)] {
            let challenge = Challenge(
                space: try Self.challenge(host: host).space, statement: .clientCertificateRequest(request))
            let disposition = try await handler.answer(challenge)
            if case .use(let credential) = disposition {
                #expect(credential == expected.map { .identity(identities[$0]) })
            } else {
                #expect(expected == nil)
            }
        }
    }

    @Test("A chain matches each of its issuers") func acceptableIssuers() throws {
        let root = try TestAuthority(root: .authority("root"))
        let intermediate = try root.issue(.authority("intermediate"))
        let leaf = try intermediate.issue(Recipe())
        let identity = try Identity(
            chain: [leaf.certificate, intermediate.certificate], privateKey: .init(leaf.key))
        for (name, isMet) in [("root", true), ("intermediate", true), ("server", false), ("other", false)] {
            let request = ClientCertificateRequest(acceptableIssuers: [try DistinguishedName { CommonName(name) }])
            #expect(request.isMet(by: identity) == isMet)
        }
    }

    @Test("Printing a credential or a challenge does not reveal the password") func description() throws {
        let credential = Credential.password(user: "u", password: Secret("hunter2"))
        let challenge = Challenge(
            space: try Self.challenge(host: "a.test").space, proposedCredential: credential,
            statement: .clientCertificateRequest(ClientCertificateRequest(acceptableIssuers: nil)))
        var dumped = ""
        dump((credential, challenge), to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), "\(challenge)", dumped] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test("Credentials are compared case-sensitively and by bytes") func equality() {
        let one = Credential.password(user: "u", password: Secret("p"))
        #expect(one != .password(user: "U", password: Secret("p")))
        #expect(one != .password(user: "u", password: Secret("P")))
        #expect(one != .password(user: "u", password: Secret("")))
    }
}
