// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A message that two peers exchange over TLS, in JSON.
enum ControlMessage: Hashable, Sendable, Codable {
    /// The protocol version of the messages.
    static let version = 1
    /// The ALPN protocol name in the TLS handshake (RFC 7301).
    static let applicationProtocol = "countersign-tunnel/1"
    /// The maximum length of a message in bytes.
    static let maximumLength = 4_096

    /// The parameters that each side offers for a key generation.
    struct Offer: Hashable, Sendable, Codable {
        /// The protocol version of the sender.
        let version: Int
        /// An identifier that distinguishes this process from others with the same certificate: 16 random bytes.
        let instance: Data
        /// A WireGuard public key, generated for this key generation.
        let publicKey: Data
        /// The sender's contribution to the preshared key: 32 random bytes.
        let share: Data
        /// The maximum WireGuard payload that the sender accepts, in bytes.
        let payloadLimit: Int
    }

    /// The first message, from the connecting side.
    case hello(Offer)
    /// The reply to the hello message.
    case welcome(Offer)
    /// A keepalive of the sender.
    case alive
    /// The sender closes the tunnel. Holds the reason.
    case bye(String)
}

extension ControlMessage {
    /// Decodes a message.
    ///
    /// - Throws: ``TunnelError/malformedMessage(_:)`` and ``TunnelError/versionMismatch(_:)``.
    init(json bytes: some Collection<UInt8>) throws(TunnelError) {
        let message: ControlMessage
        do {
            message = try JSONDecoder().decode(ControlMessage.self, from: Data(bytes))
        } catch {
            throw .malformedMessage("it is not a JSON message")
        }
        if case .hello(let offer) = message { try offer.check() }
        if case .welcome(let offer) = message { try offer.check() }
        self = message
    }

    /// The message as JSON.
    var json: Data {
        get throws { try JSONEncoder().encode(self) }
    }
}

extension ControlMessage.Offer {
    fileprivate func check() throws(TunnelError) {
        guard version == ControlMessage.version else { throw .versionMismatch(version) }
        guard instance.count == 16, publicKey.count == 32, share.count == 32, (512...65_535).contains(payloadLimit)
        else { throw .malformedMessage("a key offer has fields of the wrong length") }
    }
}
