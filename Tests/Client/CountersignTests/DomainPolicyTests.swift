// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Testing

@testable import Countersign
@testable import HTTPTransport

@Suite struct DomainPolicyTests {
    /// Returns policies with one entry; the lab's names `localhost` and `127.0.0.1` count as two domains.
    private static func policies(
        _ host: String, _ policy: ServerPolicy,
        fallback: ServerPolicy = ServerPolicy(trust: TrustPolicy(anchors: .only([])))
    ) throws -> DomainPolicies {
        DomainPolicies(fallback: fallback, entries: [.init(domain: try HostName(host), policy: policy)])
    }

    private static func trusting(_ lab: Lab) -> ServerPolicy {
        ServerPolicy(trust: TrustPolicy(anchors: .only([lab.authority])))
    }

    @Test("An entry applies to its own domain only") func ownDomain() async throws {
        try await withLab { lab async throws in
            for (domain, isTrusted) in [("localhost", true), ("127.0.0.1", false)] {
                let policies = try Self.policies(domain, Self.trusting(lab))
                try await withSession(lab, change: { $0.policies = policies }) { session async throws in
                    if isTrusted {
                        #expect(try await session.text(lab[.goodHTTPS].url).status == 200)
                    } else {
                        await #expect(throws: SessionError.self) { try await session.text(lab[.goodHTTPS].url) }
                    }
                }
            }
        }
    }

    @Test("The configuration's trust policy is the fallback's trust policy") func fallback() async throws {
        let trust = TrustPolicy(anchors: .only([]), revocation: .hardFail)
        var configuration = HTTPSession.Configuration(trust: trust)
        #expect(configuration.policies == DomainPolicies(fallback: ServerPolicy(trust: trust)))
        configuration.policies.fallback.minimumTLSVersion = .tls13
        configuration.trust = TrustPolicy()
        #expect(configuration.policies.fallback == ServerPolicy(minimumTLSVersion: .tls13))
    }

    @Test("If plain HTTP is forbidden, the request fails before a connection is opened")
    func plainHTTP() async throws {
        try await withLab { lab async throws in
            let policies = try Self.policies("localhost", ServerPolicy(allowsPlainHTTP: false))
            try await withSession(lab, change: { $0.policies = policies }) { session async throws in
                let error = await #expect(throws: SessionError.self) { try await session.text(lab[.plainHTTP].url) }
                guard case .request(.plainHTTPForbidden(let endpoint)) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(endpoint.port == lab[.plainHTTP].port)
                #expect(lab.requestCount(.plainHTTP) == 0)
                // The policy does not apply to the other domain.
                let other = lab[.plainHTTP].url.replacing("localhost", with: "127.0.0.1")
                #expect(try await session.text(other).status == 200)
            }
        }
    }

    @Test(
        "A redirect to forbidden plain HTTP is not followed",
        arguments: [(host: "localhost", isFollowed: false), ("127.0.0.1", true)])
    func redirect(host: String, isFollowed: Bool) async throws {
        try await withLab { lab async throws in
            var policy = Self.trusting(lab)
            policy.allowsPlainHTTP = false
            let policies = try Self.policies("localhost", policy)
            let target = lab[.plainHTTP].url.replacing("localhost", with: host)
            let change = { (configuration: inout HTTPSession.Configuration) in
                (configuration.policies, configuration.allowsRedirectsToPlainHTTP) = (policies, true)
            }
            try await withSession(lab, change: change) { session async throws in
                let url = lab[.goodHTTPS].url("/redirect-to?url=" + target)
                let status = try? await session.text(url).status
                #expect(status == (isFollowed ? 200 : nil))
            }
            #expect(lab.requestCount(.goodHTTPS) == 1)
            #expect(lab.requestCount(.plainHTTP) == (isFollowed ? 1 : 0))
        }
    }

    @Test("A trust policy of the request does not permit plain HTTP") func requestTrust() async throws {
        try await withLab { lab async throws in
            let policies = try Self.policies("localhost", ServerPolicy(allowsPlainHTTP: false))
            try await withSession(lab, change: { $0.policies = policies }) { session async throws in
                await #expect(throws: SessionError.self) {
                    try await session.text(lab[.plainHTTP].url, trust: TrustPolicy(validation: .dangerouslyDisabled))
                }
            }
            #expect(lab.requestCount(.plainHTTP) == 0)
        }
    }

    @Test(
        "The policy of a proxy's domain applies to the proxy",
        arguments: [(domain: "localhost", isReached: false), ("127.0.0.1", true)])
    func proxy(domain: String, isReached: Bool) async throws {
        try await withLab { lab async throws in
            var policy = Self.trusting(lab)
            policy.allowsPlainHTTP = false
            let policies = try Self.policies(domain, policy, fallback: Self.trusting(lab))
            let proxy = try Proxy(lab[.proxyOpen].url)
            try await withSession(lab, proxy: proxy, change: { $0.policies = policies }) { session async throws in
                let url = lab[.goodHTTPS].url.replacing("localhost", with: "127.0.0.1")
                #expect((try? await session.text(url).status) == (isReached ? 200 : nil))
            }
            #expect((lab.requestCount(.proxyOpen) > 0) == isReached)
        }
    }

    @Test("The minimum TLS version is negotiated, and one that the session excludes is an error")
    func minimumVersion() async throws {
        try await withLab { lab async throws in
            var policy = Self.trusting(lab)
            policy.minimumTLSVersion = .tls13
            let policies = try Self.policies("localhost", policy)
            let recorder = Recorder()
            try await withSession(lab, recorder: recorder, change: { $0.policies = policies }) { session async throws in
                #expect(try await session.text(lab[.goodHTTPS].url).status == 200)
            }
            #expect(recorder.connections.map(\.tls?.version) == ["TLSv1.3"])
            let contradiction = { (configuration: inout HTTPSession.Configuration) in
                configuration.policies = policies
                configuration.tlsVersions = .onlyTLS12
            }
            try await withSession(lab, change: contradiction) { session async throws in
                let error = await #expect(throws: SessionError.self) { try await session.text(lab[.goodHTTPS].url) }
                guard case .tls(.versionsExcluded(_, minimum: .tls13)) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            #expect(lab.requestCount(.goodHTTPS) == 1)
        }
    }

    typealias Versions = HTTPSession.TLSVersions

    @Test(
        "The TLS versions offered are those that the policy and the session both allow",
        arguments: [
            (minimum: ServerPolicy.TLSVersion.tls12, allowed: Versions.all, result: Versions?.some(.all)),
            (.tls12, .onlyTLS12, .onlyTLS12),
            (.tls12, .onlyTLS13, .onlyTLS13),
            (.tls13, .all, .onlyTLS13),
            (.tls13, .onlyTLS13, .onlyTLS13),
            (.tls13, .onlyTLS12, nil),
        ])
    func commonVersions(
        minimum: ServerPolicy.TLSVersion, allowed: Versions, result: Versions?
    ) throws {
        var configuration = HTTPSession.Configuration(
            policies: DomainPolicies(fallback: ServerPolicy(minimumTLSVersion: minimum)))
        configuration.tlsVersions = allowed
        let route = try? RequestRoute(to: try HTTPURL("https://a.test/"), under: configuration, overriding: nil)
        #expect(route?.connection.originTLS?.versions == result)
    }

    @Test(
        "Connections are shared only if the policies of all TLS servers are equal",
        arguments: ["https://a.test/", "http://a.test/"], [nil, "https://proxy.test:1", "http://proxy.test:1"])
    func sharedConnections(url: String, proxy: String?) throws {
        let url = try HTTPURL(url)
        let proxy = try proxy.map { (text: String) throws in try Proxy(text) }
        func route(_ host: String, _ change: (inout ServerPolicy) -> Void) throws -> Route {
            var policy = ServerPolicy()
            change(&policy)
            let configuration = HTTPSession.Configuration(policies: try Self.policies(host, policy), proxy: proxy)
            return try RequestRoute(to: url, under: configuration, overriding: nil).connection
        }
        let changes: [(inout ServerPolicy) -> Void] = [
            { $0.minimumTLSVersion = .tls13 }, { $0.trust.anchors = .only([]) }, { $0.trust.revocation = .hardFail },
        ]
        for change in changes {
            for (host, usesTLS) in [("a.test", url.scheme == .https), ("proxy.test", proxy?.usesTLS == true)] {
                #expect(try (route(host, change) == route(host) { _ in }) == !usesTLS)
            }
        }
    }

    @Test("Pins of the fallback apply to origins, and pins of an entry to its domain") func pins() throws {
        let pin = try Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        let pinned = ServerPolicy(trust: TrustPolicy(pins: [pin]))
        let url = try HTTPURL("https://a.test/")
        let proxy = try Proxy("https://proxy.test:1")
        let byFallback = HTTPSession.Configuration(policies: DomainPolicies(fallback: pinned), proxy: proxy)
        let route = try RequestRoute(to: url, under: byFallback, overriding: nil).connection
        #expect(route.originTLS?.trust.pins == [pin])
        #expect(route.proxyTLS?.trust.pins == [])
        let byEntry = HTTPSession.Configuration(
            policies: try Self.policies("proxy.test", pinned, fallback: ServerPolicy()), proxy: proxy)
        let other = try RequestRoute(to: url, under: byEntry, overriding: nil).connection
        #expect(other.originTLS?.trust.pins == [])
        #expect(other.proxyTLS?.trust.pins == [pin])
    }
}
