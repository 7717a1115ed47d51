// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras

/// The hash functions of Digest (RFC 7616 section 6.1).
package enum DigestHash: String, Sendable {
    case md5 = "MD5"
    case sha256 = "SHA-256"
    case sha512Half = "SHA-512-256"

    func hex(_ text: String) -> String { hex(Array(text.utf8)) }

    func hex(_ content: [UInt8]) -> String {
        switch self {
        case .md5: Self.hex(Insecure.MD5.hash(data: content))
        case .sha256: Self.hex(SHA256.hash(data: content))
        case .sha512Half: Self.hex(SHA512256.hash(data: content))
        }
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
