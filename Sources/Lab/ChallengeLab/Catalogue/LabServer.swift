// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A server of the lab: its URL, its challenge or fault, and the behaviour of a correct client.
public struct LabServer: Sendable {
    /// A user name and a password that the server accepts.
    ///
    /// They are not secret.
    public typealias Credentials = LabCredentials

    /// The kind of the server, which determines its challenge or fault.
    public let kind: Kind
    /// The port on which the server listens.
    public let port: Int
    /// The host that replaces `localhost` and 127.0.0.1 in the URL; `nil` for none.
    let networkHost: String?

    init(kind: Kind, port: Int, networkHost: String? = nil) {
        (self.kind, self.port, self.networkHost) = (kind, port, networkHost)
    }

    /// The name of the server, such as `good-https`.
    public var name: String { kind.rawValue }

    /// The part of the catalogue with the server.
    public var group: Group { kind.group }

    /// The host in the server's URL.
    ///
    /// It is `localhost`, a loopback address, or a name below `localhost` (RFC 6761 section 6.3). If the lab listens
    /// only on another address, it is that address.
    public var host: String {
        let host = kind.host
        // The proxies always listen on loopback.
        guard let networkHost, !kind.isProxy, !host.hasSuffix(".localhost") else { return host }
        return networkHost
    }

    /// The URL to request; for a proxy, the proxy's URL.
    public var url: String { url(path: path) }

    /// The path to request; empty for a proxy.
    package var path: String { kind.isProxy ? "" : kind.path }

    /// Whether the URL's scheme is `https`.
    package var isSecure: Bool { kind.scheme == .https }

    func url(path: String) -> String {
        "\(kind.scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }

    /// Returns the server with the host by which clients in the network reach it.
    func reached(at host: String) -> LabServer { LabServer(kind: kind, port: port, networkHost: host) }

    /// The one-line description of the server.
    public var presents: String { kind.presents }

    /// The behaviour of a correct client.
    public var expectation: Expectation { kind.expectation }

    /// The error code of a Countersign session; `nil` if the session gets the resource.
    public var failureCode: String? { kind.failureCode }

    /// The settings that a client needs for the expected behaviour.
    public var needs: Set<Need> { kind.needs }

    /// The user name and the password that the server accepts; `nil` if it requests none or refuses all.
    public var credentials: Credentials? { needs.contains(.password) ? .lab : nil }

    /// The token that the server accepts; `nil` if it requests none.
    public var token: String? { needs.contains(.token) ? LabCredentials.token : nil }

    /// The decoded body that a correct client gets.
    package var body: [UInt8] { kind.body }
}

extension LabServer {
    /// A part of the catalogue.
    @nonexhaustive
    public enum Group: String, CaseIterable, Hashable, Sendable {
        /// Servers without a fault.
        case good = "nothing wrong"
        /// Servers with special certificates, which are trusted or have a defect.
        case certificates
        /// Servers with certificates that are revoked, or whose status must be fetched.
        case revocation
        /// Servers for clients that require timestamps of the logs in ``Lab/logList``.
        case transparency = "Certificate Transparency"
        /// Servers for clients that require ``Lab/pin``.
        case pins
        /// Servers with particular TLS versions, and broken connections.
        case tls = "TLS"
        /// Servers that request a client certificate.
        case clientCertificates = "client certificates"
        /// Servers with HTTP challenges.
        case authentication
        /// HTTP and SOCKS proxies.
        case proxies
        /// Servers with redirects, cookies, ranges, content codings and other HTTP features.
        case http = "HTTP"
        /// Servers whose responses violate HTTP.
        case faults
    }

    /// The behaviour of a correct client that trusts the lab's authority and has its client identity and password.
    @nonexhaustive
    public enum Expectation: String, Hashable, Sendable {
        /// The client gets the resource.
        case delivered
        /// The client distrusts the server, and gets the resource only if the user accepts the chain.
        case deliveredOnceAccepted = "delivered once accepted"
        /// The client distrusts the server and sends no request.
        case notTrusted = "not trusted"
        /// The TLS handshake fails.
        case noSecureConnection = "no secure connection"
        /// The authentication fails, and the client does not get the resource.
        case notAuthenticated = "not authenticated"
        /// The client reports that the body is truncated.
        case truncated
        /// The client stops at its redirect limit.
        case tooManyRedirects = "too many redirects"
        /// The client does not follow the redirect.
        case redirectRefused = "redirect refused"
        /// The client refuses the response, which violates HTTP or is endless.
        case responseRefused = "response refused"
    }

    /// A setting that a client needs.
    @nonexhaustive
    public enum Need: String, CaseIterable, Hashable, Sendable {
        /// The user name and the password, ``Lab/credentials``.
        case password
        /// The token, ``Lab/token``.
        case token
        /// The client certificate, ``Lab/clientIdentity``.
        case identity
        /// The server as a proxy.
        case proxy
        /// The pin ``Lab/pin``, which the client must require.
        case pin
        /// Revocation checking with revocation lists, which refuses certificates with an unknown status.
        case revocationLists = "revocation lists"
        /// Revocation checking with OCSP, which refuses certificates with an unknown status.
        case responders
        /// The requirement of Certificate Transparency, with two logs of ``Lab/logList``.
        case logList = "log list"
        /// Permission to fetch missing issuer certificates.
        case missingIssuers = "missing issuers"
        /// A cookie store.
        case cookies
        /// A Range field with the value ``Lab/range``.
        case range
        /// An Accept-Encoding field with gzip and deflate.
        case compression
    }
}
