// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import TestServer
import Testing
@testable import Countersign
import EssentialFoundation

@Suite("Every failure at a proxy names the proxy") struct ProxyPeerTests {
    private static func error(
        of url: String, through proxy: String, trust: TrustPolicy = TrustPolicy(anchors: .only([]))
    ) async throws -> any Error {
        var configuration = HTTPSession.Configuration(trust: trust, proxy: try Proxy(proxy))
        configuration.idleTimeout = .seconds(4)
        configuration.handshakeTimeout = .seconds(4)
        return try await withSession(configuration) { session async throws in
            do {
                _ = try await session.text(url)
                Issue.record("nothing was thrown")
                return CancellationError()
            } catch {
                return error
            }
        }
    }

    @Test(
        "A failing HTTP proxy is the error's peer, with and without a tunnel",
        arguments: ["http://a.test/", "https://a.test/"],
        [
            (Fault.closed, "connection.lost.response"), (.reset, "connection.lost.response"),
            (.rubbishStatusLine, "response.malformed.statusLine"), (.hugeHeader, "limit.head-size"),
            (.silence, "limit.idle-time.response"),
        ])
    func faults(url: String, fault: (Fault, String)) async throws {
        let server = try await FaultServer.start(fault.0)
        let error = try await Self.error(of: url, through: "http://127.0.0.1:\(server.port)")
        await server.stop()
        #expect(FaultRow.Outcome.name(error) == fault.1)
        #expect("\(error)".lowercased().contains("the proxy 127.0.0.1:\(server.port)"), "\(error)")
    }

    @Test(
        "A proxy that cannot be reached is the error's peer",
        arguments: ["http", "https", "socks5"],
        [("127.0.0.1", "connection.refused"), ("nowhere.invalid", "connection.host-not-found")])
    func unreachable(kind: String, place: (host: String, error: String)) async throws {
        // The system may reassign a port that was just closed, but never port 1.
        let error = try await Self.error(of: "https://a.test/", through: "\(kind)://\(place.host):1")
        #expect(FaultRow.Outcome.name(error) == place.error)
        #expect("\(error)".lowercased().contains("the proxy \(place.host):1"), "\(error)")
    }

    @Test(
        "A proxy that fails in the TLS handshake is the error's peer",
        arguments: [
            ([.receive(5), .send(Array("HTTP/1.1 400 No\r\n\r\n".utf8))], "tls.not-tls"),
            ([.receive(5), .close], "connection.lost.handshake"),
            ([.receive(5)], "limit.idle-time.handshake"),
            ([.receive(5), .send([0x15, 3, 3, 0, 2, 2, 80]), .close], "tls.handshake-failed"),
            ([.receive(5), .send([0x15, 3, 3, 0, 2, 2, 120]), .close], "connection.http-version-not-offered"),
        ] as [([TestServer.Behavior], String)])
    func handshakes(script: [TestServer.Behavior], name: String) async throws {
        try await TestServer.with([script + [.receiveRest]]) { server async throws in
            let error = try await Self.error(of: "https://a.test/", through: "https://127.0.0.1:\(server.port)")
            #expect(FaultRow.Outcome.name(error) == name)
            #expect("\(error)".lowercased().contains("the proxy 127.0.0.1:\(server.port)"), "\(error)")
        }
    }

    @Test("A proxy that is not trusted is the error's peer, and an origin behind a proxy is not")
    func trust() async throws {
        try await withLab { lab async throws in
            let identity = try CertificateAuthority(name: "Stranger", now: Date())
                .issue(.server(names: ["localhost"]), now: Date())
            let proxy = try await ScriptedServer.start(presenting: identity) { _ in .init(.ok) }
            let trust = TrustPolicy(anchors: .only([lab.authority]))
            let atProxy = try await Self.error(
                of: lab[.goodHTTPS].url, through: "https://localhost:\(proxy.port)", trust: trust)
            await proxy.stop()
            let atOrigin = try await Self.error(
                of: lab[.selfSigned].url, through: lab[.proxyOpen].url, trust: trust)
            for (error, role) in [(atProxy, SessionError.Peer.Role.proxy), (atOrigin, .origin)] {
                guard case SessionError.trust(.notTrusted(let peer, _, _)) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(peer.role == role)
            }
        }
    }
}
