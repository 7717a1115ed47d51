// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import TestServer
import Testing

/// The number of requests that authentication needs, and requests that must not be sent.
@Suite("The number of requests for authentication") struct RoundTripTests {
    private static let password = Credential.password(
        user: Lab.credentials.user, password: Secret(Lab.credentials.password))

    private func withServer(
        _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply,
        handlers: ChallengeHandlers, methods: MethodPreference = MethodPreference(),
        _ body: (ScriptedServer, HTTPSession, String) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start(reply)
        var configuration = HTTPSession.Configuration(handlers: handlers)
        configuration.methods = methods
        try await withSession(configuration, stopping: [server]) { session async throws in
            try await body(server, session, "http://localhost:\(server.port)/")
        }
    }

    /// Returns a server's reply behind a gate, with further challenges in addition to the gate's.
    private static func guarded(
        by gate: DigestGate, also challenges: [String] = []
    ) -> @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply {
        { request in
            let answer = request.head.headerFields[.authorization]
            let challenge = gate.challenge(
                to: answer, method: request.head.method.rawValue, target: request.head.path ?? "",
                body: LabBody(request.body, hashedFor: gate))
            if let challenge {
                var fields = HTTPFields()
                fields[values: .wwwAuthenticate] = challenges + [challenge]
                return .init(.unauthorized, fields)
            }
            let information = gate.information(about: answer ?? "", responseBody: Array("page".utf8))
            return .init(.ok, information.map { [.authenticationInfo: $0] } ?? [:], body: "page")
        }
    }

    private static let handlers: ChallengeHandlers = [.digest: .closure { _ in .use(password) }]

    @Test(
        "Ten Digest requests in one protection space cost one more request",
        arguments: [DigestHash.md5, .sha256, .sha512Half],
        [DigestGate.Information.nothing, .proof, .proofAndNextNonce])
    func digestCost(hash: DigestHash, information: DigestGate.Information) async throws {
        for quality in ["auth", "auth-int"] {
            let gate = DigestGate(
                realm: "r", accepted: Lab.credentials, hash: hash, quality: quality, information: information)
            try await withServer(Self.guarded(by: gate), handlers: Self.handlers) { server, session, url async throws in
                for number in 0..<10 {
                    let request = SessionRequest(url: url, method: .post, body: .bytes(Array("body \(number)".utf8)))
                    let response = try await session.send(request)
                    #expect(response.status == .ok)
                    #expect(String(buffer: try await response.body.collect(upTo: 100)) == "page")
                }
                #expect(server.requestCount == 11)
            }
        }
    }

    @Test("A response whose server proof is wrong is not delivered", arguments: ["auth", "auth-int"])
    func wrongServerProof(quality: String) async throws {
        let gate = DigestGate(
            realm: "r", accepted: Lab.credentials, hash: .sha256, quality: quality, information: .wrongProof)
        try await withServer(Self.guarded(by: gate), handlers: Self.handlers) { server, session, url async throws in
            for count in [2, 4] {
                do {
                    _ = try await session.get(url)
                    Issue.record("delivered")
                } catch SessionError.authentication(.serverNotProven(let space, let error)) {
                    #expect(space.realm == "r" && error == .wrongServerProof)
                }
                #expect(server.requestCount == count)  // no unauthenticated request the second time
            }
        }
    }

    @Test("Parallel requests use different nonce counts") func nonceCounts() async throws {
        let seen = NIOLockedValueBox<[String]>([])
        try await withServer(
            { request in
                guard let answer = request.head.headerFields[.authorization] else {
                    return .init(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=always, qop=auth"])
                }
                seen.withLockedValue {
                    $0.append(answer.firstRange(of: "nc=").map { String(answer[$0.upperBound...].prefix(8)) } ?? "")
                }
                return .init(.ok, [.authenticationInfo: "nextnonce=\"always\""])
            }, handlers: Self.handlers
        ) { _, session, url async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let status = try await session.get(url).status
                        #expect(status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            #expect(seen.withLockedValue { Set($0).count } == 20)
        }
    }

    @Test("The strongest of several challenges is answered with its own nonce") func strongestChallenge() async throws {
        let gate = DigestGate(realm: "r", accepted: Lab.credentials, hash: .sha512Half)
        let weaker = [
            "Basic realm=\"r\", Digest realm=\"r\", nonce=\"1\", qop=\"auth\"",
            "Digest realm=\"r\", nonce=\"2\", algorithm=SHA-256",
        ]
        let handlers: ChallengeHandlers = [
            .digest: .closure { _ in .use(Self.password) }, .basic: .closure { _ in .cancel },
        ]
        try await withServer(Self.guarded(by: gate, also: weaker), handlers: handlers) {
            server, session, url async throws in
            #expect(try await session.get(url).status == .ok)
            #expect(server.requestCount == 2)
        }
    }

    @Test(
        "After a rejection, a weaker method is used only if the preference allows it",
        arguments: [
            (MethodPreference(), HTTPResponse.Status.unauthorized, ["Digest"]),
            (MethodPreference(allowsWeakerMethodAfterRejection: true), .ok, ["Digest", "Basic"]),
            (MethodPreference(order: [.basic, .digest]), .ok, ["Basic"]),
            (MethodPreference(order: [.scramSHA256]), .unauthorized, []),
        ])
    func weakerMethod(
        methods: MethodPreference, status: HTTPResponse.Status, schemes: [String]
    ) async throws {
        let seen = NIOLockedValueBox<[String]>([])
        let handlers: ChallengeHandlers = [
            .digest: .closure { _ in .use(Self.password) }, .basic: .closure { _ in .use(Self.password) },
        ]
        try await withServer(
            { request in
                let scheme = request.head.headerFields[.authorization].map { String($0.prefix { $0 != " " }) }
                if let scheme { seen.withLockedValue { $0.append(scheme) } }
                guard scheme != "Basic" else { return .init(.ok) }
                // After a rejection the server offers only the weaker method, as an attacker would to get the password.
                let digest = scheme == nil ? "Digest realm=r, nonce=n, qop=auth, " : ""
                return .init(.unauthorized, [.wwwAuthenticate: digest + "Basic realm=r"])
            }, handlers: handlers, methods: methods
        ) { _, session, url async throws in
            let answered = try await session.get(url).status
            #expect(answered == status)
            #expect(seen.withLockedValue { $0 } == schemes)
        }
    }

    @Test("A challenge without a handler or a nonce does not prevent the answer to another")
    func unanswerableMethods() async throws {
        try await withServer(
            { request in
                guard request.head.headerFields[.authorization] == nil else { return .init(.ok) }
                return .init(
                    .unauthorized, [.wwwAuthenticate: "Digest realm=r, Digest realm=r, nonce=n, Basic realm=r"])
            }, handlers: [.basic: .closure { _ in .use(Self.password) }]
        ) { server, session, url async throws in
            #expect(try await session.get(url).status == .ok)
            #expect(server.requestCount == 2)
        }
    }

    @Test(
        "A token that the server reports as invalid is refreshed once",
        arguments: [("fresh", HTTPResponse.Status.ok, 3), ("other", .unauthorized, 3), ("old", .unauthorized, 2)])
    func invalidToken(
        refreshed: String, status: HTTPResponse.Status, requests: Int
    ) async throws {
        let server = NIOLockedValueBox<Int>(0)
        let handler = ChallengeHandlers(
            dictionaryLiteral: (
                .bearer,
                .closure { challenge in
                    let port = server.withLockedValue { $0 }
                    return try await BearerHandler(host: "localhost", port: port, scheme: "http") { demand in
                        Secret(demand.invalidToken == nil ? "old" : refreshed)
                    }.answer(challenge)
                }
            ))
        try await withServer(
            { request in
                switch request.head.headerFields[.authorization] {
                case nil: .init(.unauthorized, [.wwwAuthenticate: "Bearer realm=r"])
                case "Bearer fresh": .init(.ok)
                default: .init(.unauthorized, [.wwwAuthenticate: "Bearer realm=r, error=\"invalid_token\""])
                }
            }, handlers: handler
        ) { scripted, session, url async throws in
            server.withLockedValue { $0 = scripted.port }
            #expect(try await session.get(url).status == status)
            #expect(scripted.requestCount == requests)
            guard status == .ok else { return }
            #expect(try await session.get(url).status == .ok)
            #expect(scripted.requestCount == requests + 1)
        }
    }

    @Test("A challenge that is folded over several lines is answered (RFC 9112 section 5.2)")
    func foldedChallenge() async throws {
        let challenge = ["WWW-Authenticate: Basic", "\trealm=\"a", "  b\""].joined(separator: "\r\n")
        let connection: [TestServer.Behavior] = [
            .receiveHead, .send("HTTP/1.1 401 Unauthorized", challenge, "Content-Length: 0", ""),
            .receiveHead, .send("HTTP/1.1 200 OK", "Content-Length: 0", ""),
        ]
        try await TestServer.with([connection]) { server in
            try await withSession(HTTPSession.Configuration()) { session async throws in
                let request = SessionRequest.get(server.url()).credential(Self.password)
                #expect(try await session.send(request).status == .ok)
            }
        }
    }
}
