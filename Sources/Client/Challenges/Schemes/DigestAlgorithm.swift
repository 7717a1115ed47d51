// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Encodings
import EssentialFoundation
import Secrets

/// The hash of a Digest challenge (RFC 7616 section 3.3, `algorithm`).
struct DigestAlgorithm: Hashable {
    enum Hash: Hashable {
        case md5
        case sha256
        /// SHA-512/256 (FIPS 180-4 section 6.7), with other initial values than SHA-512, and half of its digest.
        case sha512Half
    }

    let hash: Hash
    /// Whether it is the session variant, which mixes the nonces into the key.
    let isSession: Bool

    /// Parses the name of an algorithm.
    ///
    /// - Parameter name: The name; `nil` if the challenge has none, which means MD5.
    init?(_ name: String?) {
        var name = name ?? "MD5"
        // Some characters outside ASCII have an ASCII upper case, and the answer repeats the name unchanged.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        name = name.uppercased()
        isSession = name.hasSuffix("-SESS")
        if isSession { name.removeLast("-SESS".count) }
        switch name {
        case "MD5": hash = .md5
        case "SHA-256": hash = .sha256
        case "SHA-512-256": hash = .sha512Half
        default: return nil
        }
    }

    /// The rank of the algorithm, 0 for the strongest.
    var weakness: Int {
        switch hash {
        case .sha512Half: 0
        case .sha256: 1
        case .md5: 2
        }
    }

    /// Returns the hash of the bytes that `update` passes to its closure.
    func digest(_ update: ((UnsafeRawBufferPointer) -> Void) -> Void) -> HexDigest {
        switch hash {
        case .md5: Self.digest(Insecure.MD5.self, update)
        case .sha256: Self.digest(SHA256.self, update)
        case .sha512Half: Self.digest(SHA512256.self, update)
        }
    }

    /// Returns the hash of a text.
    func digest(_ text: String) -> HexDigest {
        digest { feed in text.lendBytes(to: feed) }
    }

    private static func digest<Function: HashFunction>(
        _: Function.Type, _ update: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) -> HexDigest {
        // Created here: a function from the caller would be shared, and copied on the first write.
        var function = Function()
        update { function.update(bufferPointer: $0) }
        return HexDigest(function.finalize())
    }
}

extension String {
    /// Calls the closure with the UTF-8 bytes, if possible in the string's own storage.
    func lendBytes(to body: (UnsafeRawBufferPointer) -> Void) {
        var text = self
        text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

/// A hash of at most 32 bytes in lower-case hexadecimal, stored inline without a heap allocation.
struct HexDigest: CustomStringConvertible {
    private let digits: SIMD64<UInt8>
    private let count: Int

    init<Value: Digest>(_ digest: Value) {
        var digits = SIMD64<UInt8>()
        withUnsafeMutableBytes(of: &digits) { digits in
            digest.withUnsafeBytes { bytes in
                for (index, byte) in bytes.enumerated() {
                    digits[2 * index] = Hexadecimal.digit(byte >> 4)
                    digits[2 * index + 1] = Hexadecimal.digit(byte & 15)
                }
            }
        }
        self.digits = digits
        count = 2 * Value.byteCount
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: digits) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    var description: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// Appends the digits in pieces that fit into a `String` without an allocation.
    func append(to text: inout String) {
        withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 8) {
                text += String(unsafeUninitializedCapacity: 8) { piece in
                    for index in piece.indices { piece[index] = bytes[start + index] }
                    return piece.count
                }
            }
        }
    }
}

/// The part of a space's answers that depends only on the credential, cached because it costs hashes and allocations.
struct DigestAccount {
    /// The nonces in the key of a -sess algorithm.
    struct Session {
        let nonce: String
        let clientNonce: String
    }

    /// H(A1) in hexadecimal (RFC 7616 section 3.4.2).
    let key: Secret
    /// The beginning of an answer: scheme, user, realm, and the name of the next parameter.
    let opening: String
    private let user: String
    private let password: Secret

    init(user: String, password: Secret, terms: DigestTerms, session: Session?) {
        self.user = user
        self.password = password
        let algorithm = terms.algorithm
        var key = algorithm.digest { feed in
            "\(user):\(terms.realm):".lendBytes(to: feed)
            password.withUnsafeBytes(feed)
        }
        if let session { key = algorithm.digest("\(key):\(session.nonce):\(session.clientNonce)") }
        self.key = Secret(key.description)
        opening = "Digest \(Self.userField(user, terms: terms)), realm=\(terms.realm.quotedForField), nonce="
    }

    /// Returns whether the account has this user and password; users are compared by their bytes,
    /// unlike `String`'s equality.
    func belongs(to user: String, _ password: Secret) -> Bool {
        user.utf8.elementsEqual(self.user.utf8) && password == self.password
    }

    /// Returns the user parameter: `userhash` (section 3.4.4), `username*` (section 3.4) or `username`.
    private static func userField(_ user: String, terms: DigestTerms) -> String {
        if terms.hashesUser { return "username=\"\(terms.algorithm.digest("\(user):\(terms.realm)"))\"" }
        guard terms.acceptsExtendedUser, !user.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "username=\(user.quotedForField)"
        }
        // The characters of an ext-value (RFC 8187 section 3.2.1).
        let value = PercentEncoding.encode(user.utf8) {
            PercentEncoding.isUnreserved($0) || "!#$&+^`|".utf8.contains($0)
        }
        return "username*=UTF-8''\(value)"
    }
}
