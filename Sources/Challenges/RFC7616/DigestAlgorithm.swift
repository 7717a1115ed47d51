// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras

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
        var name = (name ?? "MD5").uppercased()
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

    /// The hash of what `update` feeds, in lower-case hexadecimal.
    func hexDigest(_ update: ((UnsafeRawBufferPointer) -> Void) -> Void) -> String {
        switch hash {
        case .md5: Self.hexDigest(Insecure.MD5(), update)
        case .sha256: Self.hexDigest(SHA256(), update)
        case .sha512Half: Self.hexDigest(SHA512256(), update)
        }
    }

    func hexDigest(_ text: String) -> String { hexDigest(Array(text.utf8)) }

    func hexDigest(_ bytes: [UInt8]) -> String {
        hexDigest { feed in bytes.withUnsafeBytes(feed) }
    }

    private static func hexDigest<Function: HashFunction>(
        _ function: Function, _ update: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) -> String {
        var function = function
        update { function.update(bufferPointer: $0) }
        return hexadecimal(function.finalize())
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
