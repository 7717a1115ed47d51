// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import Identities
import NIOConcurrencyHelpers
import Testing
import X509

/// Several servers request a client certificate, and each receives the one that is configured for it.
@Suite struct HostIdentityTests {
    /// Origin servers by host name, with a client identity for each host and for the proxy.
    private struct Scene {
        static let hosts = ["one.test", "two.test"]

        let authority: CertificateAuthority
        let clients: [String: Identity]
        let origins: [String: ScriptedServer]
        let connectTargets: [HostEndpoint: ConnectTarget]

        init() async throws {
            let authority = try CertificateAuthority(name: "Hosts Root", now: Date())
            var (clients, origins, connectTargets) = (
                [:] as [String: Identity], [:] as [String: ScriptedServer], [:] as [HostEndpoint: ConnectTarget]
            )
            for host in Self.hosts + ["localhost"] {
                clients[host] = try authority.issue(.client(name: "client of " + host), now: Date())
            }
            for host in Self.hosts {
                let server = try await ScriptedServer.start(
                    presenting: try authority.issue(.server(names: [host]), now: Date()),
                    naming: [authority.certificate]
                ) { _ in .init(.ok) }
                origins[host] = server
                connectTargets[HostEndpoint(host: try HostName(host), port: 443)] = .endpoint(
                    HostEndpoint(host: try HostName("localhost"), port: server.port))
            }
            (self.authority, self.clients, self.origins, self.connectTargets) = (
                authority, clients, origins, connectTargets
            )
        }

        /// A handler that asks the identity handlers of all hosts in turn.
        var handler: ClosureHandler {
            let handlers = clients.map { IdentityHandler($0.value, host: $0.key) }
            return .closure { challenge in
                for handler in handlers {
                    if case .use(let credential) = try await handler.answer(challenge) { return .use(credential) }
                }
                return .performDefault
            }
        }
    }

    enum ProxyKind: Sendable, CaseIterable {
        case direct
        case httpProxy
        case httpsProxy
        case socks
    }

    /// With an https proxy, three servers request a certificate: the proxy and both origins.
    @Test(
        "Each host is presented its own identity, whatever the proxy", arguments: ProxyKind.allCases,
        [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13])
    func identities(proxyKind: ProxyKind, versions: HTTPSession.TLSVersions) async throws {
        let scene = try await Scene()
        let recorder = Recorder()
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: .only([scene.authority.certificate])),
            handlers: [.clientCertificate: scene.handler])
        configuration.connectTargets = scene.connectTargets
        configuration.tlsVersions = versions
        configuration.observer = recorder.note
        let proxy = try await proxy(proxyKind, scene)
        configuration.proxy = try proxy.map { try Proxy("\($0.scheme)://localhost:\($0.server.port)") }
        let servers = Array(scene.origins.values) + [proxy?.server].compactMap(\.self)
        try await withSession(configuration, stopping: servers) { session async throws in
            for host in Scene.hosts + Scene.hosts { #expect(try await session.text("https://\(host)/").status == 200) }
        }
        let presented = recorder.connections.map { $0.tls?.clientCertificate }
        #expect(presented == Scene.hosts.map { scene.clients[$0]?.certificate })
        let asked = recorder.presentedIdentities
        #expect(asked["localhost"] == (proxyKind == .httpsProxy ? [scene.clients["localhost"]?.certificate] : nil))
        for host in Scene.hosts { #expect(asked[host] == [scene.clients[host]?.certificate]) }
    }

    private func proxy(_ proxyKind: ProxyKind, _ scene: Scene) async throws -> (scheme: String, server: ScriptedServer)?
    {
        switch proxyKind {
        case .direct: return nil
        case .httpProxy: return ("http", try await .startProxy(behind: nil))
        case .httpsProxy:
            let identity = try scene.authority.issue(.server(names: ["localhost"]), now: Date())
            return (
                "https",
                try await .startProxy(presenting: identity, naming: [scene.authority.certificate], behind: nil)
            )
        case .socks: return ("socks5", try await .startSOCKS())
        }
    }
}

extension Recorder {
    /// The distinct certificates that were presented to each host.
    fileprivate var presentedIdentities: [String: Set<Certificate?>] {
        var found: [String: Set<Certificate?>] = [:]
        for (challenge, answer) in challenges where challenge.space.method == .clientCertificate {
            guard case .used(let credential) = answer, case .identity(let identity) = credential.kind else { continue }
            found[challenge.space.host.description, default: []].insert(identity.certificate)
        }
        return found
    }
}
