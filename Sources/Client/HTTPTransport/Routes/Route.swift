// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The route of a connection, which is known before it is opened.
///
/// Two requests share a connection only if their routes are equal.
///
/// It is a class, because every request passes it through all layers.
package final class Route: Sendable {
    /// The server that receives the HTTP requests: the origin, or the proxy that is asked for resources themselves.
    package let endpoint: Endpoint
    /// The endpoint that the connection or the tunnel leads to; ``endpoint``, unless the owner replaces it by another one.
    package let destination: Endpoint
    /// The path of the socket that the connection leads to instead, without a proxy; `nil` for none.
    package let unixSocket: String?
    /// The proxy between this machine and the destination; `nil` for none.
    package let proxy: ProxyServer?
    /// Whether the proxy is asked for a tunnel, as a proxy of SOCKS always is.
    package let usesTunnel: Bool
    /// The versions of HTTP that may be used with the origin.
    package let httpVersions: HTTPVersions
    /// What the origin must satisfy in its TLS handshake; `nil` without TLS.
    package let originTLS: TLSRequirements?
    /// What the proxy must satisfy in its TLS handshake; `nil` without a proxy, and without TLS to the proxy.
    package let proxyTLS: TLSRequirements?
    /// What else the owner keeps connections apart by, such as the proxy's credential.
    private let partition: (any Hashable & Sendable)?
    /// Of what differs nearly always, found out once.
    private let hash: Int

    package init(
        endpoint: Endpoint, destination: Endpoint, unixSocket: String?, proxy: ProxyServer?, usesTunnel: Bool,
        httpVersions: HTTPVersions, originTLS: TLSRequirements?, proxyTLS: TLSRequirements?,
        partition: (any Hashable & Sendable)? = nil
    ) {
        (self.endpoint, self.destination, self.unixSocket) = (endpoint, destination, unixSocket)
        (self.proxy, self.usesTunnel) = (proxy, usesTunnel)
        (self.httpVersions, self.originTLS, self.proxyTLS) = (httpVersions, originTLS, proxyTLS)
        self.partition = partition
        hash = endpoint.hashValue
    }

    /// Whether the proxy is asked for resources themselves, in absolute-form (RFC 9112 section 3.2.2).
    package var usesAbsoluteForm: Bool { proxy != nil && !usesTunnel }

    /// The server that receives the HTTP requests.
    package var peer: ConnectionPeer { usesAbsoluteForm ? .proxy(endpoint) : .origin(endpoint) }

    /// Whether one connection may serve several requests at once.
    package var maySpeakHTTP2: Bool {
        httpVersions != .onlyHTTP1 && !usesAbsoluteForm && (originTLS != nil || httpVersions == .onlyHTTP2)
    }
}

extension Route: Hashable {
    package static func == (one: Route, other: Route) -> Bool {
        one === other
            || one.endpoint == other.endpoint && one.destination == other.destination
                && one.unixSocket == other.unixSocket && one.proxy == other.proxy
                && one.usesTunnel == other.usesTunnel && one.httpVersions == other.httpVersions
                && one.originTLS == other.originTLS && one.proxyTLS == other.proxyTLS
                && one.partition.map { AnyHashable($0) } == other.partition.map { AnyHashable($0) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

/// The properties of a proxy that a connection depends on.
package struct ProxyServer: Hashable, Sendable {
    /// The host and port at which the proxy listens.
    package let endpoint: Endpoint
    /// The protocol of the proxy.
    package let kind: ProxyKind

    package init(endpoint: Endpoint, kind: ProxyKind) {
        (self.endpoint, self.kind) = (endpoint, kind)
    }
}

/// The protocol of a proxy.
public enum ProxyKind: String, Hashable, Sendable {
    /// HTTP, without TLS.
    case http
    /// HTTP over TLS.
    case https
    /// SOCKS 5 (RFC 1928), without TLS: everyone on the way to the proxy can read the password, and requests to origins of `http`.
    ///
    /// Only the proxy resolves the names of destinations.
    case socks5
}
