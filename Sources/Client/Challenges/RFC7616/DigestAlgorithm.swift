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
