// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// Bearer authentication (RFC 6750): a token that authenticates every client that has it.
public struct BearerAuthenticator: HTTPAuthenticator {
    private var made: MadeField?

    /// Makes an authenticator; no parameter of a challenge changes the answer.
    public init() {}

    /// Returns `Bearer` and the token; for the same token the same text, without allocating.
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedToken`` for a token that is not a b64token (RFC 6750 section 2.1);
    ///   ``HTTPAuthenticatorError/unsuitableCredential(_:)`` for another kind of credential.
    public mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        if let made, made.belongs(to: credential.kind) { return made.value }
        guard case .token(let token) = credential.kind else { throw .unsuitableCredential(.bearer) }
        let text = token.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard HTTPChallengeParser.isToken68(text) else { throw .malformedToken }
        let field = MadeField("Bearer " + text, for: credential.kind)
        made = field
        return field.value
    }
}

extension HTTPChallenge {
    /// The error code of a bearer challenge, such as `invalid_token` (RFC 6750 section 3.1); `nil` where the server names none, as for a
    /// request without a token.
    public var bearerError: String? { self["error"] }

    /// The scopes that a bearer token must have, as the server names them (RFC 6750 section 3); empty where it names none.
    public var scopes: [String] { (self["scope"] ?? "").split(separator: " ").map(String.init) }
}
