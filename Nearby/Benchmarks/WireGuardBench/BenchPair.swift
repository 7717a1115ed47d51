// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import WireGuardProtocol

/// Two devices with an established session.
final class BenchPair {
    private var one: WireGuardDevice
    private var two: WireGuardDevice
    private let keys: (one: WireGuardPublicKey, two: WireGuardPublicKey)
    private let endpoint: WireGuardEndpoint
    private let now = Instant.now

    init() throws {
        guard let endpoint = WireGuardEndpoint(address: [192, 0, 2, 1], port: 51_820) else {
            throw BenchError.noSession
        }
        self.endpoint = endpoint
        one = WireGuardDevice(privateKey: .init(), now: now, unixTime: .seconds(1))
        two = WireGuardDevice(privateKey: .init(), now: now, unixTime: .seconds(1))
        keys = (one.publicKey, two.publicKey)
        try one.addPeer(WireGuardPeer(publicKey: keys.two, endpoint: endpoint), now: now)
        try two.addPeer(WireGuardPeer(publicKey: keys.one), now: now)
        one.startHandshake(with: keys.two, now: now)
        for datagram in one.takeOutgoing() { _ = receive(datagram.bytes) }
        for datagram in two.takeOutgoing() {
            var bytes = datagram.bytes
            _ = bytes.withUnsafeMutableBytes { one.receive($0, from: endpoint, now: now) }
        }
        for datagram in one.takeOutgoing() { _ = receive(datagram.bytes) }
        guard two.takeEvents().contains(.established(keys.one)) else { throw BenchError.noSession }
    }

    private func receive(_ datagram: [UInt8]) -> WireGuardReceiveResult {
        var bytes = datagram
        return bytes.withUnsafeMutableBytes { two.receive($0, from: endpoint, now: now) }
    }

    /// Prevents the optimizer from removing the session.
    func use() { _ = one.nextDeadline }

    /// Returns the nanoseconds to send one packet, reserving `batch` packets at a time.
    func send(_ size: Int, batch: Int) throws -> Double {
        var buffer = [UInt8](
            repeating: 1, count: WireGuardReservation.headroom + size + WireGuardReservation.tailroom)
        return try buffer.withUnsafeMutableBytes { buffer in
            try time(count: 4_096 / batch) {
                guard var reservation = one.reserve(batch, to: keys.two, now: now) else { throw BenchError.noSession }
                while reservation.remaining > 0 { _ = reservation.seal(buffer, payload: size) }
            } / Double(batch)
        }
    }

    /// Returns the nanoseconds to receive one packet.
    func receive(_ size: Int) throws -> Double {
        var datagrams = try (0..<(15 * 4_096)).map { _ in
            var buffer = [UInt8](
                repeating: 1, count: WireGuardReservation.headroom + size + WireGuardReservation.tailroom)
            guard var reservation = one.reserve(1, to: keys.two, now: now) else { throw BenchError.noSession }
            let length = buffer.withUnsafeMutableBytes { reservation.seal($0, payload: size) }
            buffer.removeLast(buffer.count - length)
            return buffer
        }
        var next = 0
        return try time(count: 4_096) {
            let receipt = datagrams[next].withUnsafeMutableBytes { two.receive($0, from: endpoint, now: now) }
            guard case .payload = receipt else { throw BenchError.noSession }
            next += 1
        }
    }

    /// Performs one key generation and one key agreement; each side of a handshake performs one and four of them.
    static func agree() throws {
        let key = Curve25519.KeyAgreement.PrivateKey()
        _ = try key.sharedSecretFromKeyAgreement(with: key.publicKey)
    }
}

/// The errors of the benchmark.
enum BenchError: Error {
    case noSession
}
