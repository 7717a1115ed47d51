// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Crypto
import HTTPTypes
import Identities
import NIOConcurrencyHelpers
import TestServer
import TrustRecipes
import X509

/// Loopback servers with any certificate chain, and a server for the evidence URLs of the certificates.
final class TrustScene: Sendable {
    private struct State {
        var answers: [String: ScriptedServer.Reply] = [:]
        var questions: [HTTPRequest] = []
    }

    private let state = NIOLockedValueBox(State())
    private let servers = NIOLockedValueBox<[ScriptedServer]>([])

    /// The requests to the evidence URLs, in order.
    var questions: [HTTPRequest] { state.withLockedValue { $0.questions } }

    /// Calls a closure with a scene, and closes all servers afterwards.
    static func with(_ body: (TrustScene) async throws -> Void) async throws {
        let scene = TrustScene()
        let state = scene.state
        try await scene.start(nil) { request in
            state.withLockedValue { state in
                state.questions.append(request.head)
                let path = (request.head.method == .post ? "POST " : "") + (request.head.path ?? "")
                return state.answers.first { path.hasPrefix($0.key) }?.value ?? .init(.notFound)
            }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(scene)) } catch { result = .failure(error) }
        for server in scene.servers.withLockedValue({ $0 }) { await server.stop() }
        try result.get()
    }

    /// Returns an evidence URL.
    func place(_ path: String) -> String {
        "http://localhost:\(servers.withLockedValue { $0.first?.port ?? 0 })/\(path)"
    }

    /// Sets the reply of all evidence URLs below a path.
    func answer(_ path: String, _ answer: ScriptedServer.Reply) {
        state.withLockedValue { $0.answers["/" + path] = answer }
    }

    /// Sets the reply of an evidence URL to a POST.
    func answer(_ path: String, posted answer: ScriptedServer.Reply) {
        state.withLockedValue { $0.answers["POST /" + path] = answer }
    }

    /// Starts an https server with a chain, which requests client certificates if authorities are given.
    func serve(_ leaf: TestAuthority, naming authorities: [Certificate]? = nil) async throws -> String {
        let server = try await start(try leaf.identity, naming: authorities) { _ in .init(.ok, body: "hello") }
        return "https://localhost:\(server.port)/"
    }

    /// Starts an HTTP/2 server with a chain; the caller stops the server.
    func serveHTTP2(_ leaf: TestAuthority) async throws -> HTTP2Server {
        try await HTTP2Server.start(presenting: try leaf.identity) { _ in [.respond(200, body: Array("hello".utf8))] }
    }

    @discardableResult
    private func start(
        _ identity: Identity?, naming authorities: [Certificate]? = nil,
        _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
    ) async throws -> ScriptedServer {
        let server = try await ScriptedServer.start(presenting: identity, naming: authorities, reply)
        servers.withLockedValue { $0.append(server) }
        return server
    }
}

extension TestAuthority {
    fileprivate var identity: Identity {
        get throws { try Identity(chain: [certificate], privateKey: .init(key)) }
    }
}
