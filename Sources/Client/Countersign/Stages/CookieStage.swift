// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Sends the cookies that a jar has for a URL, and keeps those that a response sets (RFC 6265 sections 5.3 and 5.4).
struct CookieStage: RequestStage {
    let jar: CookieJar

    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse {
        var request = request
        jar.attach(to: &request.request.headerFields, for: request.url)
        let outcome = try await next(request)
        jar.receive(outcome.response, from: request.url)
        return outcome
    }
}
