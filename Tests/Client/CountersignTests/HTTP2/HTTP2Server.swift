// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Countersign
import Identities
import NIOHTTP2
import NIOSSL
import TestServer
import X509
@testable import ChallengeLab
import EssentialFoundation

/// A test server for HTTP/2 over TLS, by default with a certificate of a test authority.
@dynamicMemberLookup
struct HTTP2Server: Sendable {
    typealias Action = TestServer.StreamBehavior
    typealias Script = HTTP2Request.Script

    let authority: Certificate
    let server: TestServer

    var url: String { "https://localhost:\(server.port)/" }

    subscript<Value>(dynamicMember path: KeyPath<TestServer, Value>) -> Value { server[keyPath: path] }

    /// Starts a server, which requests client certificates if `clients` names acceptable issuers.
    static func start(
        offering protocols: [String] = ["h2"], settings: HTTP2Settings = [], presenting identity: Identity? = nil,
        naming clients: [Certificate]? = nil, answersEarly: Bool = false, _ script: @escaping Script
    ) async throws -> HTTP2Server {
        let authority = try CertificateAuthority(name: "HTTP/2 Root", now: Date())
        let identity = try identity ?? authority.issue(.server(names: ["localhost"]), now: Date())
        var tls =
            try clients.map { try LabTLS.configuration(presenting: identity, naming: $0) }
            ?? LabTLS.configuration(presenting: identity)
        tls.applicationProtocols = protocols
        let server = try await TestServer.start(
            tls: NIOSSLContext(configuration: tls),
            repeating: [.http2(settings: settings, answersEarly: answersEarly, script)])
        return HTTP2Server(authority: authority.certificate, server: server)
    }

    func stop() async { await server.stop() }
}

/// Calls a closure with an HTTP/2 server and a session that trusts it.
func withHTTP2(
    offering protocols: [String] = ["h2"], settings: HTTP2Settings = [], naming clients: [Certificate]? = nil,
    answersEarly: Bool = false, change: (inout HTTPSession.Configuration) -> Void = { _ in },
    script: @escaping HTTP2Server.Script, _ body: (HTTP2Server, HTTPSession) async throws -> Void
) async throws {
    let server = try await HTTP2Server.start(
        offering: protocols, settings: settings, naming: clients, answersEarly: answersEarly, script)
    var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only([server.authority])))
    change(&configuration)
    try await server.server.stop {
        try await withSession(configuration) { session in try await body(server, session) }
    }
}
