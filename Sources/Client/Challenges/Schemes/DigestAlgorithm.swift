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
        /// SHA-512/256 (FIPS 180-4 section 6.7): other initial values than SHA-512's, and half of its digest.
        case sha512Half
    }

    let hash: Hash
    /// Whether the session variant is meant, which mixes the nonces into the key.
    let isSession: Bool

    /// - Parameter name: `nil` where the challenge has none, which means MD5.
    init?(_ name: String?) {
        var name = name ?? "MD5"
        // Beyond ASCII there are letters that have those of a name as their upper case, and it is repeated as it stands.
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

    /// 0 for the strongest.
    var weakness: Int {
        switch hash {
        case .sha512Half: 0
        case .sha256: 1
        case .md5: 2
        }
    }

    /// The hash of what `update` feeds.
    func digest(_ update: ((UnsafeRawBufferPointer) -> Void) -> Void) -> HexDigest {
        switch hash {
        case .md5: Self.digest(Insecure.MD5.self, update)
        case .sha256: Self.digest(SHA256.self, update)
        case .sha512Half: Self.digest(SHA512256.self, update)
        }
    }

    /// The hash of a text.
    func digest(_ text: String) -> HexDigest {
        digest { feed in text.lendBytes(to: feed) }
    }

    private static func digest<Function: HashFunction>(
        _: Function.Type, _ update: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) -> HexDigest {
        // Made here: one that is handed in is shared, and would be copied.
        var function = Function()
        update { function.update(bufferPointer: $0) }
        return HexDigest(function.finalize())
    }
}

extension String {
    /// Lends the UTF-8 encoding, from the string's own storage where it has one.
    func lendBytes(to body: (UnsafeRawBufferPointer) -> Void) {
        var text = self
        text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

/// A hash of at most 32 bytes in lower-case hexadecimal, kept in place and not on the heap.
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

    /// Appends the digits in pieces that each fit a `String` without storage.
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

/// What of the answers in one space depends on the credential alone: made once, because it costs hashes and text.
struct DigestAccount {
    /// What the key of a -sess algorithm is made with.
    struct Session {
        let nonce: String
        let clientNonce: String
    }

    /// H(A1) in hexadecimal (RFC 7616 section 3.4.2).
    let key: Secret
    /// How answers begin: scheme, user, realm, and the name of what comes next.
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

    /// Whether it was made for these; users are the same if their bytes are, which for a `String` is not a matter of course.
    func belongs(to user: String, _ password: Secret) -> Bool {
        user.utf8.elementsEqual(self.user.utf8) && password == self.password
    }

    /// Section 3.4.4 for `userhash`, section 3.4 for `username*`.
    private static func userField(_ user: String, terms: DigestTerms) -> String {
        if terms.hashesUser { return "username=\"\(terms.algorithm.digest("\(user):\(terms.realm)"))\"" }
        guard terms.acceptsExtendedUser, !user.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "username=\(user.quotedForField)"
        }
        // An ext-value's characters (RFC 8187 section 3.2.1).
        let value = PercentEncoding.encode(user.utf8) {
            PercentEncoding.isUnreserved($0) || "!#$&+^`|".utf8.contains($0)
        }
        return "username*=UTF-8''\(value)"
    }
}
