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

/// One exchange of SCRAM-SHA-256 without channel binding (RFC 5802, RFC 7677): messages in, messages out.
///
/// Who listens gets nothing but work for guessing the password, and a server that never knew it cannot finish.
struct SCRAMExchange {
    /// How much work a server may ask for: RFC 7677 section 4 has the least; the most is some seconds on one core.
    static let iterations = 4_096...10_000_000

    /// `n,,`: no channel binding, and no other identity to act for (RFC 5802 section 7).
    private static let header = "n,,"

    /// What the client still waits for.
    private struct Awaited {
        let authenticationMessage: String
        let serverKey: SymmetricKey
    }

    private let bareFirst: String
    private let nonce: String
    private let password: Secret
    private var awaited: Awaited?

    /// Begins an exchange.
    ///
    /// - Throws: ``HTTPAuthenticatorError/notASCII(_:)``: SASLprep (RFC 4013) leaves ASCII as it is, and needs tables of Unicode
    ///   for everything else; ``HTTPAuthenticatorError/controlCharacter(_:)``, which it prohibits.
    init(user: String, password: Secret, nonce: String) throws(HTTPAuthenticatorError) {
        guard user.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII(.user) }
        try user.refuseControlCharacters(in: .user)
        guard password.withUnsafeBytes({ bytes in bytes.allSatisfy { $0 < 0x80 } }) else { throw .notASCII(.password) }
        guard password.withUnsafeBytes({ bytes in bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            throw .controlCharacter(.password)
        }
        self.password = password
        self.nonce = nonce
        bareFirst = "n=" + user.replacing("=", with: "=3D").replacing(",", with: "=2C") + ",r=" + nonce
    }

    /// client-first-message.
    var first: String { Self.header + bareFirst }

    /// Takes server-first-message and gives client-final-message (RFC 5802 section 3).
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedServerMessage``, ``HTTPAuthenticatorError/iterationCount(_:)``.
    mutating func final(answering serverFirst: String) throws(HTTPAuthenticatorError) -> String {
        let offer = try SCRAMOffer(serverFirst, clientNonce: nonce)
        guard Self.iterations.contains(offer.iterations) else { throw .iterationCount(offer.iterations) }
        let withoutProof = "c=\(Data(Self.header.utf8).base64EncodedString()),r=\(offer.nonce)"
        let message = "\(bareFirst),\(serverFirst),\(withoutProof)"
        let salted = try saltedPassword(offer)
        let clientKey = Self.code("Client Key", salted)
        let storedKey = SymmetricKey(data: SHA256.hash(data: Array(clientKey)))
        let signature = Self.code(message, storedKey)
        let proof = Data(zip(clientKey, signature).map { $0 ^ $1 })
        let serverKey = SymmetricKey(data: Array(Self.code("Server Key", salted)))
        awaited = Awaited(authenticationMessage: message, serverKey: serverKey)
        return withoutProof + ",p=" + proof.base64EncodedString()
    }

    /// Takes server-final-message, by which the server proves that it knows the password too.
    ///
    /// - Throws: ``HTTPAuthenticatorError/wrongServerProof``.
    func verify(_ serverFinal: String) throws(HTTPAuthenticatorError) {
        let value = serverFinal.prefix { $0 != "," }
        guard let awaited, value.hasPrefix("v="), let proof = Data(base64Encoded: String(value.dropFirst(2))),
            HMAC<SHA256>.isValidAuthenticationCode(
                proof, authenticating: Array(awaited.authenticationMessage.utf8), using: awaited.serverKey)
        else { throw .wrongServerProof }
    }

    /// Hi(), which is PBKDF2 (RFC 5802 section 2.2).
    private func saltedPassword(_ offer: SCRAMOffer) throws(HTTPAuthenticatorError) -> SymmetricKey {
        // HMAC pads its key with zeros, so one zero byte is the same key as none, and no null pointer reaches C.
        let bytes = password.withUnsafeBytes { $0.isEmpty ? [0] : Array($0) }
        do {
            return try KDF.Insecure.PBKDF2.deriveKey(
                from: bytes, salt: offer.salt, using: .sha256, outputByteCount: SHA256.byteCount,
                unsafeUncheckedRounds: offer.iterations)
        } catch {
            throw .malformedServerMessage
        }
    }

    private static func code(_ text: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
    }
}
