// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Basic authentication (RFC 7617), which sends the password itself: everyone who can read the request can read the password.
///
/// User and password are sent in UTF-8, with or without `charset="UTF-8"` in the challenge: it is the only encoding that the standard
/// names, and it is the same as ASCII for text in ASCII.
public struct BasicAuthenticator: HTTPAuthenticator {
    private var made: MadeField?

    /// Makes an authenticator; no parameter of a challenge changes the answer.
    public init() {}

    /// Returns `Basic` and the encoded user and password; for the same credential the same text, without allocating.
    ///
    /// - Throws: ``HTTPAuthenticatorError/colonInUser``, ``HTTPAuthenticatorError/controlCharacter(_:)`` for control characters in the user
    ///   or the password; ``HTTPAuthenticatorError/unsuitableCredential(_:)`` for another kind of credential.
    public mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        if let made, made.belongs(to: credential.kind) { return made.value }
        guard case .password(let user, let password) = credential.kind else { throw .unsuitableCredential(.basic) }
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser }
        try user.refuseControlCharacters(in: .user)
        let isPrintable = password.withUnsafeBytes { bytes in bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
        guard isPrintable else { throw .controlCharacter(.password) }
        var pair = Data((user + ":").utf8)
        password.withUnsafeBytes { pair.append(contentsOf: $0) }
        defer { pair.resetBytes(in: pair.indices) }
        let field = MadeField("Basic " + pair.base64EncodedString(), for: credential.kind)
        made = field
        return field.value
    }
}
