// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto

/// The cookies that a device under load requires before it computes a key agreement (paper, section 5.4.7).
struct CookieResponder: Sendable {
    private let mac1Key: [UInt8]
    private let cookieKey: SymmetricKey
    private var secret: SymmetricKey?
    private var secretEnds: Nanoseconds?

    init(publicKey: WireGuardPublicKey) {
        mac1Key = MACLabel.mac1.key(of: publicKey)
        cookieKey = SymmetricKey(data: MACLabel.cookie.key(of: publicKey))
    }

    /// Returns whether the sender of a message knows this device's public key.
    func hasValidMAC1(_ message: UnsafeRawBufferPointer) -> Bool {
        let macs = message.count - 32
        return KeyDerivation.mac(mac1Key, message.slice(0..<macs)).isEqual(to: message.slice(macs..<(macs + 16)))
    }

    /// Returns whether the sender of a message has received a cookie at its endpoint.
    mutating func hasValidMAC2(
        _ message: UnsafeRawBufferPointer, from endpoint: WireGuardEndpoint, now: Nanoseconds
    ) -> Bool {
        // Without a secret, no cookie is valid.
        guard let secret, let secretEnds, now < secretEnds else { return false }
        let mac2 = message.count - 16
        return KeyDerivation.mac(Self.cookie(for: endpoint, secret), message.slice(0..<mac2))
            .isEqual(to: message.slice(mac2..<message.count))
    }

    /// Returns the cookie reply to a message.
    mutating func reply(
        to message: UnsafeRawBufferPointer, senderAt offset: Int, from endpoint: WireGuardEndpoint,
        now: Nanoseconds, using random: inout any RandomNumberGenerator & Sendable
    ) throws -> [UInt8] {
        var current = secret
        if current == nil || secretEnds.map({ now >= $0 }) != false {
            current = .random(using: &random)
            secretEnds = now + Limits.cookieTime
        }
        let secret = current ?? .random(using: &random)
        self.secret = secret
        let nonce = [random.next() as UInt64, random.next(), random.next()].flatMap(\.littleEndianBytes)
        let mac1 = message.slice((message.count - 32)..<(message.count - 16))
        let cookie = try XChaCha20Poly1305.seal(
            Self.cookie(for: endpoint, secret), key: cookieKey, nonce: nonce, authenticating: Array(mac1))
        return MessageKind.cookieReply.prefix + message.word(at: offset).littleEndianBytes + nonce + cookie
    }

    private static func cookie(for endpoint: WireGuardEndpoint, _ secret: SymmetricKey) -> [UInt8] {
        endpoint.withAddress { address in
            withUnsafeBytes(of: endpoint.port.bigEndian) { KeyDerivation.mac(secret, address, $0) }
        }
    }
}

/// The MACs at the end of handshake messages to a peer, with the peer's cookie while it is valid (paper, section
/// 5.4.4).
struct MessageAuthenticator: Sendable {
    private let mac1Key: [UInt8]
    private let cookieKey: SymmetricKey
    private var lastMAC1: [UInt8]?
    private var cookie: (bytes: [UInt8], ends: Nanoseconds)?

    init(publicKey: WireGuardPublicKey) {
        mac1Key = MACLabel.mac1.key(of: publicKey)
        cookieKey = SymmetricKey(data: MACLabel.cookie.key(of: publicKey))
    }

    /// Appends both MACs to a message.
    mutating func sign(_ message: inout [UInt8], now: Nanoseconds) {
        let mac1 = message.withUnsafeBytes { KeyDerivation.mac(mac1Key, $0) }
        message += mac1
        lastMAC1 = mac1
        if let cookie, now < cookie.ends {
            message += message.withUnsafeBytes { KeyDerivation.mac(cookie.bytes, $0) }
        } else {
            message += [UInt8](repeating: 0, count: 16)
        }
    }

    /// Stores the cookie of a reply.
    ///
    /// - Returns: Whether the reply is authentic and answers the last message, which can be answered only once.
    mutating func accept(_ reply: UnsafeRawBufferPointer, now: Nanoseconds) -> Bool {
        guard let mac1 = lastMAC1,
            let bytes = try? XChaCha20Poly1305.open(
                Array(reply.slice(CookieReplyLayout.encryptedCookie)), key: cookieKey,
                nonce: Array(reply.slice(CookieReplyLayout.nonce)), authenticating: mac1)
        else { return false }
        cookie = (bytes, now + Limits.cookieTime)
        lastMAC1 = nil
        return true
    }
}

/// The labels for deriving the keys of MACs and cookies.
private enum MACLabel: String {
    case mac1 = "mac1----"
    case cookie = "cookie--"

    func key(of publicKey: WireGuardPublicKey) -> [UInt8] { KeyDerivation.hash(Array(rawValue.utf8), publicKey.bytes) }
}

extension [UInt8] {
    /// Compares in a time that depends only on the lengths.
    fileprivate func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
