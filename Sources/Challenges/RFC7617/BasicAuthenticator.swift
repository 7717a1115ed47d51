// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Basic authentication (RFC 7617): the password itself, readable by every reader of the request.
///
/// User and password are sent as UTF-8 whether or not the challenge says `charset="UTF-8"`: it is the only encoding that the
/// standard names, and the same bytes as ASCII where that is all they hold.
public struct BasicAuthenticator: HTTPAuthenticator {
    private var made: MadeField?

    /// Basic has no parameters that change the answer.
    public init() {}

    /// `Basic` and the encoded pair; for the same credential the same text, without allocating.
    ///
    /// - Throws: ``HTTPAuthenticatorError``, for a colon in the user and for control characters.
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
