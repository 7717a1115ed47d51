// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
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
    /// The smallest iteration count that is answered (RFC 7677 section 4).
    static let leastIterations = 4_096

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
    /// The iteration counts that are answered.
    private let iterations: ClosedRange<Int>
    private var awaited: Awaited?
    /// What an earlier exchange or this one made of the password.
    private(set) var key: SCRAMKey?

    /// Begins an exchange.
    ///
    /// The user is prepared as a query, the password as if it were stored (RFC 5802 sections 5.1 and 2.2).
    ///
    /// - Throws: ``HTTPAuthenticatorError/unpreparable(_:_:)``, ``HTTPAuthenticatorError/controlCharacter(_:)``.
    init(
        user: String, password: Secret, nonce: String, key: SCRAMKey? = nil,
        iterationLimit: Int = SCRAMAuthenticator.iterationLimit
    ) throws(HTTPAuthenticatorError) {
        let user = try SASLprep.prepare(Secret(user), part: .user, use: .query)
            .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        self.password = try SASLprep.prepare(password, part: .password, use: .stored)
        self.nonce = nonce
        self.key = key
        iterations = Self.leastIterations...min(max(iterationLimit, Self.leastIterations), Int(Int32.max))
        bareFirst = "n=" + user.replacing("=", with: "=3D").replacing(",", with: "=2C") + ",r=" + nonce
    }

    /// client-first-message.
    var first: String { Self.header + bareFirst }

    /// Takes server-first-message and gives client-final-message (RFC 5802 section 3).
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedServerMessage``, ``HTTPAuthenticatorError/iterationCount(_:allowed:)``.
    mutating func final(answering serverFirst: String) throws(HTTPAuthenticatorError) -> String {
        let offer = try SCRAMOffer(serverFirst, clientNonce: nonce)
        guard iterations.contains(offer.iterations) else {
            throw .iterationCount(offer.iterations, allowed: iterations)
        }
        let withoutProof = "c=\(Data(Self.header.utf8).base64EncodedString()),r=\(offer.nonce)"
        let message = "\(bareFirst),\(serverFirst),\(withoutProof)"
        let salted = try saltedPassword(for: offer)
        let clientKey = Self.code("Client Key", salted)
        let storedKey = SymmetricKey(data: Self.hash(clientKey))
        let signature = Self.code(message, storedKey)
        let proof = Data(zip(clientKey, signature).map { $0 ^ $1 })
        let serverKey = SymmetricKey(data: Self.code("Server Key", salted))
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

    private mutating func saltedPassword(for offer: SCRAMOffer) throws(HTTPAuthenticatorError) -> SymmetricKey {
        if let key, key.fits(offer, password: password) { return key.saltedPassword }
        let made = try SCRAMKey(password: password, offer: offer)
        key = made
        return made.saltedPassword
    }

    private static func hash(_ key: HMAC<SHA256>.MAC) -> SHA256.Digest {
        key.withUnsafeBytes { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: bytes)
            return hash.finalize()
        }
    }

    private static func code(_ text: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
    }
}
