// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import HTTPTransport
public import X509

/// The facts of an open connection.
public struct ConnectionReport: Sendable {
    /// A negotiated TLS session.
    public struct TLS: Sendable {
        /// The version of TLS: `TLSv1.2` or `TLSv1.3`.
        public let version: String
        /// The IANA name of the cipher suite.
        public let cipherSuite: String
        /// The chain that the server presented.
        public let chain: PresentedChain
        /// The verdict of the trust policy on the chain.
        public let verdict: Verdict
        /// The client certificate that was presented; `nil` if the server did not ask or got none.
        public let clientCertificate: Certificate?
    }

    /// The origin; for plain http through a proxy, the proxy.
    public let endpoint: Endpoint
    /// The proxy; `nil` for a direct connection.
    public let proxy: Proxy?
    /// The TLS session; `nil` for plain http.
    public let tls: TLS?
    /// The version of HTTP.
    public let httpVersion: HTTPVersion
    /// The IP address of the origin, or of the proxy where there is one; `nil` where it is not known, and for a socket of the file system.
    public let peerAddress: String?
    /// The local port, which differs between simultaneous connections; `nil` where it is not known, and for a socket of the file system.
    public let localPort: Int?
    /// How long each step of opening the connection took.
    public let opening: ConnectionOpening

    /// A version of HTTP.
    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/1.1 (RFC 9112).
        case http1
        /// HTTP/2 (RFC 9113).
        case http2
    }

    /// Makes a report of a connection; with an endpoint alone, of one with HTTP/1.1, without a proxy and without TLS.
    ///
    /// - Parameters:
    ///   - endpoint: The origin; for plain http through a proxy, the proxy.
    ///   - proxy: The proxy; `nil` for a direct connection.
    ///   - tls: The TLS session; `nil` for plain http.
    ///   - httpVersion: The version of HTTP.
    ///   - peerAddress: The IP address of the origin, or of the proxy where there is one; `nil` where it is not known.
    ///   - localPort: The local port; `nil` where it is not known.
    ///   - opening: How long each step of opening took; by default it begins now, and no step is complete.
    public init(
        endpoint: Endpoint, proxy: Proxy? = nil, tls: TLS? = nil, httpVersion: HTTPVersion = .http1,
        peerAddress: String? = nil, localPort: Int? = nil, opening: ConnectionOpening = ConnectionOpening()
    ) {
        self.endpoint = endpoint
        self.proxy = proxy
        self.tls = tls
        self.httpVersion = httpVersion
        self.peerAddress = peerAddress
        self.localPort = localPort
        self.opening = opening
    }
}

extension ConnectionReport {
    /// The far end of HTTP: plain http through a proxy without a tunnel ends at the proxy.
    var peer: SessionError.Peer { proxy?.endpoint == endpoint ? .proxy(endpoint) : .origin(endpoint) }
}
