// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Answers the challenges of one HTTP scheme in one protection space, and remembers what the scheme must (a nonce, a counter).
public protocol HTTPAuthenticator: Sendable {
    /// The value of the `Authorization` or `Proxy-Authorization` field for one request.
    ///
    /// - Parameters:
    ///   - credential: What the handler gave.
    ///   - method: The request's method, as sent.
    ///   - target: The request-target, as sent.
    mutating func authorization(
        with credential: Credential, method: String, target: String
    ) throws(HTTPAuthenticatorError) -> String
}

/// Why an authenticator cannot answer.
public enum HTTPAuthenticatorError: Error, Hashable, Sendable {
    /// The scheme needs another kind of credential.
    case unsuitableCredential(AuthenticationMethod)
}
