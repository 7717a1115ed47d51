// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes

extension Request {
    /// The request to send where a redirect leads.
    ///
    /// Where the origin changes only fields that say nothing of the user stay: an unknown field may hold a key.
    ///
    /// What is accepted is the method by which the origin took the request's own credential, if it did.
    func redirected(
        to url: HTTPURL, from origin: HTTPURL, by status: HTTPResponse.Status, accepted: AuthenticationMethod? = nil
    ) -> Request {
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
                next.headerFields[name] = nil
            }
        }
        if !url.hasSameOrigin(as: origin) { next.leaveOrigin(from: origin, to: url, accepted: accepted) }
        return next
    }

    private mutating func leaveOrigin(from origin: HTTPURL, to url: HTTPURL, accepted: AuthenticationMethod?) {
        urlUserInfo = nil
        let isTrusted = sendsCredentialsAcrossRedirects && (origin.scheme == .http || url.scheme == .https)
        let staying = isTrusted ? Self.impersonalFields.union([.authorization, .cookie]) : Self.impersonalFields
        headerFields = HTTPFields(headerFields.filter { staying.contains($0.name) })
        guard isTrusted, credential != nil else {
            credential = nil
            unasked = nil
            return
        }
        // What one origin has asked for goes with the redirect as a field would.
        unasked = unasked ?? accepted
    }

    private static let impersonalFields: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .contentType, .contentEncoding, .contentLanguage,
        .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .range, .userAgent,
    ]
}
