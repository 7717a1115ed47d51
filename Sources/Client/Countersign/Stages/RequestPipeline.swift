// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// The way of a request through a session.
///
/// Each stage handles the request, passes it to the next stage as often as it has to, and handles the response. Where a request is
/// sent again, one stage decides that for one reason: a redirect (``RedirectStage``), a failure or status that the retry policy names
/// (``RetryStage``), a challenge (``AuthenticationStage``), or a connection that was lost before the server processed the request, or
/// with an idempotent request (``ConnectionStage``). ``RequestContext`` holds the bounds of all of them.
struct RequestPipeline: Sendable {
    /// Sends a request through all stages.
    let send: NextStage

    init(_ configuration: Session.Configuration) {
        var stages: [any RequestStage] = [RedirectStage()]
        if configuration.retries.attempts > 0 { stages.append(RetryStage()) }
        if let tracer = configuration.tracer { stages.append(TracingStage(tracer: tracer)) }
        stages.append(AuthenticationStage())
        if let jar = configuration.cookies { stages.append(CookieStage(jar: jar)) }
        var send: NextStage = { try await ConnectionStage().send($0) }
        for stage in stages.reversed() {
            let next = send
            send = { try await stage.handle($0, next: next) }
        }
        self.send = send
    }
}

/// A part of the pipeline with one purpose.
protocol RequestStage: Sendable {
    /// Handles a request and its response.
    ///
    /// - Throws: ``SessionError``, `CancellationError`, and what a handler throws.
    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse
}

/// The rest of the pipeline.
typealias NextStage = @Sendable (PipelineRequest) async throws -> PipelineResponse

/// A request on its way through the pipeline.
struct PipelineRequest {
    /// A request and its URL, which all stages share: copying their many fields costs more than most stages do.
    final class Message: Sendable {
        let request: Request
        let url: HTTPURL

        init(_ request: Request, to url: HTTPURL) { (self.request, self.url) = (request, url) }
    }

    private(set) var message: Message
    let context: RequestContext
    /// The state of the request's authentication; ``AuthenticationStage`` sets it.
    var transaction: Transaction?

    init(_ message: Message, _ context: RequestContext) {
        (self.message, self.context) = (message, context)
    }

    var request: Request {
        get { message.request }
        set { message = Message(newValue, to: message.url) }
    }

    /// The request's URL, parsed, without user and password.
    var url: HTTPURL { message.url }
}

/// A response on its way back.
struct PipelineResponse {
    var response: Response
    /// The method by which the origin took the request's own credential, if it did.
    var acceptedMethod: AuthenticationMethod?
}
