// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Encodings
import Secrets

/// One SCRAM-SHA-256 exchange without channel binding (RFC 5802, RFC 7677), without I/O.
///
/// An eavesdropper learns only data for slow password guessing, and a server that does not know the password cannot
/// complete the exchange.
struct SCRAMExchange {
    /// The minimum accepted iteration count (RFC 7677 section 4).
    static let minimumIterations = 4_096

    /// The GS2 header `n,,`: no channel binding, and no authorization identity (RFC 5802 section 7).
    private static let header = "n,,"

    /// The data for checking the server's final message.
    private struct Awaited {
        let authenticationMessage: String
        let serverKey: SymmetricKey
    }

    private let bareFirst: String
    private let nonce: String
    private let password: Secret
    /// The accepted iteration counts.
    private let iterations: ClosedRange<Int>
    private var awaited: Awaited?
    /// The key that this or an earlier exchange derived from the password.
    private(set) var key: SCRAMKey?

    /// Starts an exchange.
    ///
    /// The user is prepared as a query, the password as a stored text (RFC 5802 sections 5.1 and 2.2).
    ///
    /// - Throws: ``HTTPAuthenticatorError/unpreparable(_:_:)``, ``HTTPAuthenticatorError/controlCharacter(_:)``.
    init(
        user: String, password: Secret, nonce: String, key: SCRAMKey? = nil,
        iterationLimit: Int = HTTPSCRAMAuthenticator.iterationLimit
    ) throws(HTTPAuthenticatorError) {
        let user = try SASLprep.prepare(Secret(user), part: .user, use: .query)
            .withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        self.password = try SASLprep.prepare(password, part: .password, use: .stored)
        self.nonce = nonce
        self.key = key
        iterations = Self.minimumIterations...min(max(iterationLimit, Self.minimumIterations), Int(Int32.max))
        bareFirst = "n=" + user.replacing("=", with: "=3D").replacing(",", with: "=2C") + ",r=" + nonce
    }

    /// The client-first-message.
    var first: String { Self.header + bareFirst }

    /// Reads server-first-message, and returns client-final-message (RFC 5802 section 3).
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedServerMessage``,
    ///   ``HTTPAuthenticatorError/iterationCount(_:allowed:)``.
    mutating func final(answering serverFirst: String) throws(HTTPAuthenticatorError) -> String {
        let offer = try SCRAMOffer(serverFirst, clientNonce: nonce)
        guard iterations.contains(offer.iterations) else {
            throw .iterationCount(offer.iterations, allowed: iterations)
        }
        let withoutProof = "c=\(Base64.encode(Self.header.utf8)),r=\(offer.nonce)"
        let message = "\(bareFirst),\(serverFirst),\(withoutProof)"
        let salted = try saltedPassword(for: offer)
        let clientKey = Self.code("Client Key", salted)
        let storedKey = SymmetricKey(data: Self.hash(clientKey))
        let signature = Self.code(message, storedKey)
        let proof = zip(clientKey, signature).map { $0 ^ $1 }
        let serverKey = SymmetricKey(data: Self.code("Server Key", salted))
        awaited = Awaited(authenticationMessage: message, serverKey: serverKey)
        return withoutProof + ",p=" + Base64.encode(proof)
    }

    /// Checks server-final-message, in which the server proves that it knows the password too.
    ///
    /// - Throws: ``HTTPAuthenticatorError/wrongServerProof``.
    func verify(_ serverFinal: String) throws(HTTPAuthenticatorError) {
        let value = serverFinal.prefix { $0 != "," }
        guard let awaited, value.hasPrefix("v="), let proof = Base64.decode(value.dropFirst(2), as: .mime),
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

/// The server-first-message (RFC 5802 section 7): `r=nonce,s=salt,i=iterations`.
struct SCRAMOffer {
    /// The maximum message size, in bytes.
    static let sizeLimit = 8 * 1024

    let nonce: String
    let salt: [UInt8]
    let iterations: Int

    /// Parses a message; a mandatory extension (`m=`) is rejected, because none is supported.
    ///
    /// - Parameters:
    ///   - message: The server's message.
    ///   - clientNonce: The client's nonce, with which the longer server nonce must begin.
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
            let salt = Base64.decode(parts[1].dropFirst(2), as: .mime), !salt.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let iterations = Int(digits)
        else { throw .malformedServerMessage }
        self.salt = salt
        self.iterations = iterations
    }
}

/// The SaltedPassword with its inputs: servers reuse their salt,
/// and a client may cache this key (RFC 5802 section 5.1).
struct SCRAMKey {
    let saltedPassword: SymmetricKey
    private let password: Secret
    private let salt: [UInt8]
    private let iterations: Int

    /// Computes Hi(), which is PBKDF2 (RFC 5802 section 2.2).
    ///
    /// - Throws: ``HTTPAuthenticatorError/malformedServerMessage``.
    init(password: Secret, offer: SCRAMOffer) throws(HTTPAuthenticatorError) {
        (self.password, salt, iterations) = (password, offer.salt, offer.iterations)
        // HMAC pads its key with zeros, so a zero byte is equivalent to an empty key, and avoids a null pointer in C.
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
