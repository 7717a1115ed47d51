// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The route of a connection, which is known before it is opened.
///
/// Two requests share a connection only if their routes are equal.
///
/// It is a class because every request passes it through all layers, so that copies must be cheap.
package final class Route: Sendable {
    /// The server that receives the HTTP requests: the origin, or a forwarding proxy.
    package let endpoint: HostEndpoint
    /// The endpoint to which the connection or the tunnel leads; it equals ``endpoint`` unless the owner replaces it.
    package let destination: HostEndpoint
    /// The path of a Unix domain socket that replaces the destination, without a proxy; `nil` for none.
    package let unixSocket: String?
    /// The proxy between this machine and the destination; `nil` for none.
    package let proxy: ProxyServer?
    /// Whether the connection uses a tunnel through the proxy, as it always does with SOCKS.
    package let usesTunnel: Bool
    /// The HTTP versions that may be used with the origin.
    package let httpVersions: HTTPVersions
    /// The TLS requirements for the origin; `nil` without TLS.
    package let originTLS: TLSRequirements?
    /// The TLS requirements for the proxy; `nil` without a proxy, and without TLS to the proxy.
    package let proxyTLS: TLSRequirements?
    /// A further value by which the owner separates connections, such as the proxy's credential.
    private let partition: (any Hashable & Sendable)?
    /// The hash of the endpoint, which nearly always distinguishes routes; computed once.
    private let hash: Int

    package init(
        endpoint: HostEndpoint, destination: HostEndpoint, unixSocket: String?, proxy: ProxyServer?, usesTunnel: Bool,
        httpVersions: HTTPVersions, originTLS: TLSRequirements?, proxyTLS: TLSRequirements?,
        partition: (any Hashable & Sendable)? = nil
    ) {
        (self.endpoint, self.destination, self.unixSocket) = (endpoint, destination, unixSocket)
        (self.proxy, self.usesTunnel) = (proxy, usesTunnel)
        (self.httpVersions, self.originTLS, self.proxyTLS) = (httpVersions, originTLS, proxyTLS)
        self.partition = partition
        hash = endpoint.hashValue
    }

    /// Whether requests go to a forwarding proxy in absolute-form (RFC 9112 section 3.2.2).
    package var usesAbsoluteForm: Bool { proxy != nil && !usesTunnel }

    /// The server that receives the HTTP requests.
    package var peer: ConnectionPeer { usesAbsoluteForm ? .proxy(endpoint) : .origin(endpoint) }

    /// Whether one connection may serve several requests at once.
    package var maySupportHTTP2: Bool {
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
    package let endpoint: HostEndpoint
    /// The protocol of the proxy.
    package let kind: ProxyKind

    package init(endpoint: HostEndpoint, kind: ProxyKind) {
        (self.endpoint, self.kind) = (endpoint, kind)
    }
}

/// The protocol of a proxy.
@nonexhaustive
public enum ProxyKind: String, Hashable, Sendable {
    /// HTTP, without TLS.
    case http
    /// HTTP over TLS.
    case https
    /// SOCKS 5 (RFC 1928), without TLS: the password and plain http requests are readable on the network path
    /// to the proxy.
    ///
    /// Only the proxy resolves the names of destinations.
    case socks5
}
