// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport
public import Logging
public import Metrics
public import NIOCore
import NIOPosix
public import Tracing

extension HTTPSession {
    /// The settings of a session.
    public struct Configuration: Sendable {
        /// The policy of each domain: trust, TLS versions, authentication methods, and whether plain http is allowed.
        ///
        /// A proxy has the policy of its host.
        public var policies: DomainPolicies
        /// The handlers for challenges that the session cannot answer from its memory.
        ///
        /// A handler for `AuthenticationMethod.serverTrust` is not called for a server that its policy trusts; see
        /// ``serverTrustDecision``.
        ///
        /// A server may reject 5 answers by one method, across all realms, and one request sends at most 10 answers,
        /// including its redirects and retries. After that, the challenge is delivered as the response. A remembered
        /// credential does not count in a protection space that accepted it before. For each server, the session
        /// remembers the 32 protection spaces that accepted a credential last.
        public var handlers: ChallengeHandlers
        /// The credentials for origins, or for the targets below a path of an origin; none by default.
        ///
        /// A request without a credential of its own uses the one for its URL. After a redirect, the one for the URL of
        /// the destination applies, so that no credential follows to another origin. Like a request's own credential, it
        /// takes precedence over the session's memory of other requests and over ``credentialStore``. By default it
        /// answers challenges; `Credential.sending(_:)` sends it before one.
        public var credentials: OriginCredentials = [:]
        /// The decision about the chain of every server and proxy, which may refuse a server that its policy trusts;
        /// `nil`, the default, refuses none.
        ///
        /// A handler for `AuthenticationMethod.serverTrust` is asked only about untrusted chains, and only after this
        /// decision. The session calls the closure once for each TLS connection that it opens, also to fetch evidence,
        /// and the requests that share the connection rely on that answer. The closure may take as long as a user
        /// needs. The request fails with any error that it throws. ``HTTPSession/inspect(_:)`` does not call it for the
        /// inspected server.
        public var serverTrustDecision: (@Sendable (ServerTrust) async throws -> ServerTrustDecision)?
        /// The HTTP authentication methods that the session answers, in order of preference.
        ///
        /// The default is strongest first.
        ///
        /// ``policies`` and ``Proxy/methods`` allow fewer for one origin or proxy.
        public var methods = MethodPreference()
        /// The factories of authenticators for methods that are not built in; empty by default.
        ///
        /// A method that ``methods`` does not list is tried before all others.
        public var authenticators: AuthenticatorRegistry = [:]
        /// Whether NTLM is used on a connection without TLS, to an origin or to a proxy; `false` by default.
        ///
        /// An attacker who reads the messages can guess the password from them, or relay them to another server that
        /// accepts it.
        public var allowsNTLMOverPlainHTTP = false
        /// The maximum SCRAM iteration count that is answered (RFC 7677 section 4); less than 4,096 counts as 4,096.
        ///
        /// The default is 200,000, which takes one core about one second. The work grows with the count, which the
        /// server chooses.
        public var scramIterationLimit = HTTPSCRAMAuthenticator.iterationLimit
        /// The proxies, selected for each request and for each redirect; none by default.
        public var proxies = Proxies.none
        /// The connection targets that replace the host and port of a URL, by the replaced host and port, like curl's
        /// `--connect-to`.
        ///
        /// The request, and the check of the server's certificate, still use the host of the URL. A proxy is asked to
        /// open a tunnel to the target, even for `http` origins; a Unix domain socket is connected to without a proxy.
        public var connectTargets: [HostEndpoint: ConnectTarget] = [:]
        /// The versions of IP for connections to origins and proxies, like curl's `-4` and `-6`; both by default.
        ///
        /// A request to a host without such an address fails with ``ConnectionError/cannotConnect(_:_:)``. A proxy
        /// chooses the version for its own connections.
        public var addressFamily = AddressFamily.any
        /// The store for credentials with persistence `Credential.Persistence.permanent`, which is read before a
        /// handler is asked; `nil`, the default, stores none beyond the session.
        public var credentialStore: (any CredentialStore)?
        /// The maximum number of redirects that a request follows; 0 delivers the redirect itself.
        ///
        /// The default is 20.
        ///
        /// A further redirect fails with ``RedirectError/tooMany(_:limit:)``.
        public var redirectLimit = 20
        /// The decision about each redirect before the session follows it; `nil`, the default, follows all redirects
        /// within ``redirectLimit``.
        ///
        /// The request fails with any error that the closure throws.
        public var redirectDecision: (@Sendable (SessionRedirect) async throws -> RedirectDecision)?
        /// Whether a redirect from `https` to `http` is followed; otherwise the request fails with
        /// ``RedirectError/toPlainHTTP(from:to:)``.
        ///
        /// The default is `false`. Every observer on the network path can read and change such a request and its
        /// response, including the URL, which may contain a token of the server. ``redirectDecision`` is asked first,
        /// and may deliver the redirect instead.
        public var allowsRedirectsToPlainHTTP = false
        /// The policy for sending failed requests again.
        ///
        /// By default, they are not sent again.
        public var retries = SessionRetryPolicy.none
        /// The jar that stores the cookies of servers and adds them to requests; `nil`, the default, neither stores nor
        /// sends cookies.
        ///
        /// A request's own `Cookie` field is sent unchanged, before the cookies that the jar adds under other names.
        public var cookies: CookieJar?
        /// Whether the session requests compressed bodies and decodes them (RFC 9110 section 8.4); `true` by default.
        ///
        /// It then sends `Accept-Encoding: gzip, deflate`, with the traits `Brotli` and `Zstd` also `br` and `zstd`, or
        /// `identity` if the request has a `Range` field. If it decodes a body, it removes the fields `Content-Encoding`
        /// and `Content-Length` from the response, and ``SessionResponseBody/codings`` lists the codings. Reading a body with an
        /// unknown coding fails with ``BodyError/unknownContentCoding(_:_:)``. With `false`, every body is delivered as
        /// received, with these fields. The same applies to every response to a request with its own `Accept-Encoding`
        /// field, and to every partial response (206).
        public var decodesContent = true

        /// Whether a request asks for compression, if ``decodesContent`` is `true`; `true` by default.
        ///
        /// Otherwise the session sends `Accept-Encoding: identity` (RFC 9110 section 12.5.3): a large file then arrives
        /// with its length, and without the time for compressing it. A body that the server compresses nevertheless is
        /// decoded.
        public var asksForCompression = true
        /// The limit on the growth of a body by decoding; see ``ExpansionLimit`` for the default.
        public var expansionLimit = ExpansionLimit()
        /// The TLS versions that may be negotiated.
        ///
        /// The default is 1.2 and 1.3.
        public var tlsVersions: TLSVersions = .all
        /// Whether a new connection resumes the TLS session of an earlier one (RFC 8446 section 2.2, RFC 5077), which
        /// saves the server's signature and, in TLS 1.2, a round trip; `true` by default.
        ///
        /// The trust policy decides again, about the chain of the first handshake. A TLS session is resumed only with the
        /// same policy, TLS and HTTP versions, proxy and client certificate. No request is sent as early data (RFC 8446
        /// section 2.3). With `false`, a network observer cannot link connections by the server's tickets.
        public var resumesTLSSessions = true
        /// The HTTP versions that the session may use with origins.
        ///
        /// The default is HTTP/2 if the origin selects it by ALPN (RFC 7301), and HTTP/1.1 otherwise.
        public var httpVersions: HTTPVersions = .all
        /// Whether lines in the head of a response may end in LF instead of CR LF, as some old devices send them (RFC
        /// 9112 section 2.2).
        ///
        /// The default is `false`. The setting applies to HTTP/1.1, to origins and proxies, and to status lines and
        /// header fields. Chunk sizes and trailers still need CR LF, and a bare CR is always rejected. Enable it only
        /// for devices that need it: if a server lets others put an LF into a field, they can add fields to its
        /// responses.
        public var allowsBareLineFeeds = false
        /// The limits of the number of connections and of their idle time.
        public var connectionLimits = ConnectionLimits()
        /// The timeout of a request's wait for a connection if all connections within ``connectionLimits`` are busy, or if
        /// another request is opening a connection that both may share over HTTP/2; 30 seconds by default.
        ///
        /// A longer wait fails with ``LimitError/noConnectionFree(_:waited:)`` or
        /// ``LimitError/noConnectionOpened(_:waited:)``.
        public var poolTimeout: Duration = .seconds(30)
        /// The timeout for opening a TCP connection, for all addresses of a host together; 30 seconds by default.
        public var connectTimeout: Duration = .seconds(30)
        /// The timeout for the silence of a server in a TLS handshake, and of a proxy while it opens a tunnel; 30
        /// seconds by default.
        ///
        /// For a proxy, ``idleTimeout`` is an upper bound.
        ///
        /// The time in which a handler decides does not count.
        public var handshakeTimeout: Duration = .seconds(30)
        /// The timeout for the first byte of a response after the request is sent; `nil`, the default, for
        /// ``idleTimeout``.
        ///
        /// A value above ``idleTimeout`` has no effect.
        public var responseTimeout: Duration?
        /// The timeout of a request, from the first connection to the last byte, including its redirects and
        /// challenges; `nil`, the default, for no limit.
        public var totalTimeout: Duration?
        /// The timeout of one attempt at a request, from its connection to the last byte of the response; `nil`, the
        /// default, for no limit.
        ///
        /// Each redirect and each retry by ``retries`` is another attempt. An idempotent request is sent again after
        /// the timeout, if the policy has retries left.
        public var attemptTimeout: Duration?
        /// The timeout for the silence of a connection while the session waits for a response; 60 seconds by default.
        ///
        /// A peer that is reading the request does not count as silent.
        public var idleTimeout: Duration = .seconds(60)
        /// The timeout of a body with `Expect: 100-continue` for the server's 100 (RFC 9110 section 10.1.1); 1 second
        /// by default.
        ///
        /// After it, the body is sent, because not every server sends a 100.
        public var continueTimeout: Duration = .seconds(1)
        /// The timeout for fetching the evidence that a trust policy needs: revocation lists, OCSP responses, missing
        /// issuers.
        ///
        /// The default is 10 seconds.
        public var evidenceTimeout: Duration = .seconds(10)
        /// The environment variables of which `SSL_CERT_FILE` and `SSL_CERT_DIR` replace the system's anchors, as for
        /// OpenSSL; empty by default, so that the system's anchors are used.
        public var anchorEnvironment: [String: String] = [:]
        /// The issuers, revocation lists and OCSP responses that the program has, for the evaluation of servers and
        /// proxies in addition to the evidence that they send and that is fetched; empty by default.
        public var evidence = TrustEvidence()
        /// The time that ``HTTPSession/closeGracefully()`` gives running requests to end; 30 seconds by default.
        public var shutdownTimeout: Duration = .seconds(30)
        /// The server memory for `TrustPolicy.Validation.firstUse`; the default is lost with the last session that was
        /// made from this configuration.
        public var serverMemory: any ServerMemory = VolatileServerMemory()
        /// The event loops that run the session's connections.
        ///
        /// The default is SwiftNIO's group for the entire process.
        public var eventLoopGroup: any EventLoopGroup {
            get { threads.group }
            set { threads = Threads(group: newValue) }
        }
        /// The logger, which receives events at level debug, without secrets; `nil`, the default, logs nothing.
        ///
        /// The metadata `countersign.request.id` and `countersign.request.attempt` name the request and the attempt.
        public var logger: Logger?
        /// The limit on how often the session logs the same kind of event for one host; `nil` for no limit.
        ///
        /// The default is 60 lines in 60 seconds.
        ///
        /// The next line of the kind states the number of omitted lines in its metadata `suppressed`.
        public var logLimit: LogLimit? = LogLimit(count: 60, interval: .seconds(60))
        /// The factory of the session's metrics; `nil`, the default, records none, at no cost.
        ///
        /// `MetricsSystem.factory` is the process-wide factory. <doc:LoggingAndMetrics> lists the metrics, among them
        /// `http.client.request.duration` of OpenTelemetry's semantic conventions.
        public var metrics: (any MetricsFactory)?
        /// The tracer, which makes a span each time a request is sent, and whose context is sent to the server in
        /// header fields; `nil`, the default, makes no spans, at no cost.
        ///
        /// A redirect or a retry has a separate span; an answer to a challenge does not. A span's URL has no user
        /// information and no values in its query. <doc:LoggingAndMetrics> lists the attributes.
        public var tracer: (any Tracer)?
        /// A closure that the session calls with each event, on any thread; `nil` by default.
        public var observer: (@Sendable (SessionEvent) -> Void)?

        /// A wrapper that hides the event loop group from a dump of the configuration, because the group refers to
        /// everything that the process is doing.
        private struct Threads: CustomReflectable {
            let group: any EventLoopGroup

            var customMirror: Mirror { Mirror(self, children: []) }
        }

        private var threads = Threads(group: MultiThreadedEventLoopGroup.singleton)

        /// Makes a configuration with one trust policy for all servers; without arguments, with the system's anchors,
        /// no handlers and no proxy.
        public init(trust: TrustPolicy = TrustPolicy(), handlers: ChallengeHandlers = [:], proxy: Proxy? = nil) {
            self.init(
                policies: DomainPolicies(fallback: ServerPolicy(trust: trust)), handlers: handlers, proxy: proxy)
        }

        /// Makes a configuration with a policy for each domain, such as those of a policy file.
        public init(policies: DomainPolicies, handlers: ChallengeHandlers = [:], proxy: Proxy? = nil) {
            self.policies = policies
            self.handlers = handlers
            proxies = proxy.map { .every($0) } ?? .none
        }

        /// The proxy of all requests; `nil` if there is none, or if requests have different proxies.
        public var proxy: Proxy? {
            get { proxies.only }
            set { proxies = newValue.map { .every($0) } ?? .none }
        }

        /// The trust policy of servers for which neither ``policies`` nor the request has another one.
        public var trust: TrustPolicy {
            get { policies.fallback.trust }
            set { policies.fallback.trust = newValue }
        }
    }

    /// The HTTP versions for origins.
    ///
    /// Connections to proxies always use HTTP/1.1.
    public typealias HTTPVersions = HTTPTransport.HTTPVersions
    /// The limits of the number of connections and of their idle time.
    public typealias ConnectionLimits = HTTPTransport.ConnectionLimits
    /// The TLS versions that may be negotiated.
    public typealias TLSVersions = HTTPTransport.TLSVersions
}

extension HTTPSession.Configuration {
    /// Returns the transport settings of the configuration.
    ///
    /// - Parameter reach: The addresses that connections without a proxy may lead to; `nil` for all.
    /// - Returns: The settings for all connections of a session.
    func connectionSettings(within reach: EvidenceReach?) -> Connector.Settings {
        Connector.Settings(
            group: eventLoopGroup, connectTimeout: connectTimeout, handshakeTimeout: handshakeTimeout,
            idleTimeout: idleTimeout, lineTerminator: allowsBareLineFeeds ? .lineFeed : .carriageReturnLineFeed,
            resumesTLSSessions: resumesTLSSessions, addressFamily: addressFamily,
            allowsAddress: reach.map { reach in { @Sendable address in reach.includes(address) } })
    }
}
