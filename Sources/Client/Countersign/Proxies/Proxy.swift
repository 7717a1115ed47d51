// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import EssentialFoundation
public import HTTPTransport

/// A proxy server for requests.
public struct Proxy: Hashable, Sendable, CustomStringConvertible {
    /// The protocol of a proxy.
    public typealias Kind = ProxyKind

    /// The origins for which an HTTP proxy is asked to open a tunnel (RFC 9110 section 9.3.6) instead of forwarding the
    /// request.
    @nonexhaustive
    public enum Tunneling: Hashable, Sendable {
        /// Tunnels for `https` URLs only.
        case encryptedOrigins
        /// Tunnels for `http` URLs too, which many proxies refuse. The proxy then sees no request, and cannot respond
        /// on the origin's behalf.
        case everyOrigin
    }

    /// The host and port at which the proxy listens.
    public let endpoint: HostEndpoint
    /// The protocol of the proxy.
    public let kind: Kind
    /// The credential for this proxy's challenges, a password or a token; `nil` for none.
    ///
    /// It takes precedence over the session's remembered credentials and over the handlers.
    public var credential: Credential?
    /// The method by which ``credential`` is sent preemptively, see ``SessionRequest/preemptiveMethod``; `nil` for the
    /// condition of the credential.
    ///
    /// SOCKS always waits for the challenge.
    public var preemptiveMethod: AuthenticationMethod?
    /// The authentication methods that may answer the proxy's challenges; all by default.
    ///
    /// The method of SOCKS is `AuthenticationMethod.socksPassword`.
    ///
    /// A proxy that offers only other methods receives no credential, and the request fails with
    /// ``ProxyError/methodsNotAllowed(_:offered:allowed:)``.
    public var methods = AllowedMethods.all
    /// The origins that are reached through a tunnel; `https` origins by default.
    ///
    /// With SOCKS, all origins are.
    public var tunneling = Tunneling.encryptedOrigins

    /// Makes a proxy without a credential; by default an HTTP proxy without TLS.
    public init(endpoint: HostEndpoint, kind: Kind = .http) {
        self.endpoint = endpoint
        self.kind = kind
    }

    /// Whether the connection to the proxy itself uses TLS.
    public var usesTLS: Bool { kind == .https }

    /// The proxy's URL, without its credential.
    public var description: String { "\(kind.rawValue)://\(endpoint)" }
}

extension Proxy {
    /// Reads `http://host:port`, `https://host:port`, `socks5://host` or `socks5h://host`, of which the latter two are
    /// equivalent here; `host:port` is an HTTP proxy.
    ///
    /// An HTTP proxy needs a port, because such proxies have no common default; the default of SOCKS is 1080 (RFC 1928
    /// section 3). A percent-encoded user name and password before the host become the ``credential``.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    public init(_ text: String) throws(SessionError) {
        guard let url = URL(string: text.contains("://") ? text : "http://" + text) else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        try self.init(url)
    }

    /// Reads a URL of the same forms as ``init(_:)-(String)``, with a scheme.
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
        // With a slash, question mark or number sign in the password, the text before it would be parsed as host and
        // port.
        guard ["", "/"].contains(url.path(percentEncoded: true)), url.query == nil, url.fragment == nil else {
            throw .request(.invalidURL(Redaction.unreadableURL(text), .malformed))
        }
        guard let port = url.port ?? kind.defaultPort, (1...65_535).contains(port) else {
            throw .request(.invalidURL(Redaction.url(text), .port))
        }
        do {
            self.init(endpoint: HostEndpoint(host: try HostName(international: host), port: port), kind: kind)
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
        // In other programs, the scheme determines who resolves names; here it is always the proxy.
        self.init(rawValue: scheme == "socks5h" ? "socks5" : scheme)
    }

    fileprivate var defaultPort: Int? { self == .socks5 ? 1080 : nil }
}
