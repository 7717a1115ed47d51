// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport
public import TLSTransport
public import X509

/// Information about an open connection.
public struct ConnectionReport: Sendable {
    /// A negotiated TLS session.
    public struct TLS: Sendable {
        /// The TLS version: `TLSv1.2` or `TLSv1.3`.
        public let version: String
        /// The IANA name of the cipher suite.
        public let cipherSuite: String
        /// The TLS library.
        public let library: TLSLibrary
        /// The registered name of the group of the key exchange, such as `X25519MLKEM768`; `nil` if the key exchange
        /// used none.
        public let keyExchangeGroup: String?
        /// The registered name of the algorithm of the server's signature, such as `ecdsa_secp256r1_sha256`, in a
        /// resumption that of the first handshake; `nil` if the server signed nothing.
        public let signatureScheme: String?
        /// Whether a session was resumed: the server proved that it is the one of an earlier handshake (RFC 8446
        /// section 2.2).
        public let isResumed: Bool
        /// The chain that the server presented, in a resumption in the first handshake.
        public let chain: PresentedChain
        /// The verdict of the trust policy on the chain.
        public let verdict: Verdict
        /// The client certificate that was presented; `nil` if the server did not request one or received none.
        public internal(set) var clientCertificate: Certificate?
        /// The server's request for a client certificate, if none was presented; `nil` otherwise.
        public internal(set) var unansweredCertificateRequest: ClientCertificateRequest?
    }

    /// The origin; for plain http through a proxy, the proxy.
    public let endpoint: HostEndpoint
    /// The proxy; `nil` for a direct connection.
    public let proxy: Proxy?
    /// The TLS session; `nil` for plain http.
    public internal(set) var tls: TLS?
    /// The HTTP version.
    public let httpVersion: HTTPVersion
    /// The IP address of the proxy if there is one, or else of the origin; `nil` if it is unknown, and for a Unix
    /// domain socket.
    public let peerAddress: String?
    /// The local port, which distinguishes simultaneous connections; `nil` if it is unknown, and for a Unix domain
    /// socket.
    public let localPort: Int?
    /// The duration of each step of opening the connection.
    public let opening: ConnectionOpening
    /// The request for a client certificate of a proxy that forwards plain http, if none was presented.
    var forwarderCertificateRequest: ClientCertificateRequest?

    /// An HTTP version.
    @nonexhaustive
    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/1.1 (RFC 9112).
        case http1
        /// HTTP/2 (RFC 9113).
        case http2
    }

    /// Makes a connection report; by default, the report of an HTTP/1.1 connection without a proxy and without TLS.
    ///
    /// - Parameters:
    ///   - endpoint: The origin; for plain http through a proxy, the proxy.
    ///   - proxy: The proxy; `nil` for a direct connection.
    ///   - tls: The TLS session; `nil` for plain http.
    ///   - httpVersion: The HTTP version.
    ///   - peerAddress: The IP address of the proxy if there is one, or else of the origin; `nil` if it is unknown.
    ///   - localPort: The local port; `nil` if it is unknown.
    ///   - opening: The duration of each step of opening; by default it starts now, and no step is complete.
    public init(
        endpoint: HostEndpoint, proxy: Proxy? = nil, tls: TLS? = nil, httpVersion: HTTPVersion = .http1,
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
    /// The peer of the HTTP connection: plain http through a proxy without a tunnel ends at the proxy.
    var peer: SessionError.Peer { proxy?.endpoint == endpoint ? .proxy(endpoint) : .origin(endpoint) }
}
