// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The way of a request through a session.
///
/// Each stage handles the request, passes it to the next stage as often as it has to, and handles the response. Where a request is
/// sent again, one stage decides that for one reason: a redirect (``RedirectStage``), a failure or status that the retry policy names
/// (``RetryStage``), a challenge (``AuthenticationStage``), or a connection that was lost before the server processed the request
/// (``ConnectionStage``). ``RequestContext`` holds the bounds of all of them.
struct RequestPipeline: Sendable {
    /// Sends a request through all stages.
    let send: NextStage

    init(_ configuration: Session.Configuration) {
        var stages: [any RequestStage] = []
        if configuration.decodesContent { stages.append(ContentDecodingStage(limit: configuration.expansionLimit)) }
        stages.append(RedirectStage())
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
