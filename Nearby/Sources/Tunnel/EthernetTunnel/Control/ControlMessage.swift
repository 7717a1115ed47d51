// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What two peers tell each other over TLS, in JSON.
enum ControlMessage: Hashable, Sendable, Codable {
    /// The version of the messages and of what they agree on.
    static let version = 1
    /// The name of the protocol in the TLS handshake (RFC 7301).
    static let applicationProtocol = "countersign-tunnel/1"
    /// The longest message in bytes.
    static let greatestLength = 4_096

    /// What each side offers for a generation of keys.
    struct Offer: Hashable, Sendable, Codable {
        /// The version of the sender.
        let version: Int
        /// Tells this process from others with the same certificate: 16 random bytes.
        let instance: Data
        /// A WireGuard public key, made for this generation.
        let publicKey: Data
        /// 32 random bytes, the sender's share of the preshared key.
        let share: Data
        /// The longest payload of WireGuard that the sender takes, in bytes.
        let payloadLimit: Int
    }

    /// The first message, of the side that connects.
    case hello(Offer)
    /// The answer.
    case welcome(Offer)
    /// Says that the sender is there.
    case alive
    /// The sender ends the tunnel, and says why.
    case bye(String)
}

extension ControlMessage {
    /// Reads a message.
    ///
    /// - Throws: ``TunnelError/malformedMessage(_:)`` and ``TunnelError/otherVersion(_:)``.
    init(json bytes: some Collection<UInt8>) throws(TunnelError) {
        let message: ControlMessage
        do {
            message = try JSONDecoder().decode(ControlMessage.self, from: Data(bytes))
        } catch {
            throw .malformedMessage("it is no message in JSON")
        }
        if case .hello(let offer) = message { try offer.check() }
        if case .welcome(let offer) = message { try offer.check() }
        self = message
    }

    /// The message in JSON.
    var json: Data {
        get throws { try JSONEncoder().encode(self) }
    }
}

extension ControlMessage.Offer {
    fileprivate func check() throws(TunnelError) {
        guard version == ControlMessage.version else { throw .otherVersion(version) }
        guard instance.count == 16, publicKey.count == 32, share.count == 32, (512...65_535).contains(payloadLimit)
        else { throw .malformedMessage("an offer of keys has parts of the wrong length") }
    }
}
