// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
import HTTPTransport
import HTTPTypes

/// A client session, which sends HTTP requests, evaluates the trust of servers, answers challenges, and pools
/// connections.
public struct HTTPSession: Sendable {
    let core: SessionCore
    private let pipeline: RequestPipeline

    /// Makes a session with a separate connection pool and a separate memory of credentials.
    public init(_ configuration: Configuration) {
        let memory = CredentialMemory()
        let evidence = EvidenceFetcher(
            for: configuration, proxyHandlers: .remembered(by: memory, for: configuration.proxies.all)
        ) { HTTPSession(fetchingEvidenceWith: $0, within: $1) }
        core = SessionCore(configuration: configuration, memory: memory, evidence: evidence)
        pipeline = RequestPipeline(configuration)
    }

    /// Makes a session with the default configuration, apart from the arguments.
    ///
    /// - Parameters:
    ///   - trust: The policy that the chain of every server must satisfy; by default, the chain must lead to an anchor
    ///     of the operating system.
    ///   - handlers: The handlers for challenges that the session cannot answer from its memory.
    ///   - proxy: The proxy of every request; `nil` for none.
    public init(trust: TrustPolicy = TrustPolicy(), handlers: ChallengeHandlers = [:], proxy: Proxy? = nil) {
        self.init(Configuration(trust: trust, handlers: handlers, proxy: proxy))
    }

    /// Creates a session that fetches evidence for the trust decisions of another session, but none for its own.
    init(fetchingEvidenceWith configuration: Configuration, within reach: EvidenceReach) {
        core = SessionCore(configuration: configuration, evidence: nil, reach: reach)
        pipeline = RequestPipeline(configuration)
    }

    /// Sends a request, answers challenges, and follows redirects.
    ///
    /// A 401 that no handler answers is delivered as the response. A 407 is an error, because it comes from the proxy
    /// and not from the resource.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: ``SessionError``; `CancellationError` if the task is cancelled; any error of a handler, a redirect
    ///   decision, the server memory or the body's parts.
    @concurrent public func send(_ request: SessionRequest) async throws -> SessionResponse {
        try core.requests.begin()
        defer { core.requests.end() }
        guard let metrics = core.metrics else { return try await complete(request) }
        return try await metrics.count(request.method) { try await complete(request) }
    }

    private func complete(_ request: SessionRequest) async throws -> SessionResponse {
        let (message, context) = try start(request)
        do {
            guard let deadline = context.deadline else { return try await pass(message, context) }
            return try await deadline.enforce(at: message.url.endpoint) { try await pass(message, context) }
        } catch {
            context.report(.failed(message.url.description, error))
            throw error
        }
    }

    /// Checks a request, and sets its deadline.
    private func start(_ request: SessionRequest) throws -> (RequestMessage, RequestContext) {
        try request.checkTexts()
        if let forbiddenText = core.forbiddenProxyText {
            throw SessionError.request(.forbiddenCharacter(forbiddenText))
        }
        var request = request
        let url: HTTPURL
        (url, request.urlUserInfo) = try HTTPURL.parse(request.url)
        let limit = request.totalTimeout ?? core.configuration.totalTimeout
        let deadline = limit.flatMap { HTTPExchange.Deadline(Timeout($0, .total)) }
        let context = RequestContext(
            core: core, identifier: request.identifier, deadline: deadline, retries: request.retries,
            handlers: request.handlers)
        return (RequestMessage(request, to: url), context)
    }

    private func pass(_ message: RequestMessage, _ context: RequestContext) async throws -> SessionResponse {
        let response = try await pipeline.send(PipelineRequest(message, context)).response
        guard core.configuration.decodesContent else { return response }
        return try response.decoded(for: message.request, limit: core.configuration.expansionLimit)
    }

    /// The configuration of the session.
    package var configuration: Configuration { core.configuration }

    /// Closes all idle connections at once, and the others when their responses have been read.
    ///
    /// Later requests fail with ``Cancellation/sessionClosed``.
    public func close() async {
        await core.pool.close()
        await core.evidence?.close()
    }

    /// Refuses new requests, waits until the running ones have ended, and closes the session.
    ///
    /// A request has ended if its response has been read or dropped. After ``Configuration/shutdownTimeout``, or at once
    /// if the task is cancelled, all connections are closed. Requests that are still running, the bodies that are still
    /// being read, and later requests fail with ``Cancellation/sessionClosed``.
    public func closeGracefully() async {
        await withTaskCancellationHandler {
            core.requests.refuseNew()
            let timer = Task {
                try await Task.sleep(for: core.configuration.shutdownTimeout)
                core.abort()
            }
            defer { timer.cancel() }
            await core.requests.waitForEnd()
            await close()
            await core.pool.waitForConnections()
        } onCancel: {
            core.abort()
        }
    }
}

extension HTTPSession: CustomStringConvertible, CustomReflectable {
    /// Returns "HTTPSession", so that printing a session never reveals its state.
    public var description: String { "HTTPSession" }

    /// A mirror of the configuration, without the credentials and connections of the session.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": core.configuration]) }
}

extension HTTPSession: EvidenceSession {}

extension EvidenceFetcher {
    /// Makes a fetcher with the proxies, the evidence timeout, the event loops, and the policies of a session's
    /// configuration.
    public convenience init(_ configuration: HTTPSession.Configuration = HTTPSession.Configuration()) {
        self.init(
            for: configuration, proxyHandlers: .remembered(by: CredentialMemory(), for: configuration.proxies.all)
        ) { HTTPSession(fetchingEvidenceWith: $0, within: $1) }
    }
}
