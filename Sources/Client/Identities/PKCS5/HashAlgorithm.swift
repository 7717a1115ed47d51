// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import CryptoExtras
internal import EssentialFoundation
internal import SwiftASN1

/// The hash algorithms of key derivations and integrity checks.
enum HashAlgorithm: CaseIterable {
    case sha1, sha224, sha256, sha384, sha512

    /// Reads the AlgorithmIdentifier of a digest (RFC 5754 section 2).
    init(digest algorithm: Algorithm) throws(IdentityError) {
        guard let hash = Self.allCases.first(where: { $0.identifier == algorithm.identifier }) else {
            throw algorithm.unsupported
        }
        self = hash
        try algorithm.requireNoParameters()
    }

    /// Reads the AlgorithmIdentifier of an HMAC (RFC 8018 appendix B.1.2).
    init(hmac algorithm: Algorithm) throws(IdentityError) {
        self =
            switch algorithm.identifier {
            case [1, 2, 840, 113549, 2, 7]: .sha1
            case [1, 2, 840, 113549, 2, 8]: .sha224
            case .hmacWithSHA256: .sha256
            case [1, 2, 840, 113549, 2, 10]: .sha384
            case [1, 2, 840, 113549, 2, 11]: .sha512
            default: throw algorithm.unsupported
            }
        try algorithm.requireNoParameters()
    }

    /// The same hash as a swift-crypto value for PBKDF2.
    var pbkdf2: KDF.Insecure.PBKDF2.HashFunction {
        switch self {
        case .sha1: .insecureSHA1
        case .sha224: .insecureSHA224
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }

    /// The object identifier of the hash (RFC 5754 section 2).
    var identifier: ASN1ObjectIdentifier {
        switch self {
        case .sha1: [1, 3, 14, 3, 2, 26]
        case .sha224: [2, 16, 840, 1, 101, 3, 4, 2, 4]
        case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
        case .sha384: [2, 16, 840, 1, 101, 3, 4, 2, 2]
        case .sha512: [2, 16, 840, 1, 101, 3, 4, 2, 3]
        }
    }

    /// The hash's name as in FIPS 180-4.
    var name: String {
        switch self {
        case .sha1: "SHA-1"
        case .sha224: "SHA-224"
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }

    /// The length of the digest, in bytes.
    var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Computes an HMAC.
    func code(of message: [UInt8], key: SymmetricKey) -> [UInt8] {
        switch self {
        case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha224: Array(HMAC<SHA224>.authenticationCode(for: message, using: key))
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha384: Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
    }

    /// Compares an HMAC in constant time.
    func isValid(_ code: [UInt8], of message: [UInt8], key: SymmetricKey) -> Bool {
        switch self {
        case .sha1: HMAC<Insecure.SHA1>.isValidAuthenticationCode(code, authenticating: message, using: key)
        case .sha224: HMAC<SHA224>.isValidAuthenticationCode(code, authenticating: message, using: key)
        case .sha256: HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key)
        case .sha384: HMAC<SHA384>.isValidAuthenticationCode(code, authenticating: message, using: key)
        case .sha512: HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: message, using: key)
        }
    }
}

/// SHA-224 (FIPS 180-4 section 6.3), which swift-crypto lacks.
///
/// PKCS#12 files from Java and XML signatures can use it.
package struct SHA224: HashFunction {
    package static var blockByteCount: Int { 64 }

    private var state: [UInt32] = [
        0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
    ]
    /// The message schedule, which begins with the current block: 64 bytes as 16 words.
    private var schedule = [UInt32](repeating: 0, count: 64)
    private var byteCount: UInt64 = 0

    package init() {}

    package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        for byte in bufferPointer { append(byte) }
    }

    package func finalize() -> SHA224Digest {
        var last = self
        last.append(0x80)
        while last.byteCount % 64 != 56 { last.append(0) }
        let bits = byteCount << 3
        for shift in stride(from: 56, through: 0, by: -8) { last.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        return SHA224Digest(words: last.state.prefix(7))
    }

    private mutating func append(_ byte: UInt8) {
        let word = Int(byteCount % 64) / 4
        schedule[word] = schedule[word] << 8 | UInt32(byte)
        byteCount += 1
        if byteCount % 64 == 0 { compress() }
    }

    /// Processes one block: FIPS 180-4 section 6.2.2, steps 1 to 4.
    private mutating func compress() {
        for t in 16..<64 {
            let (w15, w2) = (schedule[t - 15], schedule[t - 2])
            let sigma0 = w15.rotated(7) ^ w15.rotated(18) ^ w15 >> 3
            let sigma1 = w2.rotated(17) ^ w2.rotated(19) ^ w2 >> 10
            schedule[t] = sigma1 &+ schedule[t - 7] &+ sigma0 &+ schedule[t - 16]
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<64 {
            let sum1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ Self.constants[t] &+ schedule[t]
            let sum0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
            let second = sum0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

/// The 28 bytes of a SHA-224 hash.
package struct SHA224Digest: Digest {
    package static var byteCount: Int { 28 }

    private let bytes: [UInt8]

    fileprivate init(words: some Sequence<UInt32>) {
        bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    package func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

    package var description: String { "SHA224 digest" }
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
