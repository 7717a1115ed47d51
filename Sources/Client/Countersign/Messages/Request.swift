// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTypes

/// A request (RFC 9110 section 6), with settings for trust, credentials and redirects that apply to it alone.
public struct Request: Sendable {
    /// An absolute URL of `http` or `https`.
    ///
    /// A user and a password before the host, percent-encoded, are used as ``credential`` is, where that is `nil`. They are never logged,
    /// and never follow a redirect to another origin.
    public var url: String
    /// The method; GET by default.
    public var method: HTTPRequest.Method
    /// The header fields, sent as they are.
    ///
    /// If they have a field `Authorization`, the session answers no challenge.
    ///
    /// `HTTPFields` puts a space in the place of CR, LF and NUL. ``header(_:_:)`` refuses them.
    public var headerFields: HTTPFields
    /// The body, which the session sends again after a challenge if it can; `nil` for none.
    public var body: RequestBody?
    /// The trust policy of this request, in place of the session's; `nil` for the session's.
    ///
    /// Connections opened under another policy are not used.
    public var trust: TrustPolicy?
    /// The policies of the servers of this request and of its redirects, in place of the session's; `nil` for the session's.
    package var policies: DomainPolicies?
    /// The credential that answers challenges of the URL's origin, before any that the session remembers or a handler gives: a password, a
    /// token, or the current user's tickets.
    ///
    /// `nil` for none.
    ///
    /// The session uses what it learns with the credential only for requests that have an equal one.
    public var credential: Credential?
    /// The method by which the request's own credential is sent before the origin asks; `nil` waits for the challenge.
    ///
    /// Basic and Bearer are sent at once, and NTLM and Negotiate begin their exchange. All other methods need a challenge, and wait for it.
    public var unasked: AuthenticationMethod?
    /// Whether ``credential`` and the fields `Authorization` and `Cookie` are sent to another origin that a redirect leads to; `false` by
    /// default.
    ///
    /// The first origin chooses that other origin, which then has the credentials. A user and a password in the URL are never sent to
    /// another origin, and no credential is where a redirect leads from `https` to `http`.
    public var sendsCredentialsAcrossRedirects = false
    /// Decides on each redirect of this request; `nil` for the session's ``Session/Configuration/redirectDecision``.
    ///
    /// The request fails with what the closure throws.
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

extension Request: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, without the user, the password and the values of secret parameters in the URL.
    public var description: String {
        "\(method.rawValue) \((try? HTTPURL(url))?.redacted ?? Redaction.unreadableURL(url))"
    }

    /// Shows no more than the description, so that `dump` prints no secret of the URL or the header fields either.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

extension Request {
    /// Refuses texts that could end a line of the request and begin another one, before anything is sent.
    ///
    /// RFC 9110 section 5.5 lets a recipient replace CR, LF and NUL in fields; a sender that lets them through can be made to send
    /// what its caller did not mean (CVE-2014-8150).
    ///
    /// - Throws: ``SessionError`` of ``RequestError/forbiddenCharacter(_:)``.
    func checkTexts() throws(SessionError) {
        if let flaw = flaw ?? body?.flaw ?? credential?.flaw { throw .request(.forbiddenCharacter(flaw)) }
        guard url.isOneLine else { throw .request(.forbiddenCharacter(.url)) }
        guard body?.contentType?.isOneLine ?? true else { throw .request(.forbiddenCharacter(.contentType)) }
    }
}

extension Credential {
    /// The part that could end a line; `nil` where no part could.
    var flaw: RequestError.Text? {
        switch kind {
        case .password(let user, let password): user.isOneLine ? password.isOneLine ? nil : .password : .user
        case .token(let token): token.isOneLine ? nil : .token
        case .currentUser, .identity, .serverTrust: nil
        }
    }
}

extension FormPart {
    /// The part that could end a line of a part's head; `nil` where none could.
    var flaw: RequestError.Text? {
        guard name.isOneLine else { return .formName }
        guard fileName?.isOneLine ?? true else { return .fileName }
        return contentType?.isOneLine ?? true ? nil : .contentType
    }
}

/// A request and its URL, which all stages share: copying their many fields costs more than most stages do.
final class RequestMessage: Sendable {
    let request: Request
    let url: HTTPURL

    init(_ request: Request, to url: HTTPURL) { (self.request, self.url) = (request, url) }
}
