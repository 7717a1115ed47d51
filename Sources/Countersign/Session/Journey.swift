// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes
import NIOCore

/// One request on its way to the response that is delivered: through redirects, and through failures that are tried again.
struct Journey {
    /// The response of one place.
    struct Answer {
        let response: Response
        /// The method by which the origin took the request's own credential, if it did.
        let acceptedMethod: AuthenticationMethod?
    }

    let core: SessionCore
    private(set) var request: Request
    private(set) var url: HTTPURL
    private let deadline: NIODeadline?
    private var fragment: String?
    private var trail: RedirectTrail
    private let answers = AnswerCount()
    /// `nil` where nothing is tried again.
    private var retries: RetryCourse?
    private let repeats = RepeatBudget()

    /// - Throws: ``SessionError/invalidURL(_:_:)``, ``SessionError/unsupportedScheme(_:)``,
    ///   ``SessionError/forbiddenCharacter(_:)``.
    init(_ request: Request, core: SessionCore, deadline: NIODeadline? = nil) throws(SessionError) {
        try request.checkTexts()
        if let flaw = core.proxyFlaw { throw .forbiddenCharacter(flaw) }
        self.core = core
        self.deadline = deadline
        self.request = request
        (url, self.request.urlUserInfo) = try HTTPURL.parse(request.url)
        fragment = request.url.fragment
        trail = RedirectTrail(from: url, method: request.method, limit: core.configuration.redirectLimit)
        let policy = core.configuration.retries
        if policy.attempts > 0 { retries = RetryCourse(policy, start: .now) }
    }

    /// How often something was sent anew, because of a redirect or a failure.
    var resendCount: Int { trail.count + (retries?.count ?? 0) }

    mutating func complete() async throws -> Response {
        while true {
            let answer = retries == nil ? try await attempt() : try await persist()
            guard answer.response.isRedirect, try await follow(answer) else {
                let response = delivered(answer.response)
                guard core.configuration.decodesContent else { return response }
                return try response.decoded(for: request, limit: core.configuration.expansionLimit)
            }
        }
    }

    /// Sends the request to one place until it is answered for good.
    private mutating func persist() async throws -> Answer {
        while true {
            do {
                let answer = try await attempt()
                let response = answer.response
                let wish = RetryAfter(response.headerFields, now: .secondsSince1970)?.wait
                guard let wait = wait(after: .answered(response.status, retryAfter: wish)) else { return answer }
                try await response.body.discard()
                try await pause(wait, because: .status(response.status))
            } catch let error as SessionError {
                guard let wait = wait(after: .failed(error)) else { throw error }
                try await pause(wait, because: .failure(error))
            }
        }
    }

    private mutating func wait(after outcome: RetryCourse.Outcome) -> Duration? {
        var generator = SystemRandomNumberGenerator()
        guard let wait = retries?.wait(after: outcome, of: request, at: .now, using: &generator) else { return nil }
        // The response or the error in hand tells the caller more than a time-out would.
        if let deadline, NIODeadline.now() + TimeAmount(wait) >= deadline { return nil }
        return wait
    }

    private func pause(_ wait: Duration, because reason: RetryReason) async throws {
        core.report(.retrying(url.description, after: wait, reason))
        try await Task.sleep(for: wait)
    }

    /// Sends the request to one place, once but for challenges.
    private func attempt() async throws -> Answer {
        guard let tracer = core.configuration.tracer else { return try await exchange(request) }
        return try await traced(by: tracer)
    }

    func exchange(_ request: Request) async throws -> Answer {
        let transaction = try Transaction(request, to: url, core: core, repeats: repeats, answers: answers)
        transaction.deadline = deadline
        let response = try await transaction.perform()
        return Answer(response: response, acceptedMethod: transaction.acceptedOwnMethod)
    }

    /// - Returns: Whether the response was a redirect, and the request now leads elsewhere.
    private mutating func follow(_ answer: Answer) async throws -> Bool {
        guard core.configuration.redirectLimit > 0, let location = try answer.response.redirectLocation(from: url)
        else { return false }
        let status = answer.response.status
        let destination = try url.resolving(location: location)
        let next = request.redirected(to: destination, from: url, by: status, accepted: answer.acceptedMethod)
        guard try await isFollowed(to: destination, by: status, method: next.method) else { return false }
        guard url.scheme == .http || destination.scheme == .https || core.configuration.allowsRedirectsToPlainHTTP
        else {
            throw SessionError.redirectToPlainHTTP(from: url.redacted, to: destination.redacted)
        }
        try await answer.response.body.discard()
        try trail.follow(to: destination, method: next.method)
        core.report(.redirected(from: url.description, to: destination.description))
        try next.checkBody(for: destination)
        (request, url) = (next, destination)
        // What was asked for within the resource is meant where it has moved, too (RFC 9110 section 10.2.2).
        fragment = location.fragment ?? fragment
        return true
    }

    /// Asks the decision of the request or the session, if there is one.
    ///
    /// - Throws: ``SessionError/redirectRefused(from:to:)``, and what the decision throws.
    private func isFollowed(
        to destination: HTTPURL, by status: HTTPResponse.Status, method: HTTPRequest.Method
    ) async throws -> Bool {
        guard let decide = request.redirectDecision ?? core.configuration.redirectDecision else { return true }
        let redirect = Redirect(
            from: url.description, to: destination.description, status: status, method: method,
            number: trail.count + 1)
        switch try await decide(redirect) {
        case .follow: return true
        case .deliver: return false
        case .refuse: throw SessionError.redirectRefused(from: url.redacted, to: destination.redacted)
        }
    }

    private func delivered(_ response: Response) -> Response {
        guard let fragment else { return response }
        var response = response
        response.url += "#" + fragment
        return response
    }
}

extension Response {
    fileprivate var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status.code) }

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
