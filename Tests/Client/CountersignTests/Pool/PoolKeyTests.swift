// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

/// Each field of the connection key in which two requests of one session can differ, changed separately.
///
/// ``PoolRouteTests`` covers the fields that belong to the session, and ``PoolAdmissionTests`` the conditions under which
/// a connection was opened. A session has no server name other than the host, no choice of local address, no ALPN
/// protocol but `http/1.1`, no coalescing and no early data, so that those cannot differ.
@Suite struct PoolKeyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let requests: @Sendable (PoolScene) throws -> (first: SessionRequest, second: SessionRequest)

        init(
            _ field: String,
            _ requests: @escaping @Sendable (PoolScene) throws -> (first: SessionRequest, second: SessionRequest)
        ) {
            testDescription = field
            self.requests = requests
        }

        static func trust(
            _ property: String, _ change: @escaping @Sendable (inout TrustPolicy, PoolScene) -> Void
        ) -> Row {
            Row("trust: " + property) { scene in
                (scene.request(), scene.request(trust: scene.trust { change(&$0, scene) }))
            }
        }
    }

    static let rows: [Row] = [
        Row("scheme") { ($0.request(), $0.request(scheme: "http")) },
        Row("scheme, reversed") { ($0.request(to: \.http), $0.request(to: \.http, scheme: "https")) },
        Row("host") { ($0.request(), $0.request(host: "127.0.0.1")) },
        Row("host, without TLS") { ($0.request(to: \.http), $0.request(to: \.http, host: "127.0.0.1")) },
        Row("port") { ($0.request(), $0.request(to: \.otherHTTPS)) },
        .trust("no anchor") { policy, _ in policy.anchors = .only([]) },
        .trust("an additional anchor") { policy, scene in policy.anchors = .only([scene.root, scene.stranger]) },
        .trust("the system's anchors in addition") { policy, scene in policy.anchors = .systemAnd([scene.root]) },
        .trust("profile") { policy, _ in policy.profile = .webPKI },
        .trust("profile, by name") { policy, _ in policy.profile = .privatePKI },
        .trust("pin that the chain meets") { policy, scene in policy.pins = [Pin(of: scene.leaf)] },
        .trust("pin that the chain does not meet") { policy, scene in policy.pins = [Pin(of: scene.stranger)] },
        .trust("revocation, soft") { policy, _ in policy.revocation = .softFail },
        .trust("revocation, hard") { policy, _ in policy.revocation = .hardFail },
        .trust("missing issuers") { policy, _ in policy.missingIssuers = .fetched },
        .trust("first use") { policy, _ in policy.validation = .firstUse },
        .trust("no validation") { policy, _ in policy.validation = .dangerouslyDisabled },
        Row("NTLM, the request's credential") { ($0.request(to: \.ntlm), $0.request(to: \.ntlm, as: PoolScene.mary)) },
        Row("NTLM, another request's credential") {
            ($0.request(to: \.ntlm, as: PoolScene.mary), $0.request(to: \.ntlm, as: PoolScene.john))
        },
        Row("NTLM, the same user by the request") {
            ($0.request(to: \.ntlm), $0.request(to: \.ntlm, as: Lab.credentials))
        },
        Row("NTLM, none by the request") {
            ($0.request(to: \.ntlm, as: PoolScene.mary), $0.request(to: \.ntlm))
        },
        Row("NTLM, a wrong password by the request") {
            (
                $0.request(to: \.ntlm, as: PoolScene.mary),
                $0.request(to: \.ntlm, as: .init(user: PoolScene.mary.user, password: "Secret"))
            )
        },
        Row("NTLM, the request's own field") { scene in
            var request = scene.request(to: \.ntlm)
            request.headerFields[.authorization] = "Bearer token"
            return (scene.request(to: \.ntlm), request)
        },
    ]

    @Test("Requests that differ in one field of the key share no connection", arguments: rows)
    func differentKeys(row: Row) async throws {
        try await PoolScene.with { scene, session async throws in
            let (first, second) = try row.requests(scene)
            let connection = try #require(await session.visit(first))
            let atFirst = scene.connectionCount
            #expect(try await session.visit(first) == connection)
            #expect(scene.connectionCount == atFirst)
            let other = try? await session.visit(second)
            #expect(other == nil || other != connection)
            let then = scene.connectionCount
            #expect(then > atFirst)
            // The first connection stays open for the requests that match its key.
            #expect(try await session.visit(first) == connection)
            #expect(scene.connectionCount == then)
        }
    }

    static let alike: [Row] = [
        Row("nothing") { ($0.request(), $0.request()) },
        Row("the session's policy, set by the request") { ($0.request(), $0.request(trust: $0.trust())) },
        Row("case of the host") { ($0.request(), $0.request(host: "LOCALHOST")) },
        Row("a credential without a challenge") { ($0.request(), $0.request(as: PoolScene.mary)) },
        Row("the credential of requests, not of connections") {
            ($0.request(to: \.basic), $0.request(to: \.basic, as: PoolScene.mary))
        },
        Row("NTLM") { ($0.request(to: \.ntlm), $0.request(to: \.ntlm)) },
        Row("NTLM, an equal credential") {
            ($0.request(to: \.ntlm, as: PoolScene.mary), $0.request(to: \.ntlm, as: PoolScene.mary))
        },
    ]

    @Test("Requests with equal keys share a connection", arguments: alike)
    func equalKeys(row: Row) async throws {
        try await PoolScene.with { scene, session async throws in
            let (first, second) = try row.requests(scene)
            let connection = try #require(await session.visit(first))
            let count = scene.connectionCount
            for request in [second, first] {
                let again = try #require(await session.visit(request))
                #expect(again.split(separator: " ").last == connection.split(separator: " ").last)
            }
            #expect(scene.connectionCount == count)
        }
    }

    /// Through a forwarding proxy, all origins share connections, except those that are bound to a user.
    @Test("Origins behind a plain proxy share connections, unless NTLM authenticated them", arguments: [false, true])
    func proxiedOrigins(isBound: Bool) async throws {
        let gate = NTLMGate(try NTLMTerms(services: ["HTTP/a.test", "HTTP/b.test"]))
        let server = try await ScriptedServer.start(behind: isBound ? gate : nil) { request in
            .init(.ok, body: "\(request.connection)")
        }
        let known = PoolScene.credential(Lab.credentials)
        var configuration = HTTPSession.Configuration(
            handlers: [.ntlm: .closure { _ in .use(known) }], proxy: try Proxy("http://localhost:\(server.port)"))
        configuration.allowsNTLMOverPlainHTTP = true
        let session = HTTPSession(configuration)
        for (host, connection) in [("a", 1), ("b", isBound ? 2 : 1), ("a", 1), ("b", isBound ? 2 : 1)] {
            let visited = try await session.visit(SessionRequest(url: "http://\(host).test/"))
            #expect(visited == "\(connection)")
        }
        await session.close()
        await server.stop()
    }
}
