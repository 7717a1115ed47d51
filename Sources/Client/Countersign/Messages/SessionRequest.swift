// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
import HTTPTransport
public import HTTPTypes

/// A request (RFC 9110 section 6), with its own settings for trust, credentials and redirects.
public struct SessionRequest: Sendable {
    /// An absolute `http` or `https` URL.
    ///
    /// A percent-encoded user name and password before the host are used in place of ``credential`` if that is `nil`.
    /// They are never logged, and never follow a redirect to another origin.
    public var url: String
    /// The method; GET by default.
    public var method: HTTPRequest.Method
    /// The header fields, which are sent unchanged.
    ///
    /// They include the fields that the session derives from the ``body``: `Content-Length` if its length is known, and
    /// `Content-Type` if it has a media type and the request has no other `Content-Type`.
    ///
    /// If they contain an `Authorization` field, the session answers no challenge.
    ///
    /// `HTTPFields` replaces CR, LF and NUL with a space. ``header(_:_:)`` rejects them.
    public var headerFields: HTTPFields {
        get {
            var fields = explicitFields
            for field in body?.derivedFields ?? [] { fields.complete(field) }
            return fields
        }
        set {
            explicitFields = newValue
            // A derived field must change with the body.
            for field in body?.derivedFields ?? [] where newValue[field.name] == field.value {
                explicitFields[field.name] = nil
            }
        }
    }
    /// The header fields without the fields that are derived from the body.
    package var explicitFields: HTTPFields
    /// The body, which the session sends again after a challenge if it can; `nil` for none.
    public var body: SessionRequestBody?
    /// The trust policy of this request; `nil` for the session's policy.
    ///
    /// A connection that was opened under another policy is not used.
    public var trust: TrustPolicy?
    /// The policies of the servers of this request and of its redirects; `nil` for the session's policies.
    package var policies: DomainPolicies?
    /// The credential for challenges of the URL's origin: a password, a token, or the current user's tickets; `nil` for
    /// none.
    ///
    /// It takes precedence over the session's remembered credentials and over the handlers.
    ///
    /// The session reuses the authentication state of this credential only for requests with an equal credential.
    public var credential: Credential?
    /// The method by which the request's own credential is sent preemptively, even without TLS; `nil` for the condition
    /// of the credential, `Credential.sending`, which by default is to wait for the challenge.
    ///
    /// Basic and Bearer are sent with the first request, and NTLM and Negotiate start their exchange with it. All other
    /// methods need a challenge, and wait for it.
    public var preemptiveMethod: AuthenticationMethod?
    /// Whether ``credential`` and the fields `Authorization` and `Cookie` are sent to another origin after a redirect;
    /// `false` by default.
    ///
    /// The first origin chooses that other origin, which then receives the credentials. The user name and the password
    /// in the URL are never sent to another origin, and no credential follows a redirect from `https` to `http`.
    public var sendsCredentialsAcrossRedirects = false
    /// The decision about each redirect of this request; `nil` for the session's
    /// ``HTTPSession/Configuration/redirectDecision``.
    ///
    /// The request fails with any error that the closure throws.
    public var redirectDecision: (@Sendable (SessionRedirect) async throws -> RedirectDecision)?

    /// The timeout of the request, from the first connection to the last byte; `nil` for
    /// ``HTTPSession/Configuration/totalTimeout``.
    public var totalTimeout: Duration?
    /// The timeout of each attempt at the request, from its connection to the last byte; `nil` for
    /// ``HTTPSession/Configuration/attemptTimeout``.
    public var attemptTimeout: Duration?
    /// The timeout for opening a TCP connection for the request; `nil` for ``HTTPSession/Configuration/connectTimeout``.
    public var connectTimeout: Duration?
    /// The timeout for the silence of the connection while the session waits for the response; `nil` for
    /// ``HTTPSession/Configuration/idleTimeout``.
    public var idleTimeout: Duration?
    /// The policy for sending the request again; `nil` for ``HTTPSession/Configuration/retries``.
    public var retries: SessionRetryPolicy?

    /// The identifier of the request in events, in the log and in spans; `nil`, the default, for a new one each time that
    /// the request is sent.
    public var identifier: RequestIdentifier?

    /// The handlers of this request, which are asked after those of the session; none by default.
    package var handlers: ChallengeHandlers = [:]

    /// The text with forbidden characters that was passed to a method; `nil` if there is none.
    var forbiddenText: RequestError.Text?

    /// The user information of the URL.
    var urlUserInfo: URLUserInfo?

    /// The scheme and the authority of the origin whose credential a redirect to another origin removed; `nil` if none
    /// was removed.
    var withheldOrigin: String?

    /// The value of `Host` or `:authority`; `nil` for the URL's host and port.
    var authority: String?

    /// Makes a request; by default, a GET request without a body.
    public init(
        url: String, method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:], body: SessionRequestBody? = nil,
        trust: TrustPolicy? = nil
    ) {
        self.url = url
        self.method = method
        explicitFields = headerFields
        self.body = body
        self.trust = trust
    }
}

extension SessionRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, without the user, the password and the values of secret parameters in the URL.
    public var description: String {
        "\(method.rawValue) \((try? HTTPURL(url))?.redacted ?? Redaction.unreadableURL(url))"
    }

    /// A mirror that shows only the description, so that `dump` does not print secrets of the URL or the header fields.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

extension SessionRequest {
    /// Rejects texts that could end a line of the request and inject another one, before anything is sent.
    ///
    /// RFC 9110 section 5.5 lets a recipient replace CR, LF and NUL in fields; a sender that passes them on can be made
    /// to send requests that its caller did not intend (CVE-2014-8150).
    ///
    /// - Throws: ``SessionError`` of ``RequestError/forbiddenCharacter(_:)``.
    func checkTexts() throws(SessionError) {
        if let forbiddenText = forbiddenText ?? body?.forbiddenText ?? credential?.forbiddenText {
            throw .request(.forbiddenCharacter(forbiddenText))
        }
        guard url.isOneLine else { throw .request(.forbiddenCharacter(.url)) }
        guard body?.contentType?.isOneLine ?? true else { throw .request(.forbiddenCharacter(.contentType)) }
    }
}

extension SessionRequestBody {
    /// The header fields that describe the body (RFC 9110 sections 8.3 and 8.6).
    fileprivate var derivedFields: [HTTPField] {
        [
            contentType.map { HTTPField(name: .contentType, value: $0) },
            length.map { HTTPField(name: .contentLength, value: String($0)) },
        ].compactMap(\.self)
    }
}

extension Credential {
    /// The text that could end a line; `nil` if there is none.
    var forbiddenText: RequestError.Text? {
        switch kind {
        case .password(let user, let password): user.isOneLine ? password.isOneLine ? nil : .password : .user
        case .token(let token): token.isOneLine ? nil : .token
        case .currentUser, .identity, .encodedIdentity, .serverTrust: nil
        }
    }
}

extension FormPart {
    /// The text that could end a line of the part's header; `nil` if there is none.
    var forbiddenText: RequestError.Text? {
        guard name.isOneLine else { return .formName }
        guard fileName?.isOneLine ?? true else { return .fileName }
        return contentType?.isOneLine ?? true ? nil : .contentType
    }
}

/// A request and its URL, shared by all stages, because copying their many properties costs more than most stages do.
final class RequestMessage: Sendable {
    let request: SessionRequest
    let url: HTTPURL

    init(_ request: SessionRequest, to url: HTTPURL) { (self.request, self.url) = (request, url) }
}
