// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import HTTPTypes
import NIOCore

/// The pipeline of stages that processes the requests of a session.
///
/// Each stage handles the request, passes it to the next stage as often as necessary, and handles the response. Each
/// reason to send a request again belongs to one stage: a redirect (``RedirectStage``), a failure or status in the
/// retry policy (``RetryStage``), a challenge (``AuthenticationStage``), an expectation that the server refuses
/// (``ExpectationStage``), or a connection that was lost before the server processed the request, or with an idempotent
/// request (``Transaction``, the end of the pipeline). ``RequestContext`` holds the limits for all of them.
struct RequestPipeline: Sendable {
    private let sendOnce: NextStage
    private let sendInAttempts: NextStage

    init(_ configuration: HTTPSession.Configuration) {
        sendInAttempts = Self.stages(configuration, retrying: true)
        let hasAttempts = configuration.retries.attempts > 0 || configuration.attemptTimeout != nil
        sendOnce = hasAttempts ? sendInAttempts : Self.stages(configuration, retrying: false)
    }

    /// Sends a request through the stages that it and the configuration need.
    func send(_ request: PipelineRequest) async throws -> PipelineResponse {
        let hasAttempts = request.request.retries != nil || request.request.attemptTimeout != nil
        return try await (hasAttempts ? sendInAttempts : sendOnce)(request)
    }

    private static func stages(_ configuration: HTTPSession.Configuration, retrying: Bool) -> NextStage {
        var stages: [any RequestStage] = [RedirectStage()]
        if retrying { stages.append(RetryStage()) }
        if let tracer = configuration.tracer { stages.append(TracingStage(tracer: tracer)) }
        if configuration.metrics != nil { stages.append(MeasuringStage()) }
        stages.append(AuthenticationStage())
        if let jar = configuration.cookies { stages.append(CookieStage(jar: jar)) }
        var send: NextStage = { request in
            guard let transaction = request.transaction else { throw SessionError.cancelled(.sessionClosed) }
            return PipelineResponse(response: try await transaction.send(request.request.explicitFields))
        }
        for stage in stages.reversed() {
            let next = send
            send = { try await stage.handle($0, next: next) }
        }
        return send
    }
}

/// A stage of the pipeline, with a single purpose.
protocol RequestStage: Sendable {
    /// Handles a request and its response.
    ///
    /// - Throws: ``SessionError``, `CancellationError`, and any error of a handler.
    func handle(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse
}

/// The rest of the pipeline.
typealias NextStage = @Sendable (PipelineRequest) async throws -> PipelineResponse

/// A request in the pipeline.
struct PipelineRequest {
    private(set) var message: RequestMessage
    let context: RequestContext
    /// The deadline of the attempt or of the request, whichever is earlier.
    var deadline: HTTPExchange.Deadline?
    /// The state of the request's authentication; ``AuthenticationStage`` sets it.
    var transaction: Transaction?

    init(_ message: RequestMessage, _ context: RequestContext) {
        (self.message, self.context, deadline) = (message, context, context.deadline)
    }

    var request: SessionRequest {
        get { message.request }
        set { message = RequestMessage(newValue, to: message.url) }
    }

    /// The request's URL, parsed, without user information.
    var url: HTTPURL { message.url }
}

/// A response in the pipeline.
struct PipelineResponse {
    var response: SessionResponse
    /// The method by which the origin accepted the request's own credential, if it did.
    var acceptedMethod: AuthenticationMethod?
}

/// Limits the time of each attempt, and sends a request again if the retry policy requires it: after a failure, or a
/// status such as 503.
struct RetryStage: RequestStage {
    func handle(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse {
        while true {
            do {
                let outcome = try await attempt(request, next: next)
                let response = outcome.response
                let requestedDelay = RetryAfter(response.headerFields, now: .secondsSince1970)?.wait
                guard let delay = delay(after: .responded(response.status, retryAfter: requestedDelay), of: request)
                else {
                    return outcome
                }
                try await response.body.discard()
                try await pause(delay, before: request, because: .status(response.status))
            } catch let error as SessionError {
                guard let delay = delay(after: .failed(error), of: request) else { throw error }
                try await pause(delay, before: request, because: .failure(error))
            }
        }
    }

    /// Sends the request once, within the attempt timeout.
    private func attempt(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse {
        let (message, context) = (request.message, request.context)
        let timeout = request.request.attemptTimeout ?? context.core.configuration.attemptTimeout
        guard let deadline = timeout.flatMap({ HTTPExchange.Deadline(Timeout($0, .attempt)) }),
            deadline.time < context.deadline?.time ?? .distantFuture
        else { return try await next(request) }
        return try await deadline.enforce(at: request.url.endpoint) {
            var request = PipelineRequest(message, context)
            request.deadline = deadline
            return try await next(request)
        }
    }

    private func delay(after outcome: RetrySchedule.Outcome, of request: PipelineRequest) -> Duration? {
        guard let delay = request.context.retryDelay(after: outcome, of: request.request) else { return nil }
        // Returning the response or error already received is more informative than a timeout.
        if let deadline = request.context.deadline, NIODeadline.now() + TimeAmount(delay) >= deadline.time {
            return nil
        }
        return delay
    }

    private func pause(_ delay: Duration, before request: PipelineRequest, because reason: RetryReason) async throws {
        request.context.report(.retrying(request.url.description, after: delay, reason))
        try await Task.sleep(for: delay)
        request.context.noteResend()
    }
}

/// Adds the cookies of a jar to a request, and stores the cookies of the response (RFC 6265 sections 5.3 and 5.4).
struct CookieStage: RequestStage {
    let jar: CookieJar

    func handle(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse {
        var request = request
        jar.attach(to: &request.request.explicitFields, for: request.url)
        let outcome = try await next(request)
        jar.receive(outcome.response, from: request.url)
        return outcome
    }
}
