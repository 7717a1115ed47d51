// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One server of the lab: its URL, its challenge or fault, and the behaviour of a correct client.
public struct LabServer: Sendable {
    /// A user and a password that the server accepts; they are no secret.
    public typealias Credentials = LabCredentials

    /// The kind of the server: its challenge or fault.
    public let kind: Kind
    /// The port on loopback at which the server listens.
    public let port: Int
    /// By which host the servers of `localhost` and of 127.0.0.1 are reached instead; `nil` where it is none.
    let networkHost: String?

    init(kind: Kind, port: Int, networkHost: String? = nil) {
        (self.kind, self.port, self.networkHost) = (kind, port, networkHost)
    }

    /// The name of the server, such as `good-https`.
    public var name: String { kind.rawValue }

    /// The part of the catalogue to which the server belongs.
    public var group: Group { kind.group }

    /// The host in the server's URL: `localhost`, an address of loopback, or a name below `localhost` (RFC 6761 section 6.3); another
    /// address where the lab listens only on that one.
    public var host: String {
        let host = kind.host
        // The proxies listen on loopback wherever the other servers do.
        guard let networkHost, !kind.isProxy, !host.hasSuffix(".localhost") else { return host }
        return networkHost
    }

    /// The URL to get; for a proxy, the proxy's URL.
    public var url: String { url(path: path) }

    /// The path of what to get; empty for a proxy.
    package var path: String { kind.isProxy ? "" : kind.path }

    /// Whether the URL begins with `https`.
    package var isSecure: Bool { kind.scheme == .https }

    func url(path: String) -> String {
        "\(kind.scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }

    /// The same server as clients at a host of the network reach it.
    func reached(at host: String) -> LabServer { LabServer(kind: kind, port: port, networkHost: host) }

    /// The description of the server, in one line.
    public var presents: String { kind.presents }

    /// The behaviour of a correct client.
    public var expectation: Expectation { kind.expectation }

    /// The code of the error that a session of Countersign ends with; `nil` where the resource is delivered.
    public var failureCode: String? { kind.failureCode }

    /// The settings that a client needs to behave as expected.
    public var needs: Set<Need> { kind.needs }

    /// The user and the password that the server accepts; `nil` where it asks for none, or refuses all.
    public var credentials: Credentials? { needs.contains(.password) ? .lab : nil }

    /// The token that the server accepts; `nil` where it asks for none.
    public var token: String? { needs.contains(.token) ? LabCredentials.token : nil }

    /// The body that a client gets that does what is expected, without its content coding.
    package var body: [UInt8] { kind.body }
}

extension LabServer {
    /// A part of the catalogue.
    public enum Group: String, CaseIterable, Hashable, Sendable {
        /// Servers without a fault.
        case good = "nothing wrong"
        /// Certificates that are trusted, or have a defect.
        case certificates
        /// Certificates that are revoked, or whose status has to be fetched.
        case revocation
        /// Servers for clients that require ``Lab/pin``.
        case pins
        /// Versions of TLS, and broken connections.
        case tls = "TLS"
        /// Servers that ask for a client certificate.
        case clientCertificates = "client certificates"
        /// Servers with challenges of HTTP.
        case authentication
        /// Proxies of HTTP and SOCKS.
        case proxies
        /// Redirects, cookies, ranges, content codings and other features of HTTP.
        case http = "HTTP"
        /// Responses that break the rules of HTTP.
        case faults
    }

    /// The behaviour of a correct client that trusts the lab's authority, has its client identity and knows its password.
    public enum Expectation: String, Hashable, Sendable {
        /// The client gets the resource.
        case delivered
        /// The client distrusts the server, and gets the resource only if its user accepts the chain.
        case deliveredOnceAccepted = "delivered once accepted"
        /// The client distrusts the server, and sends no request.
        case notTrusted = "not trusted"
        /// The TLS handshake with the server fails.
        case noSecureConnection = "no secure connection"
        /// The authentication fails, and the client does not get the resource.
        case notAuthenticated = "not authenticated"
        /// The client reports that the body is truncated.
        case truncated
        /// The client stops at its limit of redirects.
        case tooManyRedirects = "too many redirects"
        /// The client does not follow the redirect.
        case redirectRefused = "redirect refused"
        /// The client refuses the response, which breaks the rules of HTTP or has no end.
        case responseRefused = "response refused"
    }

    /// A setting that a client needs.
    public enum Need: String, CaseIterable, Hashable, Sendable {
        /// The user and the password, ``Lab/credentials``.
        case password
        /// The token, ``Lab/token``.
        case token
        /// The client certificate, ``Lab/clientIdentity``.
        case identity
        /// The server as its proxy.
        case proxy
        /// The pin ``Lab/pin``, which the client requires.
        case pin
        /// A check of certificates by revocation lists, which refuses those whose status is not known.
        case revocationLists = "revocation lists"
        /// A check of certificates by OCSP responders, which refuses those whose status is not known.
        case responders
        /// Permission to fetch certificates that a server does not send.
        case missingIssuers = "missing issuers"
        /// Storage for cookies, which the client keeps from one response to the next request.
        case cookies
        /// A Range field with ``Lab/range``.
        case range
        /// An Accept-Encoding field with gzip and deflate.
        case compression
    }
}
