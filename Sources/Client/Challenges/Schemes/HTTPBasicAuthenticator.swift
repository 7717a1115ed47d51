// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import ErrorExplanations
import Secrets

/// The Basic scheme (RFC 7617), which sends the password itself, readable to everyone who can read the request.
///
/// User and password are sent in UTF-8, with or without `charset="UTF-8"` in the challenge: it is the only encoding
/// that the standard names, and it equals ASCII for ASCII text.
public struct HTTPBasicAuthenticator: HTTPAuthenticator {
    private var made: CachedField?

    /// Makes an authenticator; the challenge's parameters do not affect the answer.
    public init() {}

    /// Returns `Basic` and the encoded user and password; the text is cached for the same credential.
    ///
    /// - Throws: ``HTTPAuthenticatorError/colonInUser``, ``HTTPAuthenticatorError/controlCharacter(_:)`` for control
    ///   characters in the user or the password; ``HTTPAuthenticatorError/unsuitableCredential(_:)`` for another kind
    ///   of credential.
    public mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        if let made, made.belongs(to: credential.kind) { return made.value }
        guard case .password(let user, let password) = credential.kind else { throw .unsuitableCredential(.basic) }
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser }
        try user.refuseControlCharacters(in: .user)
        let isPrintable = password.withUnsafeBytes { bytes in bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
        guard isPrintable else { throw .controlCharacter(.password) }
        var pair = Array((user + ":").utf8)
        password.withUnsafeBytes { pair.append(contentsOf: $0) }
        defer { pair.erase() }
        let field = CachedField("Basic " + Base64.encode(pair), for: credential.kind)
        made = field
        return field.value
    }
}

/// The Bearer scheme (RFC 6750), with a token that authenticates every client that has it.
public struct HTTPBearerAuthenticator: HTTPAuthenticator {
    private var made: CachedField?

    /// Makes an authenticator; the challenge's parameters do not affect the answer.
    public init() {}

    /// Returns `Bearer` and the token; the text is cached for the same token.
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
        let field = CachedField("Bearer " + text, for: credential.kind)
        made = field
        return field.value
    }
}

extension HTTPChallenge {
    /// The error code of a Bearer challenge, such as `invalid_token` (RFC 6750 section 3.1); `nil` if the server names
    /// none, as for a request without a token.
    public var bearerError: String? { self["error"] }

    /// The scopes that a Bearer token must have (RFC 6750 section 3); empty if the server names none.
    public var scopes: [String] { (self["scope"] ?? "").split(separator: " ").map(String.init) }
}
