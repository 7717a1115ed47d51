// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import WireGuardProtocol

/// A generator of reproducible numbers (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// The clock that devices share.
final class TestClock {
    private(set) var now = Instant.now

    func advance(by duration: Duration) { now += duration }
}

/// A device at an endpoint, with its received payloads.
final class Node {
    var device: WireGuardDevice
    var endpoint: WireGuardEndpoint
    let clock: TestClock
    var received: [[UInt8]] = []
    var events: [WireGuardEvent] = []

    init(_ number: UInt8, clock: TestClock, seed: UInt64 = 0, handshakesPerSecond: Int = 200) throws {
        var random: any RandomNumberGenerator & Sendable = SeededNumbers(seed: UInt64(number) << 32 + seed)
        // The key depends only on the number, so that a node can be restarted.
        var keys: any RandomNumberGenerator & Sendable = SeededNumbers(seed: UInt64(number))
        let key = try Curve25519.KeyAgreement.PrivateKey(using: &keys)
        _ = random.next() as UInt64
        device = WireGuardDevice(
            privateKey: key, now: clock.now, unixTime: .seconds(1_795_608_000) + (clock.now - Self.epoch),
            handshakesPerSecond: handshakesPerSecond, random: random)
        endpoint = try #require(WireGuardEndpoint(address: [192, 0, 2, number], port: 51_820))
        self.clock = clock
    }

    private static let epoch = Instant.now

    var key: WireGuardPublicKey { device.publicKey }

    func add(
        _ other: Node, presharedKey: SymmetricKey? = nil, persistentKeepalive: Duration? = nil, hasEndpoint: Bool = true
    ) throws {
        try device.addPeer(
            WireGuardPeer(
                publicKey: other.key, presharedKey: presharedKey, endpoint: hasEndpoint ? other.endpoint : nil,
                persistentKeepalive: persistentKeepalive), now: clock.now)
    }

    /// Receives a datagram, and stores its payload.
    @discardableResult func receive(_ datagram: [UInt8], from endpoint: WireGuardEndpoint) -> WireGuardReceiveResult {
        var bytes = datagram
        let receipt = bytes.withUnsafeMutableBytes { device.receive($0, from: endpoint, now: clock.now) }
        if case .payload(let range, _) = receipt { received.append(Array(bytes[range])) }
        return receipt
    }

    /// Encrypts a payload.
    ///
    /// - Returns: The datagram, or `nil` if the payload is queued or the peer is unreachable.
    @discardableResult func send(_ payload: [UInt8], to other: Node) -> [UInt8]? {
        var buffer =
            [UInt8](repeating: 0, count: WireGuardReservation.headroom) + payload
            + [UInt8](repeating: 0, count: WireGuardReservation.tailroom)
        let outcome = buffer.withUnsafeMutableBytes {
            device.send($0, payload: payload.count, to: other.key, now: clock.now)
        }
        guard case .datagram(let length, _) = outcome else { return nil }
        return Array(buffer.prefix(length))
    }

    func takeOutgoing() -> [[UInt8]] { device.takeOutgoing().map(\.bytes) }
}

/// Two devices that are configured as peers.
struct Pair {
    let clock = TestClock()
    let one: Node
    private(set) var two: Node

    init(
        presharedKeys: (SymmetricKey?, SymmetricKey?) = (nil, nil), handshakesPerSecond: Int = 200,
        persistentKeepalive: Duration? = nil
    ) throws {
        one = try Node(1, clock: clock)
        two = try Node(2, clock: clock, handshakesPerSecond: handshakesPerSecond)
        try one.add(two, presharedKey: presharedKeys.0, persistentKeepalive: persistentKeepalive)
        try two.add(one, presharedKey: presharedKeys.1, hasEndpoint: false)
    }

    /// Returns two devices with a session initiated by the first one.
    static func established() throws -> Pair {
        let pair = try Pair()
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        pair.exchange()
        _ = pair.one.device.takeEvents() + pair.two.device.takeEvents()
        return pair
    }

    mutating func replaceTwo(by node: Node) { two = node }

    /// Delivers datagrams until neither device has any.
    ///
    /// - Returns: The message types of the datagrams.
    @discardableResult func exchange() -> [UInt8] {
        var types: [UInt8] = []
        while true {
            let (from, to) = (one.takeOutgoing(), two.takeOutgoing())
            if from.isEmpty && to.isEmpty { return types }
            for datagram in from { two.receive(datagram, from: one.endpoint) }
            for datagram in to { one.receive(datagram, from: two.endpoint) }
            types += (from + to).map { $0[0] }
        }
    }

    /// Sends a payload, and returns whether it arrives at once.
    func carries(_ payload: [UInt8], from sender: Node, to receiver: Node) -> Bool {
        guard let datagram = sender.send(payload, to: receiver) else { return false }
        receiver.receive(datagram, from: sender.endpoint)
        return receiver.received.last?.starts(with: payload) == true
    }

    /// Advances the clock and runs the timers of both devices, until a condition holds.
    ///
    /// - Returns: The elapsed time, or `nil` if the condition never held.
    func run(
        for duration: Duration, lossy: Bool = false, until isDone: () -> Bool = { false }
    ) -> Duration? {
        let (start, end) = (clock.now, clock.now + duration)
        while true {
            if !lossy { exchange() }
            if isDone() { return clock.now - start }
            let next = [one.device.nextDeadline, two.device.nextDeadline].compactMap(\.self).min() ?? end
            guard next <= end else {
                clock.advance(by: end - clock.now)
                return nil
            }
            clock.advance(by: max(.zero, next - clock.now))
            one.device.timersFired(now: clock.now)
            two.device.timersFired(now: clock.now)
        }
    }
}

extension [UInt8] {
    /// The bytes as two lower-case hexadecimal digits each.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Returns the bytes with one bit flipped.
    func flipping(bit: Int) -> [UInt8] {
        var bytes = self
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }
}
