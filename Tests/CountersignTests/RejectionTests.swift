// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What counts as a rejection, of what, and what follows from it.
@Suite struct RejectionTests {
    /// The credential fields of one server, in order, and what answers them.
    private static func answers(
        _ configuration: Session.Configuration, to url: @Sendable (Int) -> [Request],
        _ reply: @escaping @Sendable (String?, String) -> ScriptedServer.Reply
    ) async throws -> (fields: [String?], statuses: [Int], connections: Int) {
        let seen = NIOLockedValueBox<[String?]>([])
        let server = try await ScriptedServer.start { request in
            let field = request.head.headerFields[.authorization]
            seen.withLockedValue { $0.append(field) }
            return reply(field, request.head.path ?? "")
        }
        let session = Session(configuration)
        var statuses: [Int] = []
        for request in url(server.port) {
            let response = try await session.send(request)
            _ = try await response.body.collect(upTo: 1000)
            statuses.append(response.status.code)
        }
        await session.close()
        await server.stop()
        return (seen.withLockedValue { $0 }, statuses, server.connectionCount)
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

    private static func decoded(_ field: String?) -> String? {
        field.flatMap { $0.split(separator: " ").last }
            .flatMap { Data(base64Encoded: String($0)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Someone on the way could reject every proof to be given the password itself; without a realm, too.
    @Test func whoRejectsAProofIsNotGivenThePassword() async throws {
        let result = try await Self.answers(
            .init(handlers: Self.handlers(.scramSHA256, .basic)),
            to: { [Request(url: "http://localhost:\($0)/")] },
            { field, _ in
                guard let field, let data = field.split(separator: "data=").last,
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

    /// A 401 of another space says nothing of what was sent on a guess: it is neither forgotten nor in the way.
    @Test func aWrongGuessOfTheSpaceIsNoRejection() async throws {
        let store = MemoryStore()
        var configuration = Session.Configuration(handlers: [
            .digest: .closure { _ in
                .use(.password(user: "mary", password: Secret("a"), persistence: .permanent))
            },
            .basic: .closure { _ in .use(.password(user: "mary", password: Secret("b"))) },
        ])
        configuration.credentialStore = store
        let result = try await Self.answers(
            configuration,
            to: { port in ["/a", "/b", "/b", "/a"].map { Request(url: "http://localhost:\(port)\($0)") } },
            { field, path in
                let isDigest = path == "/a"
                guard let field, field.hasPrefix(isDigest ? "Digest" : "Basic") else {
                    let challenge = isDigest ? "Digest realm=\"a\", nonce=\"n\", qop=\"auth\"" : "Basic realm=\"b\""
                    return .init(.unauthorized, [.wwwAuthenticate: challenge])
                }
                return .init(.ok)
            })
        #expect(result.statuses == [200, 200, 200, 200])
        #expect(store.contents.count == 1)
    }

    /// The store's password is out of date, and the handler knows the new one: one request is enough.
    @Test func whatAnotherSourceGotWrongIsAnsweredByTheHandler() async throws {
        let seen = NIOLockedValueBox<[String?]>([])
        let server = try await ScriptedServer.start { request in
            let login = Self.decoded(request.head.headerFields[.authorization])
            seen.withLockedValue { $0.append(login) }
            return login == "mary:new" ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
        }
        let store = MemoryStore()
        let space = ProtectionSpace(
            host: try HostName("localhost"), port: server.port, scheme: "http", realm: "r", method: .basic)
        try await store.save(.password(user: "mary", password: Secret("old"), persistence: .permanent), for: space)
        var configuration = Session.Configuration(handlers: [
            .basic: .password(
                user: "mary", password: Secret("new"), host: "localhost", port: server.port, allowsPlainHTTP: true)
        ])
        configuration.credentialStore = store
        let session = Session(configuration)
        #expect(try await session.get("http://localhost:\(server.port)/").status == .ok)
        #expect(seen.withLockedValue { $0 } == [nil, "mary:old", "mary:new"])
        await session.close()
        await server.stop()
    }

    /// A user alone is a name, and no empty password is tried with it.
    @Test func aUserAloneIsNoCredential() async throws {
        let result = try await Self.answers(
            .init(), to: { port in [Request(url: "http://mary@localhost:\(port)/")] },
            { _, _ in .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""]) })
        #expect(result.fields == [nil] && result.statuses == [401])
    }

    /// A user alone in a URL names whom to look for.
    @Test func aUserAloneIsLookedUp() async throws {
        let file = try NetrcFile(
            Array("machine localhost login bob password no\nmachine localhost login mary password yes".utf8))
        let result = try await Self.answers(
            .init(handlers: [.basic: .netrc(file, allowsPlainHTTP: true)]),
            to: { port in [Request(url: "http://mary@localhost:\(port)/")] },
            { field, _ in
                Self.decoded(field) == "mary:yes"
                    ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            })
        #expect(result.statuses == [200])
        #expect(result.fields.map(Self.decoded) == [nil, "mary:yes"])
    }

    /// Whether a password is right is not said by who is overloaded.
    @Test(arguments: [(status: HTTPResponse.Status.ok, kept: 1), (.serviceUnavailable, 0), (.tooManyRequests, 0)])
    func anOutageIsNoAcceptance(status: HTTPResponse.Status, kept: Int) async throws {
        let store = MemoryStore()
        var configuration = Session.Configuration(handlers: [
            .basic: .closure { _ in .use(.password(user: "m", password: Secret("p"), persistence: .permanent)) }
        ])
        configuration.credentialStore = store
        _ = try await Self.answers(
            configuration, to: { [Request(url: "http://localhost:\($0)/")] },
            { field, _ in
                field == nil ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""]) : .init(status)
            })
        #expect(store.contents.count == kept)
    }

    /// CVE-2015-3143: what the user wrote may have authenticated the connection, of which nothing is known here.
    @Test(arguments: [("NTLM TlRMTVNTUAADAAAA", 2), ("Negotiate YII=", 2), ("Basic dTpw", 1)])
    func aConnectionThatTheUserAuthenticatesServesNobodyElse(field: String, connections: Int) async throws {
        let result = try await Self.answers(
            .init(),
            to: { port in
                let url = "http://localhost:\(port)/"
                return [Request(url: url, headerFields: [.authorization: field]), Request(url: url)]
            },
            { _, _ in .init(.ok) })
        #expect(result.fields == [field, nil])
        #expect(result.connections == connections)
    }

    @Test func anAnswerThatCannotBeMadeLeavesNoConnection() async throws {
        let server = try await ScriptedServer.start { _ in
            .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
        }
        let session = Session(
            .init(handlers: [.basic: .closure { _ in .use(.password(user: "a:b", password: Secret(""))) }]))
        for _ in 0..<4 {
            await #expect(throws: SessionError.self) { _ = try await session.get("http://localhost:\(server.port)/") }
        }
        await session.close()
        await server.stop()
        #expect(server.openConnectionCount == 0)
    }
}
