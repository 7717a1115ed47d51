// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTransport
import NIOConcurrencyHelpers
import PrivateFiles

/// The route of requests to one origin: their connection route, the proxy with its credential, and the methods that may
/// answer challenges.
final class RequestRoute: Sendable {
    let connection: Route
    let proxy: Proxy?
    /// The authentication methods that may answer the origin's challenges.
    let originMethods: AllowedMethods
    /// The authentication methods that may answer the proxy's challenges.
    let proxyMethods: AllowedMethods

    /// Creates the route according to the policies for the hosts of the origin and of the proxy.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/plainHTTPForbidden(_:)``,
    ///   ``TLSError/versionsExcluded(_:minimum:)``.
    init(
        to url: HTTPURL, under configuration: HTTPSession.Configuration, overriding trust: TrustPolicy?,
        onlyHTTP1: Bool = false, onlyTLS12: Bool = false
    ) throws(SessionError) {
        let versions = configuration.tlsVersions
        var policy = configuration.policies.policy(for: url.endpoint.host)
        if let trust { policy.trust = trust }
        let (target, unixSocket): (HostEndpoint?, String?) =
            switch configuration.connectTargets[url.endpoint] {
            case .unixSocket(let file)?: (nil, try PrivateFile<SessionError>.path(of: file))
            case .endpoint(let endpoint)?: (endpoint, nil)
            case nil: (nil, nil)
            }
        proxy = unixSocket == nil ? configuration.proxies.proxy(for: url) : nil
        originMethods = policy.methods
        let ownMethods = proxy.map { configuration.policies.proxyPolicy(for: $0.endpoint.host).methods } ?? .all
        proxyMethods = (proxy?.methods ?? .all).intersection(ownMethods)
        let usesTunnel =
            proxy.map { proxy in
                proxy.kind == .socks5 || url.scheme == .https || proxy.tunneling == .everyOrigin || target != nil
            } ?? false
        // Without a tunnel, plain http requests for all origins share one connection, and only the proxy's trust
        // matters.
        let endpoint = usesTunnel ? url.endpoint : proxy?.endpoint ?? url.endpoint
        let originTLS = try Self.requirements(
            policy, of: .origin(url.endpoint), usesTLS: url.scheme == .https, onlyTLS12 ? .onlyTLS12 : versions)
        let proxyTLS: TLSRequirements? =
            if let proxy {
                try Self.requirements(
                    Self.policy(of: proxy, in: configuration.policies, overriding: trust), of: .proxy(proxy.endpoint),
                    usesTLS: proxy.usesTLS, versions)
            } else { nil }
        connection = Route(
            endpoint: endpoint, destination: usesTunnel || proxy == nil ? target ?? url.endpoint : endpoint,
            unixSocket: unixSocket, proxy: proxy.map { ProxyServer(endpoint: $0.endpoint, kind: $0.kind) },
            usesTunnel: usesTunnel, httpVersions: onlyHTTP1 ? .onlyHTTP1 : configuration.httpVersions,
            originTLS: originTLS, proxyTLS: proxyTLS, partition: proxy)
    }

    /// Returns whether TLS encrypts requests to the URL, or they do not leave this machine.
    ///
    /// The host of a request over a proxy, or with another connection target, says nothing about where it goes.
    func protects(_ url: HTTPURL) -> Bool {
        url.scheme == .https || connection.unixSocket != nil
            || url.endpoint.host.isLoopback && proxy == nil && connection.destination == url.endpoint
    }

    var usesTunnel: Bool { connection.usesTunnel }
    var usesAbsoluteForm: Bool { connection.usesAbsoluteForm }

    private static func requirements(
        _ policy: ServerPolicy, of peer: SessionError.Peer, usesTLS: Bool, _ versions: HTTPSession.TLSVersions
    ) throws(SessionError) -> TLSRequirements? {
        guard !usesTLS else {
            return TLSRequirements(
                trust: policy.trust, versions: try allowedVersions(of: versions, by: policy, for: peer),
                library: policy.tlsLibrary, allowsLegacy: policy.allowsLegacyTLS,
                usesSystemConfiguration: policy.usesOpenSSLConfiguration)
        }
        guard policy.allowsPlainHTTP else { throw .request(.plainHTTPForbidden(peer)) }
        return nil
    }

    /// Returns the TLS versions that both the session and the policy allow.
    private static func allowedVersions(
        of versions: HTTPSession.TLSVersions, by policy: ServerPolicy, for peer: SessionError.Peer
    ) throws(SessionError) -> HTTPSession.TLSVersions {
        switch (policy.minimumTLSVersion, versions) {
        case (.tls12, _): versions
        case (.tls13, .all), (.tls13, .onlyTLS13): .onlyTLS13
        case (.tls13, .onlyTLS12): throw .tls(.versionsExcluded(peer, minimum: .tls13))
        }
    }

    /// Returns the policy for a proxy.
    ///
    /// A request's trust policy applies to a proxy without its own policy, except for the pins, which are the origin's.
    private static func policy(
        of proxy: Proxy, in policies: DomainPolicies, overriding trust: TrustPolicy?
    ) -> ServerPolicy {
        var policy = policies.proxyPolicy(for: proxy.endpoint.host)
        guard let trust, policies.entry(for: proxy.endpoint.host) == nil else { return policy }
        policy.trust = trust
        policy.trust.pins = []
        return policy
    }
}

/// A cache of the routes of a session, whose configuration never changes.
final class RouteCache: Sendable {
    /// The inputs of a route apart from the configuration.
    private struct Key: Hashable {
        let scheme: HTTPURL.Scheme
        let endpoint: HostEndpoint
        let onlyHTTP1: Bool
        let onlyTLS12: Bool
    }

    private let configuration: HTTPSession.Configuration
    private let routes = NIOLockedValueBox<[Key: RequestRoute]>([:])

    /// The maximum number of routes; above it, all are discarded and computed again when needed.
    private static let limit = 1024

    init(_ configuration: HTTPSession.Configuration) {
        self.configuration = configuration
    }

    /// Returns the route for a URL.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/plainHTTPForbidden(_:)``,
    ///   ``TLSError/versionsExcluded(_:minimum:)``.
    func route(
        to url: HTTPURL, overriding trust: TrustPolicy? = nil, under policies: DomainPolicies? = nil,
        onlyHTTP1: Bool = false, onlyTLS12: Bool = false
    ) throws(SessionError) -> RequestRoute {
        guard trust == nil, policies == nil else {
            var configuration = configuration
            if let policies { configuration.policies = policies }
            return try RequestRoute(
                to: url, under: configuration, overriding: trust, onlyHTTP1: onlyHTTP1, onlyTLS12: onlyTLS12)
        }
        let key = Key(scheme: url.scheme, endpoint: url.endpoint, onlyHTTP1: onlyHTTP1, onlyTLS12: onlyTLS12)
        if let known = routes.withLockedValue({ $0[key] }) { return known }
        let route = try RequestRoute(
            to: url, under: configuration, overriding: nil, onlyHTTP1: onlyHTTP1, onlyTLS12: onlyTLS12)
        routes.withLockedValue { routes in
            if routes.count >= Self.limit { routes.removeAll() }
            routes[key] = route
        }
        return route
    }
}
