// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// SaltedPassword, and what it was made of: servers keep their salt, and a client may keep this (RFC 5802 section 5.1).
struct SCRAMKey {
    let saltedPassword: SymmetricKey
    private let password: Secret
    private let salt: Data
    private let iterations: Int

    /// Hi(), which is PBKDF2 (RFC 5802 section 2.2).
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedServerMessage``
    init(password: Secret, offer: SCRAMOffer) throws(HTTPAuthenticatorError) {
        (self.password, salt, iterations) = (password, offer.salt, offer.iterations)
        // HMAC pads its key with zeros, so one zero byte is the same key as none, and no null pointer reaches C.
        var bytes = password.withUnsafeBytes { $0.isEmpty ? [0] : Array($0) }
        defer { bytes.erase() }
        do {
            saltedPassword = try KDF.Insecure.PBKDF2.deriveKey(
                from: bytes, salt: offer.salt, using: .sha256, outputByteCount: SHA256.byteCount,
                unsafeUncheckedRounds: offer.iterations)
        } catch {
            throw .malformedServerMessage
        }
    }

    func fits(_ offer: SCRAMOffer, password: Secret) -> Bool {
        salt == offer.salt && iterations == offer.iterations && self.password == password
    }
}
