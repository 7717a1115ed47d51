// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport
public import X509

/// What a session reports while it works on a request.
///
/// The URLs in the cases are whole, because programs may need them. The description of an event leaves out their secrets, as the log does:
/// the values of parameters whose names look secret, such as `token`, `code`, `key`, `sig` and `X-Amz-Signature`.
public enum SessionEvent: Sendable {
    /// How a challenge was answered.
    public enum Answer: Sendable {
        /// A handler gave this credential, or a remembered one was used.
        case used(Credential)
        /// The chain satisfied the policy.
        case trusted
        /// There is no handler, or it left it at the default.
        case performedDefault
        /// The handler declined this method.
        case rejectedProtectionSpace
        case cancelled
        /// The handler gave a credential that the server had already rejected.
        case repeatedRejectedCredential
        /// The request has given as many answers as ``Session/Configuration/handlers`` describes; nothing was sent and no handler asked.
        case limitReached
    }

    case connected(ConnectionReport)
    case challenged(Challenge, Answer)
    /// An origin offers no authentication method that is allowed for it (`ServerPolicy.methods`); it was given nothing.
    case methodsNotAllowed(Endpoint, offered: [AuthenticationMethod], allowed: AllowedMethods)
    /// A credential was sent before it was asked for.
    case preempted(ProtectionSpace)
    /// The ``Session/Configuration/credentialStore`` failed; the request went on without it.
    case credentialStoreFailed(ProtectionSpace, any Error)
    case redirected(from: String, to: String)
    /// A request was answered, or came to nothing once it had a connection; with every body that is over.
    case exchanged(ExchangeReport)
    /// The request to this URL failed, and is sent again after a wait.
    case retrying(String, after: Duration, RetryReason)
    /// Something was fetched to decide on trust, or could not be. Holds the URL that names its place.
    case fetchedEvidence(String, succeeded: Bool)
    /// Evidence lies in the local network and was not fetched, see `TrustPolicy.LocalEvidence`. Holds the URL that names its place.
    case refusedEvidence(String)
}

/// What a connection turned out to be.
public struct ConnectionReport: Sendable {
    /// A negotiated TLS session.
    public struct TLS: Sendable {
        /// `TLSv1.2` or `TLSv1.3`.
        public let version: String
        /// The IANA name of the cipher suite.
        public let cipherSuite: String
        /// As presented.
        public let chain: PresentedChain
        /// What the policy made of the chain.
        public let verdict: Verdict
        /// The leaf presented to the server; `nil` where it did not ask or got none.
        public let clientCertificate: Certificate?
    }

    /// The origin; for plain http through a proxy, the proxy.
    public let endpoint: Endpoint
    /// What it goes through.
    public let proxy: Proxy?
    /// `nil` for plain http.
    public let tls: TLS?
    /// What is spoken over it.
    public let httpVersion: HTTPVersion
    /// The address of the origin, or of the proxy where there is one; `nil` where it has none.
    public let peerAddress: String?
    /// The port on this side, which tells a connection from others of its time; `nil` where it has none.
    public let localPort: Int?
    /// How long it took to open.
    public let opening: ConnectionOpening

    /// A version of HTTP.
    public enum HTTPVersion: Hashable, Sendable {
        /// HTTP/1.1 (RFC 9112).
        case http1
        /// HTTP/2 (RFC 9113).
        case http2
    }

    /// A connection by its facts; to an endpoint alone, one of HTTP/1.1 without proxy and TLS.
    ///
    /// - Parameters:
    ///   - endpoint: The origin; for plain http through a proxy, the proxy.
    ///   - proxy: What it goes through.
    ///   - tls: `nil` for plain http.
    ///   - httpVersion: What is spoken over it.
    ///   - peerAddress: Of the origin, or of the proxy where there is one.
    ///   - localPort: The port on this side.
    ///   - opening: How long it took to open; begun now, and not finished, unless said otherwise.
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

extension ConnectionReport.TLS {
    init?(_ decisions: HandshakeDecisions) {
        let (facts, connection) = (decisions.facts, decisions.record.facts)
        guard let chain = facts.chain, let verdict = facts.verdict, let version = connection.version else { return nil }
        self.version = version
        cipherSuite = connection.cipherSuite.map(CipherSuite.name) ?? "unknown"
        self.chain = chain
        self.verdict = verdict
        clientCertificate =
            if case .identity(let identity) = facts.identity?.kind { identity.certificate } else { nil }
    }
}

extension ConnectionReport {
    /// The far end of HTTP: plain http through a proxy without a tunnel ends at the proxy.
    var peer: SessionError.Peer { proxy?.endpoint == endpoint ? .proxy(endpoint) : .origin(endpoint) }
}
