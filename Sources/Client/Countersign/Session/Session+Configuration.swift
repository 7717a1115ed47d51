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

extension Session {
    /// The settings of a session.
    public struct Configuration: Sendable {
        /// The policy of each domain: trust, versions of TLS, authentication methods, and whether plain http is allowed.
        ///
        /// A proxy has the policy of its host.
        public var policies: DomainPolicies
        /// The handlers, which answer challenges that the session cannot answer from its memory.
        ///
        /// A server may reject 5 answers of one method, whatever realms it names, and one request gives 10 answers in all, its
        /// redirects and retries included. After that the challenge stands. A remembered credential costs nothing where it was
        /// accepted before. Of one server the 32 protection spaces that accepted a credential last are remembered.
        public var handlers: ChallengeHandlers
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
        /// Whether NTLM is answered where no TLS protects the connection, to an origin or to a proxy; `false` by default.
        ///
        /// An attacker who reads the messages can guess the password from them, or relay them to another server that accepts it.
        public var allowsNTLMOverPlainHTTP = false
        /// The largest iteration count of SCRAM that is answered (RFC 7677 section 4); less than 4,096 counts as 4,096.
        ///
        /// The default is 200,000, which costs about one second of one core. The work grows with the count, and the server chooses the
        /// count.
        public var scramIterationLimit = SCRAMAuthenticator.iterationLimit
        /// The proxies, chosen for each request and for each redirect; none by default.
        public var proxies = Proxies.none
        /// The targets that connections go to instead of the host and port of the URL, which are the key; as `--connect-to` of curl.
        ///
        /// The request, and the check of the server's certificate, still use the host of the URL. A proxy is asked for a tunnel to the
        /// target, also to origins of `http`; a socket of the file system is connected to without a proxy.
        public var connectTargets: [Endpoint: ConnectTarget] = [:]
        /// The store that keeps credentials of persistence `Credential.Persistence.permanent`, and that is read before a handler is asked;
        /// `nil`, the default, keeps none for longer than the session.
        public var credentialStore: (any CredentialStore)?
        /// How many redirects one request follows; 0 delivers the redirect itself.
        ///
        /// The default is 20.
        ///
        /// One redirect more fails with ``RedirectError/tooMany(limit:)``.
        public var redirectLimit = 20
        /// Decides on each redirect before the session follows it; `nil`, the default, follows all that ``redirectLimit`` allows.
        ///
        /// The request fails with what the closure throws.
        public var redirectDecision: (@Sendable (Redirect) async throws -> RedirectDecision)?
        /// Whether a redirect from `https` to `http` is followed; otherwise the request fails with
        /// ``RedirectError/toPlainHTTP(from:to:)``.
        ///
        /// The default is `false`. Everyone on the way can read and change such a request and its response, with the URL, into which the
        /// server may have put a token. ``redirectDecision`` is asked first, and may deliver the redirect instead.
        public var allowsRedirectsToPlainHTTP = false
        /// When the session sends a failed request again.
        ///
        /// The default is never.
        public var retries = RetryPolicy.none
        /// The jar that keeps the cookies of servers, and gives them to requests; `nil`, the default, neither keeps nor sends cookies.
        ///
        /// A field `Cookie` that a request brings is sent as it is, before what the jar adds under other names.
        public var cookies: CookieJar?
        /// Whether the session asks for compressed bodies and decodes them (RFC 9110 section 8.4); `true` by default.
        ///
        /// It then sends `Accept-Encoding: gzip, deflate`, with the trait `Brotli` also `br`, or `identity` with a field `Range`. Where it
        /// decodes a body, it removes the fields `Content-Encoding` and `Content-Length` from the response, and ``ResponseBody/codings``
        /// lists the codings. Reading a body with an unknown coding fails with ``BodyError/unknownContentCoding(_:_:)``. With `false`, every
        /// body is delivered as it came, with these fields. So is every response to a request whose `Accept-Encoding` the user wrote, and
        /// every part of a representation (206).
        public var decodesContent = true

        /// Whether a request asks for compression that ``decodesContent`` undoes; `true` by default.
        ///
        /// Otherwise the session sends `Accept-Encoding: identity` (RFC 9110 section 12.5.3): a large file then arrives with its length,
        /// and without the time that compressing it takes. A body that the server compresses all the same is decoded.
        public var asksForCompression = true
        /// How much larger a body may become when it is decoded; see ``ExpansionLimit`` for the default.
        public var expansionLimit = ExpansionLimit()
        /// The versions of TLS that may be negotiated.
        ///
        /// The default is 1.2 and 1.3.
        public var tlsVersions: TLSVersions = .all
        /// The versions of HTTP that the session speaks with origins.
        ///
        /// The default is HTTP/2 if the origin selects it by ALPN (RFC 7301), and HTTP/1.1 otherwise.
        public var httpVersions: HTTPVersions = .all
        /// Whether lines of a response's head may end in LF instead of CR LF, as old devices send them (RFC 9112 section 2.2).
        ///
        /// The default is `false`. The setting applies to HTTP/1.1, to origins and proxies, and to status lines and header fields. Chunk
        /// sizes and trailers still need CR LF, and a CR alone is always refused. Set it only for devices that need it: a server that lets
        /// others put an LF into a field lets them add fields to its responses.
        public var allowsBareLineFeeds = false
        /// The limits of the number of connections and of their idle time.
        public var connectionLimits = ConnectionLimits()
        /// How long a request waits for a connection if all that ``connectionLimits`` allow are busy; 30 seconds by default.
        ///
        /// A longer wait fails with ``LimitError/noConnectionFree(_:waited:)``.
        public var poolTimeout: Duration = .seconds(30)
        /// How long opening a TCP connection may take, for all addresses of a host together; 30 seconds by default.
        public var connectTimeout: Duration = .seconds(30)
        /// How long a server may be silent in a TLS handshake, and a proxy while it opens a tunnel; 30 seconds by default.
        ///
        /// A proxy may be silent for ``idleTimeout`` at most.
        ///
        /// The time in which a handler decides does not count.
        public var handshakeTimeout: Duration = .seconds(30)
        /// How long the first byte of a response may take once the request is sent; `nil`, the default, for ``idleTimeout``.
        ///
        /// A value above ``idleTimeout`` has no effect.
        public var responseTimeout: Duration?
        /// How long a request may take, from the first connection to the last byte, with its redirects and challenges; `nil`, the default,
        /// for no limit.
        public var totalTimeout: Duration?
        /// How long a connection may stay silent while the session waits for a response; 60 seconds by default.
        ///
        /// A peer that reads the request is not silent.
        public var idleTimeout: Duration = .seconds(60)
        /// How long a body with `Expect: 100-continue` waits for the server's 100 (RFC 9110 section 10.1.1); 1 second by default.
        ///
        /// The body is then sent, because not every server sends a 100.
        public var continueTimeout: Duration = .seconds(1)
        /// How long the session may fetch what a trust policy asks for: revocation lists, OCSP responses, missing issuers.
        ///
        /// The default is 10 seconds.
        public var evidenceTimeout: Duration = .seconds(10)
        /// The memory of servers for `TrustPolicy.Validation.firstUse`; the default forgets them with the last session that was made from
        /// this configuration.
        public var serverMemory: any ServerMemory = VolatileServerMemory()
        /// The event loops that run the session's connections.
        ///
        /// The default is SwiftNIO's group that the whole process shares.
        public var eventLoopGroup: any EventLoopGroup {
            get { threads.group }
            set { threads = Threads(group: newValue) }
        }
        /// The logger, which gets events at level debug, without secrets; `nil`, the default, logs nothing.
        public var logger: Logger?
        /// How often the session logs the same kind of event of one host; `nil` for every time.
        ///
        /// The default is 60 lines in 60 seconds.
        ///
        /// The next line of the kind gives the number of lines that were left out, in its metadata `suppressed`.
        public var logLimit: LogLimit? = LogLimit(count: 60, interval: .seconds(60))
        /// The factory of the session's metrics; `nil`, the default, counts nothing, and costs nothing.
        ///
        /// `MetricsSystem.factory` is the one of the process. Counters: `countersign_requests` (by `method` and `outcome`: `2xx` to `5xx`,
        /// or `error`), `countersign_errors` (by `code`: that of the error), `countersign_connections_opened` and
        /// `countersign_connections_reused`, `countersign_challenges_answered` (by `method`), `countersign_redirects`,
        /// `countersign_retries`. Timer: `countersign_request_duration` (by `method`), up to the head of the response that is delivered.
        /// Meter: `countersign_connections_open`.
        public var metrics: (any MetricsFactory)?
        /// Makes a span each time a request is sent, and sends its context to the server in header fields; `nil`, the default, makes none,
        /// and costs nothing.
        ///
        /// A redirect or a retry has another span; answers to challenges belong to the same one. A span's URL has no user, no password and
        /// no values in its query.
        public var tracer: (any Tracer)?
        /// A closure that the session calls with each event, on any thread; `nil` by default.
        public var observer: (@Sendable (SessionEvent) -> Void)?

        /// Shows nothing of a group when a configuration is dumped: behind it is all that the process is doing.
        private struct Threads: CustomReflectable {
            let group: any EventLoopGroup

            var customMirror: Mirror { Mirror(self, children: []) }
        }

        private var threads = Threads(group: MultiThreadedEventLoopGroup.singleton)

        /// Makes a configuration in which one trust policy applies to all servers; without arguments, the system's anchors, no handlers and
        /// no proxy.
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

    /// The versions of HTTP for origins.
    ///
    /// Proxies always get HTTP/1.1.
    public typealias HTTPVersions = HTTPTransport.HTTPVersions
    /// How many connections a session keeps, and for how long.
    public typealias ConnectionLimits = HTTPTransport.ConnectionLimits
    /// Which versions of TLS may be negotiated.
    public typealias TLSVersions = HTTPTransport.TLSVersions
}

extension Session.Configuration {
    /// What the transport takes from the configuration.
    ///
    /// - Parameter reach: The addresses that connections without a proxy may lead to; `nil` for all.
    /// - Returns: The same for all connections of a session.
    func connectionSettings(within reach: EvidenceReach?) -> Connector.Settings {
        Connector.Settings(
            group: eventLoopGroup, connectTimeout: connectTimeout, handshakeTimeout: handshakeTimeout,
            idleTimeout: idleTimeout, lineEnding: allowsBareLineFeeds ? .lineFeed : .carriageReturnLineFeed,
            allowsAddress: reach.map { reach in { @Sendable address in reach.includes(address) } })
    }
}
