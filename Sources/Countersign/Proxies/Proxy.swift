// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport

/// A proxy, through which requests go.
public struct Proxy: Hashable, Sendable, CustomStringConvertible {
    /// How a proxy is spoken to.
    public typealias Kind = ProxyKind

    /// Which origins a proxy of HTTP is asked for a tunnel to (RFC 9110 section 9.3.6), and not for the resource itself.
    public enum Tunneling: Hashable, Sendable {
        /// Tunnels for URLs of `https` only.
        case encryptedOrigins
        /// Tunnels for URLs of `http` too, which many proxies refuse. The proxy then sees no request, and cannot answer in the origin's name.
        case everyOrigin
    }

    /// Where the proxy listens.
    public let endpoint: Endpoint
    /// How it is spoken to.
    public let kind: Kind
    /// What this proxy's challenges are answered with before anything else: a password or a token.
    public var credential: Credential?
    /// The method by which ``credential`` is sent before the proxy asks, see ``Request/unasked``; `nil` waits for the challenge, as
    /// SOCKS always does.
    public var unasked: AuthenticationMethod?
    /// The authentication methods by which the proxy's challenges may be answered; SOCKS has `AuthenticationMethod.socksPassword`.
    ///
    /// A proxy that offers only others is given nothing, and the request fails by
    /// ``ProxyError/methodsNotAllowed(_:offered:allowed:)``.
    public var methods = AllowedMethods.all
    /// Which origins are reached through a tunnel; with SOCKS all are.
    public var tunneling = Tunneling.encryptedOrigins

    /// A proxy by its address.
    public init(endpoint: Endpoint, kind: Kind = .http) {
        self.endpoint = endpoint
        self.kind = kind
    }

    /// Whether the connection to the proxy itself is TLS.
    public var usesTLS: Bool { kind == .https }

    /// The proxy's URL, without its credential.
    public var description: String { "\(kind.rawValue)://\(endpoint)" }
}
