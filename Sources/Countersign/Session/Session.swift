// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
import HTTPTypes
public import Logging

/// Reaches protected resources: sends requests, decides on trust, answers challenges, keeps connections.
public struct Session: Sendable {
    /// How a session behaves.
    public struct Configuration: Sendable {
        /// What is asked of which server; a proxy is a server too, by its own host.
        public var policies: DomainPolicies
        /// Who answers what the session cannot answer from memory.
        public var handlers: ChallengeHandlers
        /// Which methods of HTTP are answered, and in which order: the strongest first unless said otherwise.
        public var methods = MethodPreference()
        /// The schemes of HTTP beyond those that are built in; one that ``methods`` does not list is tried before all others.
        public var schemes: HTTPSchemes = [:]
        /// Whether NTLM is answered where no TLS protects the connection, to an origin or to a proxy.
        ///
        /// What is sent is enough to guess the password from, or to be relayed to another server that it fits.
        public var allowsNTLMOverPlainHTTP = false
        /// Through which every request goes; `nil` for none.
        public var proxy: Proxy?
        /// Where connections lead instead of where URLs say: the keys are the URLs' hosts and ports.
        ///
        /// What is asked of a server, and of its certificate, stays what it is for the URL. A proxy is asked for a tunnel there, also to
        /// origins of `http`.
        public var detours: [Endpoint: Endpoint] = [:]
        /// Where credentials of persistence ``Credential/Persistence/permanent`` are kept, and looked for before a handler is asked;
        /// `nil` keeps none for longer than the session.
        public var credentialStore: (any CredentialStore)?
        /// How many redirects one request follows; 0 delivers the redirect itself.
        public var redirectLimit = 20
        /// TLS 1.2 and 1.3 unless said otherwise.
        public var tlsVersions: TLSVersions = .all
        /// How long a TCP connection may take.
        public var connectTimeout: Duration = .seconds(30)
        /// How long a connection may stay silent while a response is awaited.
        public var idleTimeout: Duration = .seconds(60)
        /// How long a body waits for the server's word where it is sent with `Expect: 100-continue`; servers need not know that.
        public var continueTimeout: Duration = .seconds(1)
        /// How long fetching may take that a policy of trust asks for: revocation lists, OCSP responses, missing issuers.
        public var evidenceTimeout: Duration = .seconds(10)
        /// What remembers servers for ``TrustPolicy/Validation/firstUse``; the default forgets them with the last session that
        /// was made from this configuration.
        public var serverMemory: any ServerMemory = VolatileServerMemory()
        /// Told what happens, at level debug and without secrets.
        public var logger: Logger?
        /// Called with what happens, from any thread.
        public var observer: (@Sendable (SessionEvent) -> Void)?

        /// The defaults: the system's anchors, no handlers, no proxy.
        public init(trust: TrustPolicy = TrustPolicy(), handlers: ChallengeHandlers = [:], proxy: Proxy? = nil) {
            self.init(
                policies: DomainPolicies(fallback: ServerPolicy(trust: trust)), handlers: handlers, proxy: proxy)
        }

        /// A policy for each domain, such as a policy file has them.
        public init(policies: DomainPolicies, handlers: ChallengeHandlers = [:], proxy: Proxy? = nil) {
            self.policies = policies
            self.handlers = handlers
            self.proxy = proxy
        }

        /// What the chains of all servers must satisfy for which ``policies`` names nothing else, and requests neither.
        public var trust: TrustPolicy {
            get { policies.fallback.trust }
            set { policies.fallback.trust = newValue }
        }
    }

    /// Which versions of TLS may be negotiated.
    public enum TLSVersions: Hashable, Sendable {
        case all
        case onlyTLS12
        case onlyTLS13
    }

    let core: SessionCore

    /// A session with its own connections and its own memory of credentials.
    public init(_ configuration: Configuration = Configuration()) {
        core = SessionCore(configuration: configuration)
    }

    /// A session that fetches what others decide on trust by, and nothing for itself.
    init(fetchingEvidenceWith configuration: Configuration) {
        core = SessionCore(configuration: configuration, fetchesEvidence: false)
    }

    /// Gets a resource.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The response's head, its body still to be read.
    /// - Throws: ``SessionError``; `CancellationError` where the task is cancelled; what a handler throws.
    public func get(_ url: String) async throws -> Response {
        try await send(Request(url: url))
    }

    /// Sends a request, answers what stands in its way, and follows redirects.
    ///
    /// A 401 that no handler answers is delivered as it is; a 407 is an error, because it is not the resource's.
    ///
    /// - Throws: ``SessionError``; `CancellationError` where the task is cancelled; what a handler throws.
    public func send(_ request: Request) async throws -> Response {
        var request = request
        var (url, userInfo) = try HTTPURL.parse(request.url)
        request.urlUserInfo = userInfo
        var trail = RedirectTrail(from: url, method: request.method, limit: core.configuration.redirectLimit)
        while true {
            var transaction = try Transaction(request, to: url, core: core)
            let response = try await transaction.perform()
            guard core.configuration.redirectLimit > 0, let location = response.redirectLocation else {
                return response
            }
            let next = try url.resolving(location: location)
            try await response.body.discard()
            request = request.redirected(
                to: next, from: url, by: response.status, accepted: transaction.acceptedOwnMethod)
            try trail.follow(to: next, method: request.method)
            core.report(.redirected(from: url.description, to: next.description))
            try request.checkBody(for: next)
            url = next
        }
    }

    /// Closes every connection that is idle, and the others when their responses are read; later requests fail.
    public func close() async {
        await core.pool.close()
        await core.evidence?.close()
    }
}

extension Session: CustomStringConvertible, CustomReflectable {
    /// No more than that it is one.
    public var description: String { "Session" }

    /// Shows how the session behaves, and nothing of what it remembers or has open.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": core.configuration]) }
}

extension Response {
    /// Where a redirect leads; `nil` for every other response.
    fileprivate var redirectLocation: String? {
        [301, 302, 303, 307, 308].contains(status.code) ? headerFields[.location] : nil
    }
}
