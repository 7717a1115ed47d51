// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// Bearer authentication (RFC 6750): a token that opens the door for whoever holds it.
public struct BearerAuthenticator: HTTPAuthenticator {
    /// Bearer has no state and no parameters that change the answer.
    public init() {}

    /// `Bearer` and the token.
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedToken`` for what is no b64token (section 2.1).
    public func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        guard case .token(let token) = credential.kind else { throw .unsuitableCredential(.bearer) }
        let text = token.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard HTTPChallengeParser.isToken68(text) else { throw .malformedToken }
        return "Bearer " + text
    }
}

extension HTTPChallenge {
    /// Why a bearer token was refused, such as `invalid_token` (RFC 6750 section 3.1); `nil` where none was sent.
    public var bearerError: String? { self["error"] }

    /// What a bearer token must be good for, in the server's words (RFC 6750 section 3).
    public var scopes: [String] { (self["scope"] ?? "").split(separator: " ").map(String.init) }
}
