// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import EssentialFoundation
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

extension Proxy {
    /// Reads `http://host:port`, `https://host:port`, or `socks5://host` and `socks5h://host`, which are the same here.
    ///
    /// A proxy of HTTP needs a port, because no default is common to such proxies; the default of SOCKS is 1080 (RFC 1928 section 3). A
    /// user and a password before the host, percent-encoded, become the ``credential``.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    public init(_ text: String) throws(SessionError) {
        guard let url = URL(string: text) else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        try self.init(url)
    }

    /// Reads a URL of the same forms as ``init(_:)-(String)``.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    public init(_ url: URL) throws(SessionError) {
        let text = url.absoluteString
        guard let scheme = url.scheme?.lowercased() else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        guard let kind = Kind(scheme: scheme) else { throw .request(.unsupportedScheme(scheme)) }
        guard let host = url.host(percentEncoded: false), !host.isEmpty else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .noHost))
        }
        // A slash, a question mark or a number sign in the password would make its beginning a host and a port.
        guard ["", "/"].contains(url.path(percentEncoded: true)), url.query == nil, url.fragment == nil else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        guard let port = url.port ?? kind.defaultPort, (1...65_535).contains(port) else {
            throw .request(.invalidURL(Redaction.url(text), .port))
        }
        do {
            self.init(endpoint: Endpoint(host: try HostName(host), port: port), kind: kind)
        } catch {
            throw .request(.invalidURL(Redaction.url(text), .hostName(error)))
        }
        do {
            credential = try URLUserInfo(of: url)?.credential
        } catch {
            throw .request(.invalidURL(Redaction.url(text), .userInfo))
        }
    }
}

extension Proxy.Kind {
    fileprivate init?(scheme: String) {
        // Others tell by the scheme who resolves names; here it is always the proxy.
        self.init(rawValue: scheme == "socks5h" ? "socks5" : scheme)
    }

    fileprivate var defaultPort: Int? { self == .socks5 ? 1080 : nil }
}
