// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import Encodings
import NIOCore

/// The hash functions of Digest authentication (RFC 7616 section 6.1).
package enum DigestHash: String, Sendable {
    case md5 = "MD5"
    case sha256 = "SHA-256"
    case sha512Half = "SHA-512-256"

    func hex(_ text: String) -> String { hex(Array(text.utf8)) }

    func hex(_ content: [UInt8]) -> String {
        switch self {
        case .md5: Hexadecimal.encode(Insecure.MD5.hash(data: content))
        case .sha256: Hexadecimal.encode(SHA256.hash(data: content))
        case .sha512Half: Hexadecimal.encode(SHA512256.hash(data: content))
        }
    }
}

/// An incremental hash of a body, so that a large body needs no memory (RFC 7616 section 3.4.3, `auth-int`).
struct BodyHasher: Sendable {
    private enum State: Sendable {
        case md5(Insecure.MD5)
        case sha256(SHA256)
        case sha512Half(SHA512256)
    }

    private var state: State

    init(_ hash: DigestHash) {
        state =
            switch hash {
            case .md5: .md5(Insecure.MD5())
            case .sha256: .sha256(SHA256())
            case .sha512Half: .sha512Half(SHA512256())
            }
    }

    mutating func update(_ part: ByteBuffer) {
        part.withUnsafeReadableBytes { bytes in
            switch state {
            case .md5(var function):
                function.update(bufferPointer: bytes)
                state = .md5(function)
            case .sha256(var function):
                function.update(bufferPointer: bytes)
                state = .sha256(function)
            case .sha512Half(var function):
                function.update(bufferPointer: bytes)
                state = .sha512Half(function)
            }
        }
    }

    /// The hash in hexadecimal digits.
    var digest: String {
        switch state {
        case .md5(let function): Hexadecimal.encode(function.finalize())
        case .sha256(let function): Hexadecimal.encode(function.finalize())
        case .sha512Half(let function): Hexadecimal.encode(function.finalize())
        }
    }
}
