// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTypes

/// One request, complete with what it asks of the server's trust.
public struct Request: Sendable {
    /// An absolute URL of `http` or `https`.
    ///
    /// A user and a password that stand before the host, percent-encoded, are used as ``credential`` is, where that is `nil`; they
    /// are never logged, and never follow a redirect to another origin.
    public var url: String
    /// The method.
    ///
    /// The default is GET.
    public var method: HTTPRequest.Method
    /// The header fields, sent as they are.
    ///
    /// If they have a field `Authorization`, the session answers no challenge.
    ///
    /// `HTTPFields` puts a space in the place of CR, LF and NUL. ``header(_:_:)`` refuses them.
    public var headerFields: HTTPFields
    /// The body, which the session sends again after a challenge if it can; `nil` for none.
    public var body: RequestBody?
    /// The trust policy of this request, in place of the session's.
    ///
    /// Connections opened under another policy are not used.
    public var trust: TrustPolicy?
    /// What challenges of the URL's origin are answered with, before anything that the session remembers or a handler gives: a
    /// password, a token, or the current user's tickets.
    ///
    /// What the session learns by it serves only requests that bring an equal one.
    public var credential: Credential?
    /// The method by which the request's own credential is sent before the origin asks; `nil` waits for the challenge.
    ///
    /// Basic and Bearer are sent at once, and schemes that authenticate a connection begin their exchange; all others have nothing
    /// to say before a challenge, and wait for it.
    public var unasked: AuthenticationMethod?
    /// Whether ``credential`` and the fields `Authorization` and `Cookie` go along where a redirect leads to another origin.
    ///
    /// That origin, which the first one chose, then holds them. What stands in the URL stays behind in any case, and so does
    /// everything where a redirect leads from `https` to `http`.
    public var sendsCredentialsAcrossRedirects = false
    /// Decides on each redirect of this request, instead of the session's ``Session/Configuration/redirectDecision``.
    public var redirectDecision: (@Sendable (Redirect) async throws -> RedirectDecision)?

    /// How long the request may take, from the first connection to the last byte; `nil` for ``Session/Configuration/totalTimeout``.
    public var totalTimeout: Duration?

    /// A text that was given to a function and cannot be sent.
    var flaw: RequestError.Text?

    /// What stood before the host in the URL.
    var urlUserInfo: URLUserInfo?

    /// Makes a request; with a URL alone, a GET request.
    public init(
        url: String, method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:], body: RequestBody? = nil,
        trust: TrustPolicy? = nil
    ) {
        self.url = url
        self.method = method
        self.headerFields = headerFields
        self.body = body
        self.trust = trust
    }
}
