// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// server-first-message (RFC 5802 section 7): `r=nonce,s=salt,i=iterations`.
struct SCRAMOffer {
    /// Largest message that is read, in bytes.
    static let sizeLimit = 8 * 1024

    let nonce: String
    let salt: Data
    let iterations: Int

    /// Reads a message; an extension that must be understood (`m=`) is none that is.
    ///
    /// - Parameters:
    ///   - message: What the server sent.
    ///   - clientNonce: What the server's nonce must begin with, and add to.
    /// - Throws: ``HTTPAuthenticatorError/malformedServerMessage``.
    init(_ message: String, clientNonce: String) throws(HTTPAuthenticatorError) {
        guard message.utf8.count <= Self.sizeLimit else { throw .malformedServerMessage }
        let parts = message.split(separator: ",", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].hasPrefix("r="), parts[1].hasPrefix("s="), parts[2].hasPrefix("i=") else {
            throw .malformedServerMessage
        }
        nonce = String(parts[0].dropFirst(2))
        let digits = parts[2].dropFirst(2)
        guard nonce.utf8.count > clientNonce.utf8.count, nonce.utf8.starts(with: clientNonce.utf8),
            nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let salt = Data(base64Encoded: String(parts[1].dropFirst(2))), !salt.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let iterations = Int(digits)
        else { throw .malformedServerMessage }
        self.salt = salt
        self.iterations = iterations
    }
}
