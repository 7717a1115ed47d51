// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOCore
import X509

/// Servers that respond with the number of the connection, and a session that reaches all of them.
struct PoolScene: Sendable {
    static let mary = LabServer.Credentials(user: "mary", password: "secret")
    static let john = LabServer.Credentials(user: "john", password: "hidden")

    let root: Certificate
    let stranger: Certificate
    let leaf: Certificate
    let https: ScriptedServer
    let otherHTTPS: ScriptedServer
    let http: ScriptedServer
    let basic: ScriptedServer
    let ntlm: ScriptedServer

    /// The number of connections that the servers have accepted.
    var connectionCount: Int {
        [https, otherHTTPS, http, basic, ntlm].map(\.connectionCount).reduce(0, +)
    }

    static func credential(
        _ known: LabServer.Credentials, _ persistence: Credential.Persistence = .session
    ) -> Credential {
        .password(user: known.user, password: Secret(known.password), persistence: persistence)
    }

    static func with(_ body: (PoolScene, HTTPSession) async throws -> Void) async throws {
        let scene = try await start()
        let known = credential(Lab.credentials)
        let session = HTTPSession(
            .init(
                trust: scene.trust(),
                handlers: [.ntlm: .closure { _ in .use(known) }, .basic: .closure { _ in .use(known) }]))
        let result: Result<Void, any Error>
        do { result = .success(try await body(scene, session)) } catch { result = .failure(error) }
        await session.close()
        for server in [scene.https, scene.otherHTTPS, scene.http, scene.basic, scene.ntlm] { await server.stop() }
        try result.get()
    }

    private static func start() async throws -> PoolScene {
        let now = Date()
        let authority = try CertificateAuthority(name: "Pool Root", now: now)
        let identity = try authority.issue(.server(names: ["localhost", "127.0.0.1"]), now: now)
        let reply: @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply = { request in
            .init(.ok, body: "\(request.head.authority ?? "") \(request.connection)")
        }
        return PoolScene(
            root: authority.certificate,
            stranger: try CertificateAuthority(name: "Stranger", now: now).certificate, leaf: identity.certificate,
            https: try await .start(presenting: identity, reply),
            otherHTTPS: try await .start(presenting: identity, reply),
            http: try await .start(reply),
            basic: try await .start { request in
                request.head.headerFields[.authorization] == nil
                    ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"]) : reply(request)
            },
            ntlm: try await .start(
                presenting: identity, behind: NTLMGate(try NTLMTerms(accepted: [Lab.credentials, mary, john])), reply))
    }

    // MARK: Requests

    func trust(_ change: (inout TrustPolicy) -> Void = { _ in }) -> TrustPolicy {
        var policy = TrustPolicy(anchors: .only([root]))
        change(&policy)
        return policy
    }

    func request(
        to server: KeyPath<PoolScene, ScriptedServer> = \.https, scheme: String? = nil, host: String = "localhost",
        as own: LabServer.Credentials? = nil, trust: TrustPolicy? = nil
    ) -> SessionRequest {
        let usual = [\PoolScene.http, \.basic].contains(server) ? "http" : "https"
        var request = SessionRequest(
            url: "\(scheme ?? usual)://\(host):\(self[keyPath: server].port)/", trust: trust)
        request.credential = own.map { Self.credential($0) }
        return request
    }
}

extension HTTPSession {
    /// Returns a server's description of the connection, or `nil` if the server refuses the request.
    func visit(_ request: SessionRequest) async throws -> String? {
        let response = try await send(request)
        let text = String(buffer: try await response.body.collect(upTo: 1000))
        return response.status == .ok ? text : nil
    }
}
