// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// Follows redirects (RFC 9110 section 15.4), as far as the configuration and the caller's decision allow.
struct RedirectStage: RequestStage {
    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse {
        var request = request
        var fragment = request.request.url.fragment
        var history = RedirectHistory(
            from: request.url, method: request.request.method,
            limit: request.context.core.configuration.redirectLimit)
        while true {
            var outcome = try await next(request)
            guard outcome.response.isRedirect,
                let redirected = try await follow(outcome, of: request, &history)
            else {
                if let fragment { outcome.response.url += "#" + fragment }
                return outcome
            }
            request = redirected.request
            // What was asked for within the resource is meant where it has moved, too (RFC 9110 section 10.2.2).
            fragment = redirected.fragment ?? fragment
        }
    }

    /// - Returns: The request to send next, and the fragment that the redirect names; `nil` where the response is delivered.
    private func follow(
        _ outcome: PipelineResponse, of request: PipelineRequest, _ history: inout RedirectHistory
    ) async throws -> (request: PipelineRequest, fragment: String?)? {
        let (core, url, status) = (request.context.core, request.url, outcome.response.status)
        guard core.configuration.redirectLimit > 0, let location = try outcome.response.redirectLocation(from: url)
        else { return nil }
        let destination = try url.resolving(location: location)
        let next = request.request.redirected(to: destination, from: url, by: status, accepted: outcome.acceptedMethod)
        guard
            try await isFollowed(
                request, to: destination, by: status, method: next.method, number: history.count + 1)
        else { return nil }
        guard url.scheme == .http || destination.scheme == .https || core.configuration.allowsRedirectsToPlainHTTP
        else {
            throw SessionError.redirectToPlainHTTP(from: url.redacted, to: destination.redacted)
        }
        try await outcome.response.body.discard()
        try history.follow(to: destination, method: next.method)
        core.report(.redirected(from: url.description, to: destination.description))
        try next.checkBody(for: destination)
        request.context.noteResend()
        return (PipelineRequest(next, to: destination, request.context), location.fragment)
    }

    /// Asks the decision of the request or the session, if there is one.
    ///
    /// - Throws: ``SessionError/redirectRefused(from:to:)``, and what the decision throws.
    private func isFollowed(
        _ request: PipelineRequest, to destination: HTTPURL, by status: HTTPResponse.Status,
        method: HTTPRequest.Method, number: Int
    ) async throws -> Bool {
        let configured = request.context.core.configuration.redirectDecision
        guard let decide = request.request.redirectDecision ?? configured else { return true }
        let redirect = Redirect(
            from: request.url.description, to: destination.description, status: status, method: method, number: number)
        switch try await decide(redirect) {
        case .follow: return true
        case .deliver: return false
        case .refuse: throw SessionError.redirectRefused(from: request.url.redacted, to: destination.redacted)
        }
    }
}

extension Response {
    fileprivate var isRedirect: Bool {
        switch status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Where a redirect leads; `nil` for every other response.
    ///
    /// - Throws: ``SessionError/invalidRedirect(from:location:)`` where it would lead to two places: what is between here and there may
    ///   have read the other one.
    fileprivate func redirectLocation(from url: HTTPURL) throws(SessionError) -> String? {
        guard isRedirect else { return nil }
        let locations = headerFields[values: .location]
        guard Set(locations).count > 1 else { return locations.first }
        throw .invalidRedirect(
            from: url.redacted, location: locations.map(Redaction.url).joined(separator: ", "))
    }
}
