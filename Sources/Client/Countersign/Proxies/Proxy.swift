// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport

/// A proxy, through which requests go.
public struct Proxy: Hashable, Sendable, CustomStringConvertible {
    /// The protocol of a proxy.
    public typealias Kind = ProxyKind

    /// The origins that a proxy of HTTP is asked for a tunnel to (RFC 9110 section 9.3.6), instead of the resource itself.
    public enum Tunneling: Hashable, Sendable {
        /// Tunnels for URLs of `https` only.
        case encryptedOrigins
        /// Tunnels for URLs of `http` too, which many proxies refuse. The proxy then sees no request, and cannot answer in the origin's
        /// name.
        case everyOrigin
    }

    /// The host and port at which the proxy listens.
    public let endpoint: Endpoint
    /// The protocol of the proxy.
    public let kind: Kind
    /// The credential that answers this proxy's challenges, before any that the session remembers or a handler gives: a password or a
    /// token.
    ///
    /// `nil` for none.
    public var credential: Credential?
    /// The method by which ``credential`` is sent before the proxy asks, see ``Request/unasked``; `nil` waits for the challenge, as
    /// SOCKS always does.
    public var unasked: AuthenticationMethod?
    /// The authentication methods by which the proxy's challenges may be answered; all by default.
    ///
    /// SOCKS has `AuthenticationMethod.socksPassword`.
    ///
    /// A proxy that offers only others gets no credential, and the request fails with ``ProxyError/methodsNotAllowed(_:offered:allowed:)``.
    public var methods = AllowedMethods.all
    /// The origins that are reached through a tunnel: those of `https` by default.
    ///
    /// With SOCKS, all are.
    public var tunneling = Tunneling.encryptedOrigins

    /// Makes a proxy without a credential; by default one of HTTP without TLS.
    public init(endpoint: Endpoint, kind: Kind = .http) {
        self.endpoint = endpoint
        self.kind = kind
    }

    /// Whether the connection to the proxy itself is TLS.
    public var usesTLS: Bool { kind == .https }

    /// The proxy's URL, without its credential.
    public var description: String { "\(kind.rawValue)://\(endpoint)" }
}
