// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a connection depends on before it is opened: two requests share a connection only where all of this is equal.
///
/// A class, because every request hands it through all layers.
package final class Route: Sendable {
    /// The far end of HTTP: the origin, or the proxy that is asked for resources themselves.
    package let endpoint: Endpoint
    /// Where the connection or the tunnel leads; the endpoint, unless the owner has another place for it.
    package let destination: Endpoint
    /// The socket of the file system that the connection leads to instead; it has no proxy.
    package let unixSocket: String?
    /// The proxy between this machine and the destination.
    package let proxy: ProxyServer?
    /// Whether the proxy is asked for a tunnel, as a proxy of SOCKS always is.
    package let usesTunnel: Bool
    /// Which versions of HTTP the origin may be spoken to in.
    package let httpVersions: HTTPVersions
    /// `nil` where the origin is spoken to without TLS.
    package let originTLS: TLSRequirements?
    /// `nil` without a proxy, and where it is spoken to without TLS.
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

    /// The far end of HTTP.
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

/// A proxy, as far as a connection depends on it.
package struct ProxyServer: Hashable, Sendable {
    package let endpoint: Endpoint
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
    /// SOCKS 5 (RFC 1928), without TLS: everyone on the way to the proxy can read the password and what else is not encrypted.
    ///
    /// The names of destinations are resolved by the proxy alone.
    case socks5
}
