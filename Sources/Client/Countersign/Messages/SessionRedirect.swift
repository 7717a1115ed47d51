// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// A redirect response (RFC 9110 section 15.4), before it is followed.
public struct SessionRedirect: Sendable {
    /// The URL that redirects, without user information and fragment.
    public let from: String
    /// The absolute URL of the destination, without user information and fragment.
    public let to: String
    /// The status of the redirect: 301, 302, 303, 307 or 308.
    public let status: HTTPResponse.Status
    /// The method of the request that would follow the redirect (RFC 9110 section 15.4).
    public let method: HTTPRequest.Method
    /// The number of the redirect within its request, starting at 1.
    public let number: Int
    /// The request that would follow the redirect, without the credentials and fields that another origin may not get.
    package let request: SessionRequest
}

extension SessionRedirect: CustomStringConvertible, CustomReflectable {
    /// The status and both URLs, without the values of secret parameters.
    public var description: String { "\(status.code) from \(Redaction.url(from)) to \(Redaction.url(to))" }

    /// A mirror that shows only the description, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["redirect": description]) }
}

/// The session's reaction to a redirect.
@nonexhaustive
public enum RedirectDecision: Hashable, Sendable {
    /// The redirect is followed, within the limits of ``HTTPSession/Configuration/redirectLimit``, the request's body and
    /// ``HTTPSession/Configuration/allowsRedirectsToPlainHTTP``.
    case follow
    /// The redirect itself is delivered as the response.
    case deliver
    /// The request fails with ``RedirectError/refused(from:to:)``.
    case refuse
}
