// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A static X25519 public key (RFC 7748), which identifies a peer.
package struct WireGuardPublicKey: Hashable, Sendable {
    private let words: SIMD4<UInt64>

    /// Creates a key from its 32 bytes; returns `nil` for any other number of bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 32 else { return nil }
        words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// Parses a key in Base64, as printed by `wg`; returns `nil` unless it has 32 bytes.
    package init?(base64: String) {
        guard let data = Data(base64Encoded: base64) else { return nil }
        self.init(data)
    }

    init(_ key: Curve25519.KeyAgreement.PublicKey) {
        words = key.rawRepresentation.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// The 32 bytes of the key.
    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    /// Returns the key for a key agreement.
    func agreementKey() throws -> Curve25519.KeyAgreement.PublicKey {
        try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
    }
}

extension WireGuardPublicKey: CustomStringConvertible {
    /// The key in Base64, as printed by `wg`.
    package var description: String { Data(bytes).base64EncodedString() }
}
