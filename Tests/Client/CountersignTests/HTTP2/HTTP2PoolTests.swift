// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import NIOConcurrencyHelpers
import TestServer
import Testing
import X509
@testable import Countersign
import EssentialFoundation

/// The rules of ``PoolKeyTests`` and ``PoolAdmissionTests`` for busy HTTP/2 connections.
///
/// ``EvidenceTests`` covers a changed revocation status, for both versions.
@Suite struct HTTP2PoolTests {
    /// Responds with the number of the connection; a request for `/held` gets no response.
    private static let script: HTTP2Server.Script = { request in
        request.path == "/held" ? [.awaitRequests(.max)] : [.respond(200, body: Array("\(request.connection)".utf8))]
    }

    private static func visit(_ server: HTTP2Server, _ session: HTTPSession, trust: TrustPolicy? = nil) async throws
        -> String
    {
        let response = try await session.send(SessionRequest(url: server.url, trust: trust))
        #expect(response.connection.httpVersion == .http2)
        return try await response.text()
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout TrustPolicy, _ stranger: Certificate, _ own: Certificate) -> Void

        init(
            _ kind: String,
            _ change: @escaping @Sendable (inout TrustPolicy, _ stranger: Certificate, _ own: Certificate) -> Void
        ) {
            (testDescription, self.change) = (kind, change)
        }
    }

    static let rows: [Row] = [
        Row("policy: profile") { policy, _, _ in policy.profile = .webPKI },
        Row("policy: validation") { policy, _, _ in policy.validation = .dangerouslyDisabled },
        Row("policy: first use") { policy, _, _ in policy.validation = .firstUse },
        Row("policy: missing issuers") { policy, _, _ in policy.missingIssuers = .fetched },
        Row("no anchor") { policy, _, _ in policy.anchors = .only([]) },
        Row("an additional anchor") { policy, stranger, own in policy.anchors = .only([own, stranger]) },
        Row("another anchor") { policy, stranger, _ in policy.anchors = .only([stranger]) },
        Row("pin that is met") { policy, _, own in policy.pins = [Pin(of: own)] },
        Row("pin that is not met") { policy, stranger, _ in policy.pins = [Pin(of: stranger)] },
        Row("revocation, soft") { policy, _, _ in policy.revocation = .softFail },
        Row("revocation, hard") { policy, _, _ in policy.revocation = .hardFail },
    ]

    @Test("A request with another trust policy uses another connection", arguments: rows)
    func changedPolicy(row: Row) async throws {
        let stranger = try CertificateAuthority(name: "Stranger", now: Date()).certificate
        try await withHTTP2(script: Self.script) { server, session async throws in
            let held = Task { try await session.get(server.url + "held") }
            #expect(await eventually { server.requestCount == 1 })
            #expect(try await Self.visit(server, session) == "1")
            var policy = TrustPolicy(anchors: .only([server.authority]))
            row.change(&policy, stranger, server.authority)
            let other = try? await Self.visit(server, session, trust: policy)
            #expect(other != "1")
            #expect(server.connectionCount == 2)
            // The first connection stays open for the requests that it may serve.
            #expect(try await Self.visit(server, session) == "1")
            held.cancel()
            _ = await held.result
        }
    }

    /// The session keeps no data about a closed connection.
    @Test("The report of a connection is released when the connection closes", arguments: [true, false])
    func closedConnection(closesServer: Bool) async throws {
        weak var report: SharedReport?
        try await withHTTP2(script: Self.script) { server, session async throws in
            report = try await session.get(server.url).sharedReport
            #expect(report != nil)
            if closesServer {
                await server.stop()
                #expect(await eventually { report == nil })
            }
        }
        #expect(await eventually { report == nil })
    }

    @Test("After an identity is forgotten, a new connection is opened") func forgottenIdentity() async throws {
        let clients = try CertificateAuthority(name: "Clients", now: Date())
        let identity = try clients.issue(.client(name: "mary"), now: Date())
        try await withHTTP2(
            naming: [clients.certificate],
            change: { $0.handlers[.clientCertificate] = .closure { _ in .use(.identity(identity)) } },
            script: Self.script
        ) { server, session async throws in
            let held = Task { try await session.get(server.url + "held") }
            #expect(await eventually { server.requestCount == 1 })
            #expect(try await Self.visit(server, session) == "1")
            let space = ProtectionSpace(
                host: try HostName("localhost"), port: server.port, scheme: "https", realm: nil,
                method: .clientCertificate)
            session.core.memory.forget(.identity(identity), in: space)
            #expect(try await Self.visit(server, session) == "2")
            #expect(try await Self.visit(server, session) == "2")
            held.cancel()
            _ = await held.result
        }
    }

    /// If a person accepts a chain for one request, no other request shares the connection, even in parallel.
    @Test(
        "A connection with an accepted chain is shared only if the acceptance is remembered",
        arguments: [(Credential.Persistence.session, 1), (.none, 3)])
    func acceptedChain(
        persistence: Credential.Persistence, connections: Int
    ) async throws {
        let asked = NIOLockedValueBox(0)
        try await withHTTP2(
            change: { configuration in
                configuration.trust.anchors = .only([])
                configuration.handlers[.serverTrust] = .closure { challenge in
                    guard case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
                    asked.withLockedValue { $0 += 1 }
                    return .use(.serverTrust(chain, persistence: persistence))
                }
            }, script: Self.script
        ) { server, session async throws in
            let held = Task { try await session.get(server.url + "held") }
            #expect(await eventually { server.requestCount == 1 })
            for _ in 0..<2 { _ = try await Self.visit(server, session) }
            #expect(server.connectionCount == connections)
            #expect(asked.withLockedValue { $0 } == connections)
            held.cancel()
            _ = await held.result
        }
    }
}
