// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Crypto
    import WireGuardProtocol

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One side of the agreement on a key generation.
    struct KeyAgreement: Sendable {
        private let privateKey = Curve25519.KeyAgreement.PrivateKey()
        let offer: ControlMessage.Offer

        /// Generates new keys.
        ///
        /// - Parameters:
        ///   - instance: The identifier that distinguishes this process from others.
        ///   - payloadLimit: The maximum payload that this side accepts, in bytes.
        init(instance: Data, payloadLimit: Int) {
            offer = ControlMessage.Offer(
                version: ControlMessage.version, instance: instance, publicKey: privateKey.publicKey.rawRepresentation,
                share: Self.randomBytes(32), payloadLimit: payloadLimit)
        }

        static func randomBytes(_ count: Int) -> Data {
            SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Data($0) }
        }

        /// Derives the keys from both offers; the preshared key depends on the contributions of both sides (RFC 5869).
        ///
        /// - Parameters:
        ///   - other: The peer's offer.
        ///   - isInitiator: Whether this side sent the first offer.
        /// - Returns: The keys.
        /// - Throws: ``TunnelError/malformedMessage(_:)``.
        func keys(with other: ControlMessage.Offer, isInitiator: Bool) throws(TunnelError) -> GenerationKeys {
            guard let peerKey = WireGuardPublicKey(other.publicKey) else {
                throw .malformedMessage("its public key does not have 32 bytes")
            }
            let (first, second) = isInitiator ? (offer, other) : (other, offer)
            let preshared = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: first.share + second.share),
                salt: first.publicKey + second.publicKey, info: Data(ControlMessage.applicationProtocol.utf8),
                outputByteCount: 32)
            return GenerationKeys(privateKey: privateKey, peerKey: peerKey, presharedKey: preshared)
        }
    }
#endif
