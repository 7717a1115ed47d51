// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// What a connection depends on before it is opened: two requests share one only where all of this is equal.
///
/// It is held once, however often it is handed on, because every request takes one along everywhere.
final class Route: Sendable {
    let scheme: HTTPURL.Scheme
    let endpoint: Endpoint
    /// Where the connection or the tunnel leads, which is the endpoint unless the session takes a detour.
    let destination: Endpoint
    /// The socket of the file system that the connection leads to, if the session's detour is one; it has no proxy.
    let unixSocket: String?
    let proxy: Proxy?
    /// Whether the proxy is asked for a tunnel, as one of SOCKS always is.
    let usesTunnel: Bool
    /// Whether the proxy is asked for the resource itself, in absolute-form, and not for a tunnel (RFC 9112 section 3.2.2).
    let usesAbsoluteForm: Bool
    /// The authentication methods by which the origin's challenges may be answered.
    let originMethods: AllowedMethods
    /// The authentication methods by which the proxy's challenges may be answered.
    let proxyMethods: AllowedMethods
    /// What the origin is spoken to in.
    let httpVersions: Session.HTTPVersions
    /// `nil` where the origin is spoken to without TLS.
    let originTLS: TLSRequirements?
    /// `nil` without a proxy, and where it is spoken to without TLS.
    let proxyTLS: TLSRequirements?

    /// Finds out what the policies ask of the origin and of the proxy, each by its own host.
    ///
    /// - Throws: ``SessionError/plainHTTPForbidden(_:)``, ``SessionError/tlsVersionsExcluded(_:minimum:)``.
    init(
        to url: HTTPURL, under configuration: Session.Configuration, overriding trust: TrustPolicy?,
        onlyHTTP1: Bool = false
    ) throws(SessionError) {
        let versions = configuration.tlsVersions
        var policy = configuration.policies.policy(for: url.endpoint.host)
        if let trust { policy.trust = trust }
        scheme = url.scheme
        httpVersions = onlyHTTP1 ? .onlyHTTP1 : configuration.httpVersions
        let detour: Endpoint?
        switch configuration.detours[url.endpoint] {
        case .unixSocket(let path)?: (detour, unixSocket) = (nil, path)
        case .endpoint(let endpoint)?: (detour, unixSocket) = (endpoint, nil)
        case nil: (detour, unixSocket) = (nil, nil)
        }
        proxy = unixSocket == nil ? configuration.proxies.proxy(for: url) : nil
        originMethods = policy.methods
        // What the default says of methods speaks of origins, as its pins do.
        let ownMethods = proxy.flatMap { configuration.policies.entry(for: $0.endpoint.host)?.policy.methods } ?? .all
        proxyMethods = (proxy?.methods ?? .all).intersection(ownMethods)
        usesTunnel =
            proxy.map { proxy in
                proxy.kind == .socks5 || url.scheme == .https || proxy.tunneling == .everyOrigin || detour != nil
            } ?? false
        usesAbsoluteForm = proxy != nil && !usesTunnel
        // Without a tunnel, plain http for every origin goes over one connection, and no trust is involved but the proxy's own.
        endpoint = usesTunnel ? url.endpoint : proxy?.endpoint ?? url.endpoint
        destination = usesTunnel || proxy == nil ? detour ?? url.endpoint : endpoint
        originTLS = try Self.requirements(policy, of: .origin(url.endpoint), usesTLS: url.scheme == .https, versions)
        proxyTLS =
            if let proxy {
                try Self.requirements(
                    Self.policy(of: proxy, in: configuration.policies, overriding: trust), of: .proxy(proxy.endpoint),
                    usesTLS: proxy.usesTLS, versions)
            } else { nil }
    }

    /// The far end of HTTP: without a tunnel that is the proxy.
    var peer: SessionError.Peer { usesAbsoluteForm ? .proxy(endpoint) : .origin(endpoint) }

    /// Whether one connection may serve several requests at once.
    var maySpeakHTTP2: Bool {
        httpVersions != .onlyHTTP1 && !usesAbsoluteForm && (originTLS != nil || httpVersions == .onlyHTTP2)
    }

    private static func requirements(
        _ policy: ServerPolicy, of peer: SessionError.Peer, usesTLS: Bool, _ versions: Session.TLSVersions
    ) throws(SessionError) -> TLSRequirements? {
        guard !usesTLS else { return try TLSRequirements(policy, versions: versions, for: peer) }
        guard policy.allowsPlainHTTP else { throw .plainHTTPForbidden(peer) }
        return nil
    }

    /// The policy for a proxy; pins of the fallback are for origins alone.
    private static func policy(
        of proxy: Proxy, in policies: DomainPolicies, overriding trust: TrustPolicy?
    ) -> ServerPolicy {
        if let own = policies.entry(for: proxy.endpoint.host) { return own.policy }
        var policy = policies.fallback
        if let trust { policy.trust = trust }
        policy.trust.pins = []
        return policy
    }
}

extension Route: Hashable {
    static func == (one: Route, other: Route) -> Bool {
        one === other
            || one.scheme == other.scheme && one.endpoint == other.endpoint
                && one.destination == other.destination && one.unixSocket == other.unixSocket
                && one.proxy == other.proxy
                && one.usesTunnel == other.usesTunnel && one.httpVersions == other.httpVersions
                && one.originTLS == other.originTLS && one.proxyTLS == other.proxyTLS
    }

    /// Takes in no more than what differs nearly always.
    func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(endpoint)
    }
}
