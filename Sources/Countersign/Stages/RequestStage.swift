// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

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

    init(_ request: Request, to url: HTTPURL, _ context: RequestContext) {
        (message, self.context) = (Message(request, to: url), context)
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
