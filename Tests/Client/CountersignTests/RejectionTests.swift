// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import TestServer
import Testing

/// The responses that count as the rejection of a credential, and their consequences.
@Suite struct RejectionTests {
    /// The requests that one server received, in order, and the resulting statuses.
    private struct Record {
        var fields: [String?] = []
        var logins: [String?] = []
        var statuses: [Int] = []
        var connections = 0
    }

    private static func record(
        _ configuration: @Sendable (Int) -> HTTPSession.Configuration, _ requests: @Sendable (Int) -> [SessionRequest],
        _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
    ) async throws -> Record {
        let log = RequestLog()
        let server = try await ScriptedServer.start(recordingIn: log, reply)
        var record = Record()
        record.statuses = try await withSession(configuration(server.port), stopping: [server]) {
            session async throws in
            var statuses: [Int] = []
            for request in requests(server.port) {
                let response = try await session.send(request)
                _ = try await response.body.collect(upTo: 1000)
                statuses.append(response.status.code)
            }
            return statuses
        }
        record.fields = log.requests.map { $0.head.headerFields[.authorization] }
        record.logins = log.requests.map(\.login)
        record.connections = server.connectionCount
        return record
    }

    private static func handlers(_ methods: AuthenticationMethod..., password: String = "right") -> ChallengeHandlers {
        var handlers: ChallengeHandlers = [:]
        for method in methods {
            handlers[method] = .closure { challenge in
                let own = Credential.password(user: "mary", password: Secret(password))
                return challenge.hasRejected(own) ? .performDefault : .use(own)
            }
        }
        return handlers
    }

    /// An attacker could reject every proof in order to receive the password itself, even without a realm.
    @Test("After a rejected SCRAM proof, the password is not sent by Basic")
    func proofRejected() async throws {
        let result = try await Self.record(
            { _ in .init(handlers: Self.handlers(.scramSHA256, .basic)) },
            { [SessionRequest(url: "http://localhost:\($0)/")] },
            { request in
                guard let field = request.head.headerFields[.authorization],
                    let data = field.split(separator: "data=").last,
                    let message = Data(base64Encoded: String(data)).map({ String(decoding: $0, as: UTF8.self) })
                else { return .init(.unauthorized, [.wwwAuthenticate: "SCRAM-SHA-256"]) }
                guard let nonce = message.firstRange(of: ",r=")?.upperBound, message.hasPrefix("n,,") else {
                    return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"x\""])
                }
                let first = Data("r=\(message[nonce...])more,s=AAAA,i=4096".utf8).base64EncodedString()
                return .init(.unauthorized, [.wwwAuthenticate: "SCRAM-SHA-256 sid=a, data=\(first)"])
            })
        #expect(result.statuses == [401])
        #expect(result.fields.count == 3)
        #expect(!result.fields.contains { $0?.hasPrefix("Basic") == true })
    }

    /// Such a 401 says nothing about the preemptive credential, which is neither forgotten nor blocks the response.
    @Test("A 401 of another protection space does not reject a preemptive credential") func wrongSpace() async throws {
        let store = MemoryStore()
        var configuration = HTTPSession.Configuration(handlers: [
            .digest: .closure { _ in
                .use(.password(user: "mary", password: Secret("a"), persistence: .permanent))
            },
            .basic: .closure { _ in .use(.password(user: "mary", password: Secret("b"))) },
        ])
        configuration.credentialStore = store
        let fixed = configuration
        let result = try await Self.record(
            { _ in fixed },
            { port in ["/a", "/b", "/b", "/a"].map { SessionRequest(url: "http://localhost:\(port)\($0)") } },
            { request in
                let isDigest = request.head.path == "/a"
                guard request.head.headerFields[.authorization]?.hasPrefix(isDigest ? "Digest" : "Basic") == true else {
                    let challenge = isDigest ? "Digest realm=\"a\", nonce=\"n\", qop=\"auth\"" : "Basic realm=\"b\""
                    return .init(.unauthorized, [.wwwAuthenticate: challenge])
                }
                return .init(.ok)
            })
        #expect(result.statuses == [200, 200, 200, 200])
        #expect(store.contents.count == 1)
    }

    /// The stored password is outdated and the handler knows the new one, so that one request is enough.
    @Test("After the store's credential is rejected, the handler's is sent in the same request")
    func outdatedStore() async throws {
        let old = Credential.password(user: "mary", password: Secret("old"), persistence: .permanent)
        let result = try await Self.record(
            { port in
                var configuration = HTTPSession.Configuration(handlers: [
                    .basic: .password(
                        user: "mary", password: Secret("new"), host: "localhost", port: port, allowsPlainHTTP: true)
                ])
                configuration.credentialStore = FixedStore(credential: old)
                return configuration
            },
            { [SessionRequest(url: "http://localhost:\($0)/")] },
            { request in
                request.login == "mary:new"
                    ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            })
        #expect(result.statuses == [200])
        #expect(result.logins == [nil, "mary:old", "mary:new"])
    }

    /// Each handler recognizes its own password among all that were rejected.
    @Test("After a handler's password is rejected, the next handler of the method is asked in the same request")
    func severalPasswords() async throws {
        let result = try await Self.record(
            { port in
                var handlers: ChallengeHandlers = [:]
                for password in ["first", "second", "third"] {
                    let handler = PasswordHandler(
                        user: "mary", password: Secret(password), host: "localhost", port: port, allowsPlainHTTP: true)
                    handlers.append(handler, for: .basic)
                }
                return .init(handlers: handlers)
            },
            { [SessionRequest(url: "http://localhost:\($0)/")] },
            { request in
                request.login == "mary:third"
                    ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            })
        #expect(result.statuses == [200])
        #expect(result.logins == [nil, "mary:first", "mary:second", "mary:third"])
    }

    @Test("A method whose handler performs the default does not prevent the next method", arguments: [false, true])
    func defaultOfStrongerMethod(isRejected: Bool) async throws {
        let result = try await Self.record(
            { port in
                .init(handlers: [
                    .digest: isRejected
                        ? .password(
                            user: "mary", password: Secret("wrong"), host: "localhost", port: port,
                            allowsPlainHTTP: true)
                        : .closure { _ in .performDefault },
                    .basic: .password(
                        user: "mary", password: Secret("right"), host: "localhost", port: port, allowsPlainHTTP: true),
                ])
            },
            { [SessionRequest(url: "http://localhost:\($0)/")] },
            { request in
                request.login == "mary:right"
                    ? .init(.ok)
                    : .init(
                        .unauthorized,
                        [.wwwAuthenticate: "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", Basic realm=\"r\""])
            })
        // The password of a weaker method is not sent after the stronger method's password was rejected.
        #expect(result.statuses == [isRejected ? 401 : 200])
        #expect(result.fields.map { $0?.prefix { $0 != " " } } == [nil, isRejected ? "Digest" : "Basic"])
    }

    @Test(
        "The error of a 401 says why its challenge was not answered",
        arguments: [
            ([:], "asks for basic: no credential was given for it."),
            ([.digest: .closure { _ in .performDefault }], "asks for basic: no credential was given for it."),
            ([.basic: .closure { _ in .performDefault }], "no credential was given for localhost:"),
            (
                [.basic: .password(user: "m", password: Secret("p"), host: "localhost")],
                "no credential was given for localhost:"
            ),
            (handlers(.basic, password: "wrong"), "The server rejected the credential for basic."),
        ] as [(ChallengeHandlers, String)])
    func reason(handlers: ChallengeHandlers, reason: String) async throws {
        try await Self.expect(reason, for: "Basic realm=\"r\"", with: handlers)
    }

    @Test("The error of a 401 with an unsupported challenge blames no handler") func unsupportedChallenge() async throws
    {
        try await Self.expect(
            "its algorithm or its quality of protection is not supported",
            for: "Digest realm=\"r\", nonce=\"n\", algorithm=X",
            with: Self.handlers(.digest))
    }

    private static func expect(_ reason: String, for challenge: String, with handlers: ChallengeHandlers) async throws {
        let server = try await ScriptedServer.start { _ in .init(.unauthorized, [.wwwAuthenticate: challenge]) }
        try await withSession(.init(handlers: handlers), stopping: [server]) { session async throws in
            let error = await #expect(throws: SessionError.self) {
                try await session.get("http://localhost:\(server.port)/").expecting(.successful)
            }
            #expect(error?.explanation.reason.contains(reason) == true, "\(String(describing: error))")
        }
    }

    /// A store whose content never changes.
    private struct FixedStore: CredentialStore {
        let credential: Credential

        func read(for space: ProtectionSpace) async throws -> Credential? { credential }
        func save(_ credential: Credential, for space: ProtectionSpace) async throws {}
        func remove(for space: ProtectionSpace) async throws {}
    }

    /// A URL with only a user is not tried with an empty password.
    @Test("A URL with a user and no password sends no credential") func userOnly() async throws {
        let result = try await Self.record(
            { _ in .init() }, { port in [SessionRequest(url: "http://mary@localhost:\(port)/")] },
            { _ in .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""]) })
        #expect(result.fields == [nil] && result.statuses == [401])
    }

    /// A user without a password in a URL selects the credential to look up.
    @Test("A URL's user selects the entry of the netrc file") func netrcLookup() async throws {
        let file = try NetrcFile(
            Array("machine localhost login bob password no\nmachine localhost login mary password yes".utf8))
        let result = try await Self.record(
            { _ in .init(handlers: [.basic: .netrc(file, ports: .every, allowsPlainHTTP: true)]) },
            { port in [SessionRequest(url: "http://mary@localhost:\(port)/")] },
            { request in
                request.login == "mary:yes"
                    ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            })
        #expect(result.statuses == [200])
        #expect(result.logins == [nil, "mary:yes"])
    }

    /// The response of an overloaded server does not prove that the password is correct.
    @Test(
        "A credential is not saved after a 503 or 429 response",
        arguments: [(status: HTTPResponse.Status.ok, stored: 1), (.serviceUnavailable, 0), (.tooManyRequests, 0)])
    func serverErrors(status: HTTPResponse.Status, stored: Int) async throws {
        let store = MemoryStore()
        var configuration = HTTPSession.Configuration(handlers: [
            .basic: .closure { _ in .use(.password(user: "m", password: Secret("p"), persistence: .permanent)) }
        ])
        configuration.credentialStore = store
        let fixed = configuration
        _ = try await Self.record(
            { _ in fixed }, { [SessionRequest(url: "http://localhost:\($0)/")] },
            { request in
                request.login == nil ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""]) : .init(status)
            })
        #expect(store.contents.count == stored)
    }

    /// The caller's field may have authenticated the connection, which the session cannot know (CVE-2015-3143).
    @Test(
        "A connection that was used with the caller's own NTLM or Negotiate field is not shared",
        arguments: [("NTLM TlRMTVNTUAADAAAA", 2), ("Negotiate YII=", 2), ("Basic dTpw", 1)])
    func explicitField(field: String, connections: Int) async throws {
        let result = try await Self.record(
            { _ in .init() },
            { port in
                let url = "http://localhost:\(port)/"
                return [SessionRequest(url: url, headerFields: [.authorization: field]), SessionRequest(url: url)]
            },
            { _ in .init(.ok) })
        #expect(result.fields == [field, nil])
        #expect(result.connections == connections)
    }
}
