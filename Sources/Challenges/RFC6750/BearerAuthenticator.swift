// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// Bearer authentication (RFC 6750): a token that authenticates every holder.
public struct BearerAuthenticator: HTTPAuthenticator {
    private var made: MadeField?

    /// Bearer has no parameters that change the answer.
    public init() {}

    /// `Bearer` and the token; for the same one the same text, without allocating.
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedToken`` for what is no b64token (section 2.1).
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
    /// Why a bearer token was refused, such as `invalid_token` (RFC 6750 section 3.1); `nil` where none was sent.
    public var bearerError: String? { self["error"] }

    /// What a bearer token must be good for, in the server's words (RFC 6750 section 3).
    public var scopes: [String] { (self["scope"] ?? "").split(separator: " ").map(String.init) }
}
