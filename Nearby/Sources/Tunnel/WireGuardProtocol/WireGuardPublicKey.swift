// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A static public key of X25519 (RFC 7748), by which a peer is known.
package struct WireGuardPublicKey: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// Makes a key of its 32 bytes; `nil` for another number of bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 32 else { return nil }
        words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// Reads a key in Base64, as `wg` writes it; `nil` unless it is 32 bytes.
    package init?(base64: String) {
        guard let data = Data(base64Encoded: base64) else { return nil }
        self.init(data)
    }

    init(_ key: Curve25519.KeyAgreement.PublicKey) {
        words = key.rawRepresentation.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// The 32 bytes of the key.
    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    /// The key for an agreement.
    func agreementKey() throws -> Curve25519.KeyAgreement.PublicKey {
        try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
    }
}

extension WireGuardPublicKey: CustomStringConvertible {
    /// The key in Base64, as `wg` writes it.
    package var description: String { Data(bytes).base64EncodedString() }
}
