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
    /// How a session behaves.
    public struct Configuration: Sendable {
        /// The policy of each domain: trust, versions of TLS, and whether plain http is allowed.
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
        /// Makes the authenticators of methods that are not built in.
        ///
        /// A method that ``methods`` does not list is tried before all others.
        public var authenticators: AuthenticatorRegistry = [:]
        /// Whether NTLM is answered where no TLS protects the connection, to an origin or to a proxy.
        ///
        /// An attacker who reads the messages can guess the password from them, or relay them to another server that accepts it.
        public var allowsNTLMOverPlainHTTP = false
        /// The largest iteration count of SCRAM that is answered (RFC 7677 section 4); at least 4,096.
        ///
        /// The default costs about one second of one core; the work grows with the count, and the server chooses it.
        public var scramIterationLimit = SCRAMAuthenticator.iterationLimit
        /// The proxy of each request, and of each redirected one.
        public var proxies = Proxies.none
        /// Where connections go instead of the host and port of the URL, which are the key; as `--connect-to` of curl.
        ///
        /// What is asked of a server, and of its certificate, stays what it is for the URL. A proxy is asked for a tunnel there, also to
        /// origins of `http`; a socket of the file system is connected to without a proxy.
        public var connectTargets: [Endpoint: ConnectTarget] = [:]
        /// Where credentials of persistence `Credential.Persistence.permanent` are kept, and looked for before a handler is asked;
        /// `nil` keeps none for longer than the session.
        public var credentialStore: (any CredentialStore)?
        /// How many redirects one request follows; 0 delivers the redirect itself.
        public var redirectLimit = 20
        /// Decides on each redirect before the session follows it; `nil` follows all that ``redirectLimit`` allows.
        public var redirectDecision: (@Sendable (Redirect) async throws -> RedirectDecision)?
        /// Whether a redirect from `https` to `http` is followed; otherwise the request fails with
        /// ``RedirectError/toPlainHTTP(from:to:)``.
        ///
        /// Off unless set. What follows such a redirect can be read and changed by everyone on the way there, with the URL, which the
        /// server may have put a token into. ``redirectDecision`` is asked first, and may deliver the redirect instead.
        public var allowsRedirectsToPlainHTTP = false
        /// When the session sends a failed request again.
        ///
        /// The default is never.
        public var retries = RetryPolicy.none
        /// The jar that keeps the cookies of servers, and gives them to requests; `nil` neither keeps nor sends cookies.
        ///
        /// A field `Cookie` that a request brings is sent as it is, before what the jar adds under other names.
        public var cookies: CookieJar?
        /// Whether bodies are asked for in a compressed form, and delivered without it.
        ///
        /// `Accept-Encoding: gzip, deflate` is then sent, with the trait `Brotli` also `br`, or `identity` with a field `Range`. Of a
        /// response that was coded in known ways the fields `Content-Encoding` and `Content-Length` are taken off too;
        /// ``ResponseBody/codings`` says what there was. Unknown ones are delivered as they came, with their fields, and so is every
        /// response to a request whose `Accept-Encoding` the user wrote, and every part of a representation (206).
        public var decodesContent = true

        /// Whether a request asks for compression that ``decodesContent`` undoes.
        ///
        /// Where it does not, `Accept-Encoding: identity` is sent (RFC 9110 section 12.5.3): a large file then arrives with its length,
        /// and without the time that compressing it takes. What a server compresses all the same is decoded.
        public var asksForCompression = true
        /// How much larger a body may become when it is decoded.
        public var expansionLimit = ExpansionLimit()
        /// The versions of TLS that may be negotiated.
        ///
        /// The default is 1.2 and 1.3.
        public var tlsVersions: TLSVersions = .all
        /// The versions of HTTP.
        ///
        /// The default is HTTP/2 if the origin selects it by ALPN, and HTTP/1.1 otherwise.
        public var httpVersions: HTTPVersions = .all
        /// Whether lines of a response's head may end in LF instead of CR LF, as old devices send them (RFC 9112 section 2.2).
        ///
        /// Off unless set. It applies to HTTP/1.1, to origins and proxies, and to status lines and header fields. Chunk sizes and
        /// trailers still need CR LF, and a CR alone is always refused. Set it for devices that need it: a server that lets others put
        /// an LF into a field lets them add fields to its responses.
        public var allowsBareLineFeeds = false
        /// The limits of the number of connections and of their idle time.
        public var connectionLimits = ConnectionLimits()
        /// How long a request waits for a connection if all that ``connectionLimits`` allow are busy.
        public var poolTimeout: Duration = .seconds(30)
        /// How long a TCP connection may take.
        public var connectTimeout: Duration = .seconds(30)
        /// How long a server may be silent in a TLS handshake.
        ///
        /// The time in which a handler decides does not count.
        public var handshakeTimeout: Duration = .seconds(30)
        /// How long the first byte of a response may take once the request is sent; no longer than ``idleTimeout``, which is what `nil`
        /// leaves it at.
        public var responseTimeout: Duration?
        /// How long a request may take, from the first connection to the last byte, with its redirects and challenges; `nil` for as long
        /// as it takes.
        public var totalTimeout: Duration?
        /// How long a connection may stay silent while the session waits for a response.
        ///
        /// A peer that reads the request is not silent.
        public var idleTimeout: Duration = .seconds(60)
        /// How long a body with `Expect: 100-continue` waits for the server's 100.
        ///
        /// It is then sent, because not every server sends one.
        public var continueTimeout: Duration = .seconds(1)
        /// How long the session may fetch what a trust policy asks for: revocation lists, OCSP responses, missing issuers.
        public var evidenceTimeout: Duration = .seconds(10)
        /// What remembers servers for `TrustPolicy.Validation.firstUse`; the default forgets them with the last session that
        /// was made from this configuration.
        public var serverMemory: any ServerMemory = VolatileServerMemory()
        /// The event loops that run the session's connections.
        ///
        /// The default is SwiftNIO's group that the whole process shares.
        public var eventLoopGroup: any EventLoopGroup {
            get { threads.group }
            set { threads = Threads(group: newValue) }
        }
        /// The logger, which gets events at level debug, without secrets.
        public var logger: Logger?
        /// How often the session logs the same kind of event of one host; `nil` for every time.
        ///
        /// What was left out is counted in the metadata `suppressed` of the next line of the kind.
        public var logLimit: LogLimit? = LogLimit(count: 60, interval: .seconds(60))
        /// Makes what the session counts by; `nil` counts nothing, and costs nothing.
        ///
        /// `MetricsSystem.factory` is the process's own. Counters: `countersign_requests` (by `method` and `outcome`: `2xx` to `5xx`, or
        /// `error`), `countersign_errors` (by `code`: that of the error), `countersign_connections_opened` and `countersign_connections_reused`,
        /// `countersign_challenges_answered` (by `method`), `countersign_redirects`, `countersign_retries`. Timer:
        /// `countersign_request_duration` (by `method`), up to the head of the response that is delivered. Meter:
        /// `countersign_connections_open`.
        public var metrics: (any MetricsFactory)?
        /// Makes a span of each sending of a request, and tells servers of it; `nil` makes none, and costs nothing.
        ///
        /// A span's URL has no user, no password and no values in its query.
        public var tracer: (any Tracer)?
        /// A closure that the session calls with each event, on any thread.
        public var observer: (@Sendable (SessionEvent) -> Void)?

        /// Shows nothing of a group when a configuration is dumped: behind it is all that the process is doing.
        private struct Threads: CustomReflectable {
            let group: any EventLoopGroup

            var customMirror: Mirror { Mirror(self, children: []) }
        }

        private var threads = Threads(group: MultiThreadedEventLoopGroup.singleton)

        /// Makes a configuration with the defaults: the system's anchors, no handlers, no proxy.
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
    func connectionSettings(within reach: EvidenceReach?) -> ConnectionSettings {
        ConnectionSettings(
            group: eventLoopGroup, connectTimeout: connectTimeout, handshakeTimeout: handshakeTimeout,
            idleTimeout: idleTimeout, lineEnding: allowsBareLineFeeds ? .lineFeed : .carriageReturnLineFeed,
            allowsAddress: reach.map { reach in { @Sendable address in reach.includes(address) } })
    }
}
