// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import NIOCore
import TLSTransport
import Testing
import X509
@testable import Countersign
@testable import HTTPTransport
import EssentialFoundation

/// Each field of the connection key that belongs to the session.
///
/// Sessions share no connections, so the tests look up other keys in the pool of a session with one connection.
@Suite struct PoolRouteTests {
    /// The values from which the configurations are made.
    struct Setting: Sendable {
        let lab: Lab
        let url: HTTPURL
        let anchors: [Certificate]
        let proxyPort: Int

        /// A connect target for the same server by another name.
        var connectTargets: [HostEndpoint: ConnectTarget] {
            get throws {
                [url.endpoint: .endpoint(HostEndpoint(host: try HostName("127.0.0.1"), port: url.endpoint.port))]
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether the origin can be reached with this configuration.
        let reaches: Bool
        let change: @Sendable (inout HTTPSession.Configuration, Setting) throws -> Void

        init(
            _ field: String, reaches: Bool = true,
            _ change: @escaping @Sendable (inout HTTPSession.Configuration, Setting) throws -> Void
        ) {
            testDescription = field
            self.reaches = reaches
            self.change = change
        }

        static func proxy(
            _ field: String, _ url: @escaping @Sendable (Setting) -> String, as own: Credential? = nil,
            preemptiveMethod: AuthenticationMethod? = nil, reaches: Bool = true, policy: ServerPolicy? = nil,
            tunneling: Proxy.Tunneling = .encryptedOrigins, hasTarget: Bool = false
        ) -> Row {
            Row("proxy: " + field, reaches: reaches) { configuration, setting in
                var proxy = try Proxy(url(setting))
                (proxy.credential, proxy.preemptiveMethod) = (own, preemptiveMethod)
                proxy.tunneling = tunneling
                configuration.proxy = proxy
                if hasTarget { configuration.connectTargets = try setting.connectTargets }
                guard var policy else { return }
                policy.trust.anchors = configuration.trust.anchors
                configuration.policies.set(.init(domain: proxy.endpoint.host, policy: policy))
            }
        }
    }

    private static let known = PoolScene.credential(Lab.credentials)
    private static let open: @Sendable (Setting) -> String = { $0.lab[.proxyOpen].url }
    private static let basic: @Sendable (Setting) -> String = { $0.lab[.proxyBasic].url }
    private static let socks: @Sendable (Setting) -> String = { $0.lab[.proxySOCKS].url }
    private static let secure: @Sendable (Setting) -> String = { "https://127.0.0.1:\($0.proxyPort)" }

    /// The configurations that make no difference for an origin without TLS.
    static let tlsRows: [Row] = [
        Row("TLS 1.2 alone") { configuration, _ in configuration.tlsVersions = .onlyTLS12 },
        Row("TLS 1.3 by the policy") { configuration, _ in
            configuration.policies.fallback.minimumTLSVersion = .tls13
        },
        Row("OpenSSL", reaches: TLSLibrary.openSSL.isAvailable) { configuration, _ in
            configuration.policies.fallback.tlsLibrary = .openSSL
        },
        Row("BoringSSL, and OpenSSL if needed") { configuration, _ in
            configuration.policies.fallback.tlsLibrary = .automatic
        },
        Row("leniency", reaches: TLSLibrary.openSSL.isAvailable) { configuration, _ in
            configuration.policies.fallback.allowsLegacyTLS = true
        },
        Row("HTTP/1.1 alone") { configuration, _ in configuration.httpVersions = .onlyHTTP1 },
        Row("anchors") { configuration, setting in configuration.trust.anchors = .systemAnd(setting.anchors) },
    ]

    static let rows: [Row] = [
        Row("nothing") { _, _ in },
        Row("target") { configuration, setting in configuration.connectTargets = try setting.connectTargets },
        .proxy("open", open),
        .proxy("open, a target", open, hasTarget: true),
        Row("target to a socket", reaches: false) { configuration, setting in
            configuration.connectTargets = [setting.url.endpoint: .unixSocket(URL(filePath: "/nowhere"))]
        },
        .proxy("SOCKS", socks),
        .proxy("SOCKS, a target", socks, hasTarget: true),
        .proxy("SOCKS, another name", { "socks5://127.0.0.1:\($0.lab[.proxySOCKS].port)" }),
        .proxy("SOCKS, a credential", socks, as: known),
        .proxy("SOCKS, another credential", socks, as: PoolScene.credential(PoolScene.mary)),
        .proxy("SOCKS, another port", { $0.lab[.proxySOCKSPassword].url }, as: known),
        .proxy("HTTP to the same port", { "http://localhost:\($0.lab[.proxySOCKS].port)" }, reaches: false),
        .proxy("open, a tunnel to every origin", open, tunneling: .everyOrigin),
        .proxy("open, another name", { "http://127.0.0.1:\($0.lab[.proxyOpen].port)" }),
        .proxy("open, a credential", open, as: known),
        .proxy("open, another credential", open, as: PoolScene.credential(PoolScene.mary)),
        .proxy("another port", basic, reaches: false),
        .proxy("another port, a credential", basic, as: known),
        .proxy("another persistence", basic, as: PoolScene.credential(Lab.credentials, .permanent)),
        .proxy("sent preemptively", basic, as: known, preemptiveMethod: .basic),
        .proxy("without TLS", { "http://127.0.0.1:\($0.proxyPort)" }, as: known, reaches: false),
        .proxy("with TLS", secure, as: known),
        .proxy("with TLS, another name", { "https://localhost:\($0.proxyPort)" }, as: known),
        .proxy(
            "with TLS, its own profile", secure, as: known,
            policy: ServerPolicy(trust: TrustPolicy(profile: .privatePKI))),
        .proxy("with TLS, its own versions", secure, as: known, policy: ServerPolicy(minimumTLSVersion: .tls13)),
    ]

    /// The test compares every configuration with every other.
    @Test(
        "A connection serves only the configuration that opened it",
        arguments: [(LabServer.Kind.goodHTTPS, rows + tlsRows), (.plainHTTP, rows)])
    func configurations(origin: LabServer.Kind, rows: [Row]) async throws {
        let authority = try CertificateAuthority(name: "Proxy Root", now: Date())
        let proxy = try await ScriptedServer.startProxy(
            presenting: try authority.issue(.server(names: ["localhost", "127.0.0.1"]), now: Date()),
            behind: DigestGate(realm: "p", accepted: Lab.credentials, hash: .sha256))
        try await withLab { lab async throws in
            let url = try HTTPURL.parse(lab[origin].url).0
            let setting = Setting(
                lab: lab, url: url, anchors: [lab.authority, authority.certificate], proxyPort: proxy.port)
            let keys = try rows.map { row in
                var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only(setting.anchors)))
                try row.change(&configuration, setting)
                return (row, configuration, try RequestRoute(to: url, under: configuration, overriding: nil).connection)
            }
            for (row, configuration, route) in keys {
                let session = HTTPSession(configuration)
                let isReached = (try? await session.text(lab[origin].url).status) == 200
                #expect(isReached == row.reaches, "\(row.testDescription)")
                for (other, _, otherRoute) in keys where other.testDescription != row.testDescription {
                    let taken = await session.core.pool.idleConnection(for: otherRoute)
                    #expect(taken == nil, "\(row.testDescription) for \(other.testDescription)")
                }
                let taken = await session.core.pool.idleConnection(for: route)
                // A refusal whose body was read completely leaves a connection, too.
                #expect(taken != nil || !isReached, "\(row.testDescription)")
                taken?.channel.close(promise: nil)
                await session.close()
            }
        }
        await proxy.stop()
    }
}

extension ConnectionPool {
    /// Leases a connection in a cancelled task, so that it does not wait, and returns the connection if it was idle.
    fileprivate func idleConnection(for route: Route) async -> HTTPConnection? {
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let lease = try? await lease(route, delegate: AcceptingDelegate())
            return lease?.isReused == true ? lease?.connection : nil
        }.value
    }
}

/// A delegate that accepts every connection and opens none.
private struct AcceptingDelegate: LeaseDelegate {
    struct Unexpected: Error {}

    let acceptsPlainConnections = true
    let prefersAuthenticatedConnections = false

    func fitness(of connection: HTTPConnection) -> HTTPConnection.Fitness { .usable }
    func connectionOpened(_ connection: HTTPConnection) {}
    func openTunnel(to target: HostEndpoint, over connection: HTTPConnection) async throws { throw Unexpected() }
    func socksLogin() async throws -> (login: SOCKSLogin, wasKnown: Bool) { throw Unexpected() }
    func socksLoginAccepted() {}
    func socksLoginRejected() async throws {}

    func handshakeDelegate(for peer: ConnectionPeer, record: PeerRecord) -> any HandshakeDelegate {
        Refusal()
    }

    private final class Refusal: HandshakeDelegate {
        var allowsResumption: Bool { false }

        func knownIdentity() -> PresentedIdentity? { nil }
        func trustsImmediately(_ credentials: TLSServerCredentials) -> Bool { false }
        func handshakeAdvanced() {}
        func evaluateTrust(_ credentials: TLSServerCredentials) async throws { throw Unexpected() }
        func identity(for request: TLSIdentityRequest) async throws -> PresentedIdentity? { nil }
        func handshakeCompleted() async throws {}
    }
}
