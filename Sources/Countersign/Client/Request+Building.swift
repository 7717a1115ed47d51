// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTypes
public import Secrets

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request in one expression: each of these is the request with one thing more said.
extension Request {
    /// With a header field, in the place of all of that name.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - value: Its value; `nil` removes it. With CR, LF or NUL the request fails by
    ///     ``RequestError/forbiddenCharacter(_:)`` when it is sent.
    /// - Returns: The request with the field.
    public func header(_ name: HTTPField.Name, _ value: String?) -> Request {
        changed { request in
            request.headerFields[name] = value
            if value?.isOneLine == false { request.flaw = .field(name.rawName) }
        }
    }

    /// With further items of its URL's query, after those that it has.
    ///
    /// - Parameter items: Names and values, which are percent-encoded (RFC 3986 section 2.1), in the order sent; a name may occur again.
    /// - Returns: The request with the items.
    public func query(_ items: KeyValuePairs<String, String>) -> Request {
        items.reduce(self) { $0.query($1.key, $1.value) }
    }

    /// With a further item of its URL's query, after those that it has.
    ///
    /// - Parameters:
    ///   - name: Percent-encoded here (RFC 3986 section 2.1).
    ///   - value: Percent-encoded here; `nil` for a name alone.
    /// - Returns: The request with the item.
    public func query(_ name: String, _ value: String?) -> Request {
        changed { $0.url = $0.url.appendingQuery(name, value) }
    }

    /// With a body, in the place of any other.
    ///
    /// - Parameter body: What is sent; `nil` for none.
    /// - Returns: The request with the body.
    public func body(_ body: RequestBody?) -> Request {
        changed { $0.body = body }
    }

    /// With a value as JSON, see ``RequestBody/json(_:using:)``.
    ///
    /// - Parameters:
    ///   - value: What is sent.
    ///   - encoder: How dates, keys and the like are written.
    /// - Returns: The request with the body.
    /// - Throws: `EncodingError`, and what the value's own encoding throws.
    public func json(_ value: some Encodable, using encoder: JSONEncoder = JSONEncoder()) throws -> Request {
        body(try .json(value, using: encoder))
    }

    /// With the items of a form, as browsers send one without files.
    ///
    /// - Parameter items: Names and values in the order sent; a name may occur again.
    /// - Returns: The request with the body.
    public func form(_ items: KeyValuePairs<String, String>) -> Request {
        body(.form(items))
    }

    /// With what challenges of the URL's origin are answered with, by the strongest method that they offer.
    ///
    /// - Parameter credential: Sent when it is asked for, and not before.
    /// - Returns: The request with the credential.
    public func credential(_ credential: Credential) -> Request {
        changed { request in
            request.credential = credential
            request.unasked = nil
        }
    }

    /// With a user and a password that are sent at once, as Basic (RFC 7617).
    ///
    /// Every reader of the request has them: over plain http, everyone on the way. ``credential(_:)`` waits for the challenge, and
    /// answers with something better where the server knows it.
    ///
    /// - Parameters:
    ///   - user: Without a colon.
    ///   - password: The password.
    /// - Returns: The request with both.
    public func basic(user: String, password: Secret) -> Request {
        changed { request in
            request.credential = .password(user: user, password: password)
            request.unasked = .basic
        }
    }

    /// With a bearer token that is sent at once (RFC 6750).
    ///
    /// - Parameter token: The token.
    /// - Returns: The request with the token.
    public func bearer(_ token: Secret) -> Request {
        changed { request in
            request.credential = .token(token)
            request.unasked = .bearer
        }
    }

    /// With what this server's chain must satisfy, in the place of the session's policy.
    ///
    /// - Parameter policy: For this request alone.
    /// - Returns: The request with the policy.
    public func trust(_ policy: TrustPolicy) -> Request {
        changed { $0.trust = policy }
    }

    /// With a limit to how long everything may take, from the first connection to the last byte of the response.
    ///
    /// - Parameter duration: In the place of the session's ``Session/Configuration/totalTimeout``.
    /// - Returns: The request with the limit.
    public func timeout(_ duration: Duration) -> Request {
        changed { $0.totalTimeout = duration }
    }

    private func changed(_ change: (inout Request) -> Void) -> Request {
        var request = self
        change(&request)
        return request
    }
}
