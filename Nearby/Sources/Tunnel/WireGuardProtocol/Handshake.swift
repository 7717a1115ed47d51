// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The keys of one side of a handshake.
struct WireGuardIdentity: Sendable {
    let privateKey: Curve25519.KeyAgreement.PrivateKey
    let publicKey: WireGuardPublicKey

    init(_ privateKey: Curve25519.KeyAgreement.PrivateKey) {
        self.privateKey = privateKey
        publicKey = WireGuardPublicKey(privateKey.publicKey)
    }
}

/// The keys of the other side of a handshake.
struct HandshakePartner: Sendable {
    let publicKey: WireGuardPublicKey
    let agreementKey: Curve25519.KeyAgreement.PublicKey
    /// The shared secret of both static keys.
    let staticSecret: SymmetricKey
    var presharedKey: SymmetricKey

    /// The substitute for a missing preshared key (paper, section 5.4.2).
    static let noPresharedKey = SymmetricKey(data: [UInt8](repeating: 0, count: 32))

    /// - Returns: `nil` if the public key has small order.
    init?(_ publicKey: WireGuardPublicKey, presharedKey: SymmetricKey?, identity: WireGuardIdentity) {
        guard let key = try? publicKey.agreementKey(), let secret = try? identity.privateKey.agreement(with: key) else {
            return nil
        }
        (self.publicKey, agreementKey, staticSecret) = (publicKey, key, secret)
        self.presharedKey = presharedKey ?? Self.noPresharedKey
    }
}

/// The initiator's state between its initiation and the response (paper, sections 5.4.2 and 5.4.3).
struct InitiatedHandshake: Sendable {
    /// The receiver index of the expected response.
    let index: UInt32
    private let ephemeral: Curve25519.KeyAgreement.PrivateKey
    private let noise: NoiseState

    /// Starts a handshake.
    ///
    /// - Returns: The state, and the message without its two MACs.
    static func start(
        with partner: HandshakePartner, as identity: WireGuardIdentity, index: UInt32, timestamp: TAI64N,
        using random: inout any RandomNumberGenerator & Sendable
    ) throws -> (Self, message: [UInt8])? {
        var noise = NoiseState(responder: partner.publicKey)
        let ephemeral = try Curve25519.KeyAgreement.PrivateKey(using: &random)
        let ephemeralBytes = ephemeral.publicKey.rawRepresentation
        noise.mixKey(ephemeralBytes)
        noise.mixHash(ephemeralBytes)
        guard let secret = try ephemeral.agreement(with: partner.agreementKey) else { return nil }
        var key = noise.mixKeyForField(secret)
        let encryptedStatic = try noise.seal(identity.publicKey.bytes, using: key)
        key = noise.mixKeyForField(partner.staticSecret)
        let encryptedTimestamp = try noise.seal(timestamp.bytes, using: key)
        let message =
            MessageKind.initiation.prefix + index.littleEndianBytes + ephemeralBytes + encryptedStatic
            + encryptedTimestamp
        return (Self(index: index, ephemeral: ephemeral, noise: noise), message)
    }

    /// Completes the handshake.
    ///
    /// - Returns: The session, or `nil` if the response is not from this partner to this initiation.
    func finish(
        _ response: UnsafeRawBufferPointer, of partner: HandshakePartner, as identity: WireGuardIdentity
    ) -> WireGuardSession? {
        try? finished(response, of: partner, as: identity)
    }

    private func finished(
        _ response: UnsafeRawBufferPointer, of partner: HandshakePartner, as identity: WireGuardIdentity
    ) throws -> WireGuardSession? {
        var noise = noise
        let bytes = response.slice(ResponseLayout.ephemeral)
        let remote = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
        noise.mixKey(bytes)
        noise.mixHash(bytes)
        guard let ephemeralSecret = try ephemeral.agreement(with: remote),
            let staticSecret = try identity.privateKey.agreement(with: remote)
        else { return nil }
        noise.mixKey(ephemeralSecret)
        noise.mixKey(staticSecret)
        let key = noise.mixPresharedKey(partner.presharedKey)
        _ = try noise.open(response.slice(ResponseLayout.encryptedNothing), using: key)
        let keys = noise.split()
        return WireGuardSession(
            peer: partner.publicKey, localIndex: index, remoteIndex: response.word(at: ResponseLayout.sender),
            isInitiator: true, sending: keys.initiator, receiving: keys.responder)
    }
}

/// The responder's state between the initiation and the response (paper, sections 5.4.2 and 5.4.3).
struct ReceivedInitiation: Sendable {
    let partner: HandshakePartner
    let timestamp: TAI64N
    private let noise: NoiseState
    private let remoteIndex: UInt32
    private let remoteEphemeral: Curve25519.KeyAgreement.PublicKey

    /// Parses an initiation; returns `nil` if it is not from a peer to this identity.
    init?(
        _ message: UnsafeRawBufferPointer, as identity: WireGuardIdentity,
        partner: (WireGuardPublicKey) -> HandshakePartner?
    ) {
        var noise = NoiseState(responder: identity.publicKey)
        let bytes = message.slice(InitiationLayout.ephemeral)
        noise.mixKey(bytes)
        noise.mixHash(bytes)
        guard let remote = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes),
            let secret = try? identity.privateKey.agreement(with: remote)
        else { return nil }
        var key = noise.mixKeyForField(secret)
        guard let text = try? noise.open(message.slice(InitiationLayout.encryptedStatic), using: key),
            let publicKey = WireGuardPublicKey(text), let partner = partner(publicKey)
        else { return nil }
        key = noise.mixKeyForField(partner.staticSecret)
        guard let text = try? noise.open(message.slice(InitiationLayout.encryptedTimestamp), using: key),
            let timestamp = TAI64N(text)
        else { return nil }
        (self.partner, self.timestamp, self.noise) = (partner, timestamp, noise)
        (remoteIndex, remoteEphemeral) = (message.word(at: InitiationLayout.sender), remote)
    }

    /// Responds to the initiation.
    ///
    /// - Returns: The session, and the message without its two MACs.
    func respond(
        index: UInt32, using random: inout any RandomNumberGenerator & Sendable
    ) throws -> (WireGuardSession, message: [UInt8])? {
        var noise = noise
        let ephemeral = try Curve25519.KeyAgreement.PrivateKey(using: &random)
        let ephemeralBytes = ephemeral.publicKey.rawRepresentation
        noise.mixKey(ephemeralBytes)
        noise.mixHash(ephemeralBytes)
        guard let ephemeralSecret = try ephemeral.agreement(with: remoteEphemeral),
            let staticSecret = try ephemeral.agreement(with: partner.agreementKey)
        else { return nil }
        noise.mixKey(ephemeralSecret)
        noise.mixKey(staticSecret)
        let key = noise.mixPresharedKey(partner.presharedKey)
        let encryptedNothing = try noise.seal([], using: key)
        let keys = noise.split()
        let session = WireGuardSession(
            peer: partner.publicKey, localIndex: index, remoteIndex: remoteIndex, isInitiator: false,
            sending: keys.responder, receiving: keys.initiator)
        let message =
            MessageKind.response.prefix + index.littleEndianBytes + remoteIndex.littleEndianBytes + ephemeralBytes
            + encryptedNothing
        return session.map { ($0, message) }
    }
}
