// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation
import HTTPTypes

/// Follows redirects (RFC 9110 section 15.4), as far as the configuration and the caller's decision allow.
///
/// A redirect may only lead to http or https, and from https to http only if
/// ``HTTPSession/Configuration/allowsRedirectsToPlainHTTP`` is set. A request follows at most
/// ``HTTPSession/Configuration/redirectLimit`` redirects, by default 20.
struct RedirectStage: RequestStage {
    func handle(_ request: PipelineRequest, next: @escaping NextStage) async throws -> PipelineResponse {
        var request = request
        var fragment = request.request.url.fragment
        let core = request.context.core
        var history = RedirectHistory(
            from: RedirectHistory.Step(request.request, to: request.url, core),
            limit: core.configuration.redirectLimit)
        while true {
            var outcome = try await next(request)
            guard outcome.response.isRedirect,
                let redirected = try await follow(outcome, of: request, &history)
            else {
                if let fragment { outcome.response.url += "#" + fragment }
                return outcome
            }
            request = redirected.request
            // The fragment of the request also applies to the redirect's destination (RFC 9110 section 10.2.2).
            fragment = redirected.fragment ?? fragment
        }
    }

    /// Decides whether to follow the redirect of a response.
    ///
    /// - Returns: The request to send next, and the fragment in the redirect's location; `nil` if the response is
    ///   delivered.
    private func follow(
        _ outcome: PipelineResponse, of request: PipelineRequest, _ history: inout RedirectHistory
    ) async throws -> (request: PipelineRequest, fragment: String?)? {
        let (core, url, status) = (request.context.core, request.url, outcome.response.status)
        guard core.configuration.redirectLimit > 0, let location = try outcome.response.redirectLocation(from: url)
        else { return nil }
        let destination = try url.resolving(location: location)
        let next = request.request.redirected(to: destination, from: url, by: status, accepted: outcome.acceptedMethod)
        guard
            try await isFollowed(request, by: next, to: destination, status, number: history.count + 1)
        else { return nil }
        guard url.scheme == .http || destination.scheme == .https || core.configuration.allowsRedirectsToPlainHTTP
        else {
            throw SessionError.redirect(.toPlainHTTP(from: url.redacted, to: destination.redacted))
        }
        try await outcome.response.body.discard()
        try history.follow(to: RedirectHistory.Step(next, to: destination, core))
        request.context.report(.redirected(from: url.description, to: destination.description))
        try next.requireRepeatableBody(for: destination)
        request.context.noteResend()
        return (PipelineRequest(.init(next, to: destination), request.context), location.fragment)
    }

    /// Asks the redirect decision of the request or the session, if there is one.
    ///
    /// - Throws: ``SessionError`` of ``RedirectError/refused(from:to:)``, and any error of the decision.
    private func isFollowed(
        _ request: PipelineRequest, by next: SessionRequest, to destination: HTTPURL, _ status: HTTPResponse.Status,
        number: Int
    ) async throws -> Bool {
        let configured = request.context.core.configuration.redirectDecision
        guard let decide = request.request.redirectDecision ?? configured else { return true }
        let redirect = SessionRedirect(
            from: request.url.description, to: destination.description, status: status, method: next.method,
            number: number, request: next)
        switch try await decide(redirect) {
        case .follow: return true
        case .deliver: return false
        case .refuse: throw SessionError.redirect(.refused(from: request.url.redacted, to: destination.redacted))
        }
    }
}

extension SessionResponse {
    fileprivate var isRedirect: Bool {
        switch status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns the location of a redirect; `nil` for every other response, and for an empty location.
    ///
    /// - Throws: ``SessionError`` of ``RedirectError/invalid(from:location:)`` if there are two locations, because an
    ///   intermediary may have used the other one.
    fileprivate func redirectLocation(from url: HTTPURL) throws(SessionError) -> String? {
        guard isRedirect else { return nil }
        let locations = headerFields[values: .location].filter { !$0.isEmpty }
        guard Set(locations).count > 1 else { return locations.first }
        throw .redirect(
            .invalid(
                from: url.redacted, location: locations.map(Redaction.url).joined(separator: ", ")))
    }
}

/// The requests of one redirect chain, for the detection of loops and of too many redirects (RFC 9110 section 15.4).
struct RedirectHistory {
    /// One request with everything on which a server's response may depend.
    ///
    /// A form is often answered with a redirect to its own page, a cookie check with one to the same URL, and a single
    /// sign-on with one back to the original URL. The later request then differs in its method, cookies or credential.
    struct Step: Hashable {
        let url: HTTPURL
        let method: HTTPRequest.Method
        var cookies: String?
        var authorization: String?
        /// The credential that the session sends preemptively.
        var credential: Credential?
    }

    private let limit: Int
    private let start: Step
    private var later: [Step] = []

    /// The number of redirects that were followed.
    var count: Int { later.count }

    init(from start: Step, limit: Int) { (self.start, self.limit) = (start, limit) }

    /// Adds a redirect to the chain.
    ///
    /// - Throws: ``SessionError`` of ``RedirectError/loop(_:)``, ``RedirectError/tooMany(_:limit:)``.
    mutating func follow(to step: Step) throws {
        let isLoop = step == start || later.contains(step)
        later.append(step)
        guard !isLoop else { throw SessionError.redirect(.loop(([start] + later).map(\.url.redacted))) }
        guard later.count <= limit else { throw SessionError.redirect(.tooMany(start.url.redacted, limit: limit)) }
    }
}

extension RedirectHistory.Step {
    /// Creates the step of a request as the session would send it now.
    fileprivate init(_ request: SessionRequest, to url: HTTPURL, _ core: SessionCore) {
        var fields = request.explicitFields
        core.configuration.cookies?.attach(to: &fields, for: url)
        let own = request.credential(for: url, among: core.configuration.credentials)
        let remembered = core.memory.match(for: Challenger(origin: url), own: own, target: url.target)
        self.init(
            url: url, method: request.method, cookies: fields[.cookie], authorization: fields[.authorization],
            credential: remembered?.credential ?? own)
    }
}

extension HTTPURL {
    /// Resolves a `Location` field (RFC 9110 section 10.2.2).
    ///
    /// A user name and a password in it are ignored, because the server that wrote them could use them to imitate
    /// another one (section 4.2.4).
    func resolving(location: String) throws(SessionError) -> HTTPURL {
        guard let base = URL(string: description), let url = URL(string: location, relativeTo: base)?.absoluteURL
        else { throw .redirect(.invalid(from: redacted, location: Redaction.url(location))) }
        do {
            return try HTTPURL(url, written: url.absoluteString)
        } catch {
            throw .redirect(.invalid(from: redacted, location: Redaction.url(location)))
        }
    }

    /// Returns whether the URL has the origin of another one, or the same host over TLS instead of without it.
    ///
    /// Such a redirect exposes nothing: the certificate proves the host, which has or may ask for the credential.
    func mayHaveCredentials(of other: HTTPURL) -> Bool {
        endpoint.host == other.endpoint.host
            && ProtectionSpace.mayHaveCredentials(
                of: (other.endpoint.port, other.scheme == .https), port: endpoint.port, isEncrypted: scheme == .https)
    }
}

extension SessionRequest {
    /// Returns the request to send to a redirect's destination.
    ///
    /// If the origin changes, except to TLS for the same host, only fields that reveal nothing about the user are kept,
    /// because an unknown field may contain a key.
    ///
    /// `accepted` is the method by which the origin accepted the request's own credential, if it did.
    func redirected(
        to url: HTTPURL, from origin: HTTPURL, by status: HTTPResponse.Status, accepted: AuthenticationMethod? = nil
    ) -> SessionRequest {
        var next = self
        next.url = url.description
        let becomesGet =
            status == .seeOther && method != .head
            || (status == .movedPermanently || status == .found) && method == .post
        if becomesGet {
            next.method = .get
            next.body = nil
            for name in [
                HTTPField.Name.contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation,
            ] {
                next.explicitFields[name] = nil
            }
        }
        if url.endpoint.host != origin.endpoint.host { next.authority = nil }
        if !url.mayHaveCredentials(of: origin) { next.removeCredentials(from: origin, to: url, accepted: accepted) }
        return next
    }

    private mutating func removeCredentials(from origin: HTTPURL, to url: HTTPURL, accepted: AuthenticationMethod?) {
        let hadCredential = credential != nil || urlUserInfo != nil || explicitFields[.authorization] != nil
        defer {
            let isKept = credential != nil || explicitFields[.authorization] != nil
            if hadCredential, !isKept { withheldOrigin = Challenger(origin: origin).origin }
        }
        urlUserInfo = nil
        let isTrusted = sendsCredentialsAcrossRedirects && (origin.scheme == .http || url.scheme == .https)
        let forwarded = isTrusted ? Self.forwardedFields.union([.authorization, .cookie]) : Self.forwardedFields
        explicitFields = HTTPFields(explicitFields.filter { forwarded.contains($0.name) })
        guard isTrusted, credential != nil else {
            credential = nil
            preemptiveMethod = nil
            return
        }
        // The accepted method is used preemptively after the redirect, as an Authorization field would be. A credential
        // that is sent immediately keeps its own condition, which may need TLS.
        if credential?.sending == .whenAsked { preemptiveMethod = preemptiveMethod ?? accepted }
    }

    private static let forwardedFields: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .contentType, .contentEncoding, .contentLanguage,
        .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .range, .userAgent,
    ]
}
