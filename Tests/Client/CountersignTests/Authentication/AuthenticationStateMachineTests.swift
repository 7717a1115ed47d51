// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Countersign

@Suite("Authentication state machine")
struct AuthenticationStateMachineTests {
    typealias Step = (event: Event, outcome: String)

    /// An event of a request.
    enum Event: Sendable {
        /// The request is sent; `mayExchange` is `false` during an exchange of the other challenger on its connection.
        case send(mayExchange: Bool = true)
        /// The request is challenged, and the handlers give these answers in order.
        case challenge(String, [SessionEvent.Answer] = [])
        /// The server accepts the request; if it is not `genuine`, it does not know the password.
        case accept(genuine: Bool = true)
        /// The connection is lost, or the response of another challenger replaces this one.
        case lose
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let role: ProtectionSpace.Role
        let own: OwnCredential?
        let allowed: AllowedMethods
        let preference: MethodPreference
        let steps: [Step]

        init(
            _ testDescription: String, role: ProtectionSpace.Role = .origin, own: OwnCredential? = nil,
            allowed: AllowedMethods = .all, preference: MethodPreference = MethodPreference(),
            steps: () -> [Step]
        ) {
            (self.testDescription, self.role, self.own, self.steps) = (testDescription, role, own, steps())
            (self.allowed, self.preference) = (allowed, preference)
        }
    }

    static func password(_ user: String) -> Credential { .password(user: user, password: Secret("password")) }

    static func use(_ users: String...) -> [SessionEvent.Answer] { users.map { .used(password($0)) } }

    static func play(_ row: Row) async throws {
        var scene = try Scene(row)
        for (number, step) in row.steps.enumerated() {
            #expect(try await scene.play(step.event) == step.outcome, "step \(number + 1)")
        }
    }

    // MARK: Rounds of challenge and response

    static let rounds = [
        Row("a request without a challenge") { [(.send(), "nothing"), (.accept(), "")] },
        Row("an accepted answer, which is sent preemptively with the next request") {
            [
                (.send(), "nothing"), (.challenge("Basic realm=r", use("a")), "find basic r, again"), (.send(), "a"),
                (.accept(), "remember a"), (.send(), "a"), (.accept(), "update"),
            ]
        },
        Row("a rejected answer") {
            [
                (.send(), "nothing"), (.challenge("Basic realm=r", use("a")), "find basic r, again"), (.send(), "a"),
                (.challenge("Basic realm=r", use("b")), "forget a in r, find basic r, again"), (.send(), "b"),
                (.accept(), "remember b"),
            ]
        },
        Row("a rejected answer, after which the handler has no other") {
            [
                (.challenge("Basic realm=r", use("a")), "find basic r, again"), (.send(), "a"),
                (.challenge("Basic realm=r", [.performedDefault]), "forget a in r, find basic r, deliver"),
            ]
        },
        Row("a remembered credential that is rejected") {
            [
                (.challenge("Basic realm=r", use("a")), "find basic r, again"), (.send(), "a"),
                (.accept(), "remember a"), (.send(), "a"),
                (.challenge("Basic realm=r", use("b")), "forget a in r, find basic r, again"), (.send(), "b"),
            ]
        },
        Row("rejected answers up to the limit, by a server that changes its realm each time") {
            var steps: [Step] = [(.challenge("Basic realm=r0", use("a")), "find basic r0, again")]
            for realm in 1..<ChallengeResponseBudget.limitPerServer {
                let outcome = "forget a in r\(realm - 1), find basic r\(realm), again"
                steps += [(.send(), "a"), (.challenge("Basic realm=r\(realm)", use("a")), outcome)]
            }
            return steps + [
                (.send(), "a"),
                (.challenge("Basic realm=r5", use("a")), "forget a in r4, find basic r5, deliver"),
            ]
        },
        Row("a handler that cancels") {
            [(.challenge("Digest realm=r, Basic realm=r", [.cancelled]), "find digest r, fail cancellation.challenge")]
        },
        Row("a proxy's answers, which are for the proxy's protection space", role: .proxy) {
            [
                (.send(), "nothing"), (.challenge("Basic realm=r", use("a")), "find basic r, again"), (.send(), "a"),
                (.accept(), "remember a"),
            ]
        },
        Row("a server that does not prove that it knows the password") {
            [
                (.challenge("Digest realm=r", use("a")), "find digest r, again"), (.send(), "a"),
                (.accept(genuine: false), "refuse a, refused"),
            ]
        },
    ]

    @Test("Challenges are answered until the request is accepted or no credential is left", arguments: rounds)
    func playRounds(row: Row) async throws { try await Self.play(row) }

    // MARK: The choice of a challenge

    static let choices = [
        Row("the strongest of several") {
            [(.challenge("Basic realm=r, Digest realm=r", use("a")), "find digest r, again")]
        },
        Row("the next method if the handler rejects the strongest one's space") {
            [
                (
                    .challenge("Basic realm=r, Digest realm=r", [.rejectedProtectionSpace] + use("a")),
                    "find digest r, find basic r, again"
                ),
                (.send(), "a"),
                (
                    .challenge("Basic realm=r, Digest realm=r", [.performedDefault]),
                    "forget a in r, find basic r, deliver"
                ),
            ]
        },
        Row("no weaker method after the strongest one was rejected") {
            [
                (.challenge("Digest realm=r", use("a")), "find digest r, again"), (.send(), "a"),
                (.challenge("Basic realm=r", use("a")), "forget a in r, deliver"),
            ]
        },
        Row(
            "a weaker method after a rejection, if the preference allows it",
            preference: MethodPreference(allowsWeakerMethodAfterRejection: true)
        ) {
            [
                (.challenge("Digest realm=r", use("a")), "find digest r, again"), (.send(), "a"),
                (
                    .challenge("Digest realm=r, Basic realm=r", [.performedDefault] + use("b")),
                    "forget a in r, find digest r, find basic r, again"
                ),
            ]
        },
        Row("the next method if the handler performs the default for the strongest") {
            [
                (
                    .challenge("Basic realm=r, Digest realm=r", [.performedDefault] + use("b")),
                    "find digest r, find basic r, again"
                )
            ]
        },
        Row("the next method, and no weaker challenge of the same space") {
            [
                (
                    .challenge(
                        "Digest realm=r, algorithm=SHA-256, Digest realm=r, Basic realm=r",
                        [.performedDefault] + use("b")),
                    "find digest r, find basic r, again"
                )
            ]
        },
        Row("no method if every handler performs the default") {
            [
                (
                    .challenge("Basic realm=r, Digest realm=r", [.performedDefault, .performedDefault]),
                    "find digest r, find basic r, deliver"
                )
            ]
        },
        Row("no unknown scheme") { [(.challenge("Foo realm=r", use("a")), "deliver")] },
        Row("a known scheme rather than an unknown one") {
            [(.challenge("Foo realm=r, Basic realm=r", use("a")), "find basic r, again")]
        },
        Row("the next method if one cannot be answered") {
            [
                (
                    .challenge("Digest realm=r, flawed=1, Basic realm=r", use("a")),
                    "find digest r, find basic r, again"
                )
            ]
        },
        Row("no method if the only one cannot be answered") {
            [(.challenge("Digest realm=r, flawed=1", use("a")), "find digest r, deliver")]
        },
        Row("an error if the only method of a proxy cannot be answered", role: .proxy) {
            [
                (
                    .challenge("Digest realm=r, flawed=1", use("a")),
                    "find digest r, fail authentication.unanswerable-challenge"
                )
            ]
        },
        Row("no method if the only challenge cannot be read") {
            [(.challenge("Digest: realm=r", use("a")), "deliver")]
        },
        Row("an error if the only challenge of a proxy cannot be read", role: .proxy) {
            [(.challenge("Digest: realm=r", use("a")), "fail authentication.malformed-challenge")]
        },
        Row("a method beside a challenge that cannot be read") {
            [(.challenge("Digest realm=r, realm=s, Basic realm=r", use("a")), "find basic r, again")]
        },
        Row("only an allowed method", allowed: .only(.basic)) {
            [(.challenge("Digest realm=r, Basic realm=r", use("a")), "find basic r, again")]
        },
        Row("no method if none is allowed", allowed: .only(.basic)) {
            [(.challenge("Digest realm=r", use("a")), "deliver, none allowed")]
        },
    ]

    @Test("The strongest allowed challenge is answered", arguments: choices)
    func playChoices(row: Row) async throws { try await Self.play(row) }

    // MARK: Nonces

    static let nonces = [
        Row("a stale nonce, once") {
            [
                (.challenge("Digest realm=r", use("a")), "find digest r, again"), (.send(), "a"),
                (.challenge("Digest realm=r, stale=true"), "renew, again"), (.send(), "a"),
                (.accept(), "remember a"),
            ]
        },
        Row("two stale nonces in a row, of which the second is a rejection") {
            [
                (.challenge("Digest realm=r", use("a")), "find digest r, again"), (.send(), "a"),
                (.challenge("Digest realm=r, stale=true"), "renew, again"), (.send(), "a"),
                (.challenge("Digest realm=r, stale=true", use("b")), "forget a in r, find digest r, again"),
            ]
        },
        Row("a stale nonce in another realm, which is a rejection") {
            [
                (.challenge("Digest realm=r", use("a")), "find digest r, again"), (.send(), "a"),
                (.challenge("Digest realm=s, stale=true", use("b")), "forget a in r, find digest s, again"),
            ]
        },
        Row("a nonce that the server forgot silently after it had accepted the credential") {
            [
                (.challenge("Digest realm=r", use("a")), "find digest r, again"), (.send(), "a"),
                (.accept(), "remember a"), (.send(), "a"), (.challenge("Digest realm=r"), "renew, again"),
                (.send(), "a"), (.accept(), "remember a"),
            ]
        },
    ]

    @Test("A new nonce allows one more attempt with the same credential", arguments: nonces)
    func playNonces(row: Row) async throws { try await Self.play(row) }

    // MARK: Preemptive credentials

    static let preemptiveMethod = OwnCredential(credential: password("own"), preemptiveMethod: .basic)

    static let preemptions = [
        Row("accepted", own: preemptiveMethod) { [(.send(), "own"), (.accept(), "remember own")] },
        Row("rejected by a challenge of the same method", own: preemptiveMethod) {
            [
                (.send(), "own"), (.challenge("Basic realm=r", use("a")), "forget own in r, find basic r, again"),
                (.send(), "a"),
            ]
        },
        Row("not rejected by another method's challenge", own: preemptiveMethod) {
            [
                (.send(), "own"), (.challenge("Digest realm=r", use("own")), "find digest r, again"),
                (.send(), "own"),
            ]
        },
        Row("only once", own: preemptiveMethod) {
            [
                (.send(), "own"), (.challenge("Digest realm=r", [.performedDefault]), "find digest r, deliver"),
                (.send(), "nothing"),
            ]
        },
        Row("not by a method that is not allowed", own: preemptiveMethod, allowed: .only(.digest)) {
            [(.send(), "nothing")]
        },
        Row(
            "not by a method that needs a challenge",
            own: OwnCredential(credential: password("own"), preemptiveMethod: .digest)
        ) { [(.send(), "nothing")] },
        Row(
            "the first NTLM message before a challenge",
            own: OwnCredential(credential: password("own"), preemptiveMethod: .ntlm)
        ) {
            [(.send(), "own, exchanging"), (.accept(), "established"), (.send(), "nothing")]
        },
    ]

    @Test("A request's own credential is sent preemptively", arguments: preemptions)
    func playPreemptions(row: Row) async throws { try await Self.play(row) }

    // MARK: Connections

    /// Authenticates a connection.
    private static func login(_ method: String) -> [Step] {
        [
            (.send(), "nothing"), (.challenge(method, use("a")), "find \(method.lowercased()) nil, again"),
            (.send(), "a, exchanging"), (.challenge("\(method) dG9rZW4="), "again, exchanging"),
            (.send(), "a, exchanging"), (.accept(), "remember a, established"),
        ]
    }

    /// Authenticates a connection for a session without tickets, up to the proof of the password.
    private static let negotiatedNTLM = Array(login("Negotiate").dropLast())

    static let connections = [
        Row(
            "rejected under Negotiate, after which the password is sent by no weaker method, and not again by NTLM",
            preference: MethodPreference().negotiatingNTLM()
        ) {
            negotiatedNTLM + [
                (.challenge("NTLM, Bearer realm=r, Basic realm=r", use("a")), "forget a in nil, deliver, refused")
            ]
        },
        Row(
            "rejected under Negotiate, after which Digest is stronger", preference: MethodPreference().negotiatingNTLM()
        ) {
            negotiatedNTLM + [
                (.challenge("Digest realm=r", use("a")), "forget a in nil, find digest r, again, refused")
            ]
        },
        Row(
            "rejected by NTLM, which is not repeated under Negotiate", preference: MethodPreference().negotiatingNTLM()
        ) {
            Array(login("NTLM").dropLast()) + [
                (.challenge("Negotiate", use("a")), "forget a in nil, deliver, refused")
            ]
        },
        Row("authenticated once, after which requests need no answer") {
            login("NTLM") + [(.send(), "nothing"), (.accept(), "")]
        },
        Row("rejected at the end of the exchange") {
            Array(login("NTLM").dropLast()) + [
                (.challenge("NTLM", use("b")), "forget a in nil, find ntlm nil, again, refused"),
                (.send(), "b, exchanging"),
            ]
        },
        Row("lost during the exchange, which restarts on another connection") {
            Array(login("NTLM").dropLast(3)) + [
                (.lose, "refused"), (.send(), "a, exchanging"), (.challenge("NTLM dG9rZW4="), "again, exchanging"),
                (.send(), "a, exchanging"), (.accept(), "remember a, established"),
            ]
        },
        Row("lost after authentication, so that the next one is authenticated, too") {
            login("NTLM") + [(.lose, ""), (.send(), "a, exchanging")]
        },
        Row("whose authentication an NTLM server has forgotten") {
            login("NTLM") + [
                (.send(), "nothing"), (.challenge("NTLM"), "again"), (.send(), "a, exchanging"),
            ]
        },
        Row("on which every request is challenged") {
            login("Negotiate") + [
                (.send(), "nothing"), (.challenge("Negotiate"), "note, again"), (.send(), "a, exchanging"),
                (.accept(), "remember a, established"), (.send(), "a, exchanging"),
            ]
        },
        Row("that was authenticated by another method than the one offered") {
            login("Negotiate") + [
                (.send(), "nothing"), (.challenge("NTLM", use("b")), "note, find ntlm nil, again"),
                (.send(), "b, exchanging"),
            ]
        },
        Row("with the proxy's exchange in progress, during which the origin receives no answer") {
            [
                (.challenge("NTLM", use("a")), "find ntlm nil, again"), (.send(mayExchange: false), "nothing"),
                (.challenge("NTLM"), "again"), (.send(), "a, exchanging"),
            ]
        },
    ]

    @Test("A scheme that authenticates connections is answered once on each connection", arguments: connections)
    func playConnections(row: Row) async throws { try await Self.play(row) }

    @Test("A proxy and an origin are answered in turn, each with its own credential")
    func proxyAndOrigin() async throws {
        var proxy = try Scene(Row("", role: .proxy) { [] })
        var origin = try Scene(Row("") { [] })
        func expect(proxy proxyAnswer: String, origin originAnswer: String) async throws {
            #expect(try await proxy.play(.send()) == proxyAnswer)
            #expect(try await origin.play(.send()) == originAnswer)
        }
        try await expect(proxy: "nothing", origin: "nothing")
        #expect(try await proxy.play(.challenge("Basic realm=p", Self.use("p"))) == "find basic p, again")
        #expect(try await origin.play(.lose) == "")
        try await expect(proxy: "p", origin: "nothing")
        #expect(try await proxy.play(.accept()) == "remember p")
        #expect(try await origin.play(.challenge("Basic realm=o", Self.use("o"))) == "find basic o, again")
        try await expect(proxy: "p", origin: "o")
        let rejection = Event.challenge("Basic realm=p", Self.use("q"))
        #expect(try await proxy.play(rejection) == "forget p in p, find basic p, again")
        #expect(try await origin.play(.lose) == "")
        try await expect(proxy: "q", origin: "o")
        #expect(try await proxy.play(.accept()) == "remember q")
        #expect(try await origin.play(.accept()) == "remember o")
    }

    @Test("An authenticated connection is reused by requests with the same credential")
    func binding() async throws {
        var scene = try Scene(Row("") { [] })
        for step in Self.login("NTLM") { _ = try await scene.play(step.event) }
        let binding = try #require(scene.connection)
        #expect(scene.machine.mayUse(binding, remembered: scene.memory))
        #expect(!scene.machine.mayUse(binding, remembered: nil))
        let other = BoundUser(space: binding.space, own: nil, credential: Self.password("b"))
        #expect(!scene.machine.mayUse(other, remembered: scene.memory))
        let stranger = BoundUser(space: binding.space, own: Self.password("b"), credential: binding.credential)
        #expect(!scene.machine.mayUse(stranger, remembered: scene.memory))
    }
}
