// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Answers the challenges of one HTTP scheme in one protection space, and remembers what the scheme must (a nonce, a counter).
public protocol HTTPAuthenticator: Sendable {
    /// The value of the `Authorization` or `Proxy-Authorization` field for one request.
    ///
    /// - Parameters:
    ///   - credential: What the handler gave.
    ///   - method: The request's method, as sent.
    ///   - target: The request-target: path and query, or for CONNECT the authority.
    /// - Returns: The field's value, scheme first.
    /// - Throws: ``HTTPAuthenticatorError`` where the scheme cannot carry the credential.
    mutating func authorization(
        with credential: Credential, method: String, target: String
    ) throws(HTTPAuthenticatorError) -> String
}

/// The schemes of HTTP that can be answered.
public enum HTTPAuthenticators {
    /// Makes the authenticator for a challenge.
    ///
    /// - Returns: `nil` where the scheme, its algorithm or its quality of protection is none that is supported.
    /// - Throws: ``HTTPAuthenticatorError/missingParameter(_:)``.
    public static func authenticator(
        for challenge: HTTPChallenge
    ) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)? {
        switch challenge.method {
        case .basic: BasicAuthenticator()
        case .digest: try DigestAuthenticator(challenge)
        default: nil
        }
    }
}
