// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges

/// An HTTP proxy, through which every request of a session goes.
public struct Proxy: Hashable, Sendable, CustomStringConvertible {
    /// Which origins a proxy is asked for a tunnel to (RFC 9110 section 9.3.6), and not for the resource itself.
    public enum Tunneling: Hashable, Sendable {
        /// Those of `https`.
        case encryptedOrigins
        /// Those of `http` too, which many proxies refuse; the proxy then sees no request, and answers none in the origin's name.
        case everyOrigin
    }

    /// Where the proxy listens.
    public let endpoint: Endpoint
    /// Whether the connection to the proxy itself is TLS.
    public let usesTLS: Bool
    /// What this proxy's challenges are answered with before anything else: a password or a token.
    public var credential: Credential?
    /// The method by which ``credential`` is sent before the proxy asks, see ``Request/unasked``; `nil` waits for the challenge.
    public var unasked: AuthenticationMethod?
    /// Which origins are reached through a tunnel.
    public var tunneling = Tunneling.encryptedOrigins

    /// A proxy by its address.
    public init(endpoint: Endpoint, usesTLS: Bool = false) {
        self.endpoint = endpoint
        self.usesTLS = usesTLS
    }

    /// Reads `http://host:port` or `https://host:port`; the port must be there, because no default is common to proxies.
    ///
    /// A user and a password that stand before the host, percent-encoded, become the ``credential``.
    ///
    /// - Throws: ``SessionError/invalidURL(_:_:)``, ``SessionError/unsupportedScheme(_:)``.
    public init(_ url: String) throws(SessionError) {
        let (parsed, credential) = try HTTPURL.parse(url)
        // What stands before the host may hold a colon too.
        let bare = url.droppingUserInfo
        let afterScheme = bare.dropFirst(parsed.scheme.rawValue.count + "://".count)
        let authority = afterScheme.prefix { $0 != "/" }
        guard authority.last?.isNumber == true,
            authority.drop(while: { $0 != "]" }).contains(":") || !authority.contains("]"),
            authority.contains(":")
        else { throw .invalidURL(bare, .port) }
        self.init(endpoint: parsed.endpoint, usesTLS: parsed.scheme == .https)
        self.credential = credential
    }

    /// The proxy's URL, without its credential.
    public var description: String { "\(usesTLS ? "https" : "http")://\(endpoint)" }
}
