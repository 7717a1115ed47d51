// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

/// The hash of a Digest challenge (RFC 7616 section 3.3, `algorithm`).
struct DigestAlgorithm: Hashable {
    enum Hash: Hashable {
        case md5
        case sha256
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
        default: return nil
        }
    }

    var weakness: Int { hash == .sha256 ? 1 : 2 }

    /// The hash of what `update` feeds, in lower-case hexadecimal.
    func hexDigest(_ update: ((UnsafeRawBufferPointer) -> Void) -> Void) -> String {
        switch hash {
        case .md5: Self.hexDigest(Insecure.MD5(), update)
        case .sha256: Self.hexDigest(SHA256(), update)
        }
    }

    func hexDigest(_ text: String) -> String {
        hexDigest { feed in Array(text.utf8).withUnsafeBytes(feed) }
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
