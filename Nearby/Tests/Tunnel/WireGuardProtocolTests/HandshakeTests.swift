// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import WireGuardProtocol

@Suite struct HandshakeTests {
    private static let presharedKey = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

    @Test(
        "Two devices establish a session and exchange payloads in both directions",
        arguments: [nil, presharedKey] as [SymmetricKey?])
    func session(presharedKey: SymmetricKey?) throws {
        let pair = try Pair(presharedKeys: (presharedKey, presharedKey))
        #expect(pair.two.send([1], to: pair.one) == nil && pair.two.takeOutgoing().isEmpty)
        #expect(pair.one.send([1, 2, 3], to: pair.two) == nil)
        // The initiation, the response, and the queued payload.
        #expect(pair.exchange() == [1, 2, 4])
        #expect(pair.two.received == [[1, 2, 3] + [UInt8](repeating: 0, count: 13)])
        #expect(pair.carries([4], from: pair.two, to: pair.one) && pair.carries([5], from: pair.one, to: pair.two))
        #expect(pair.one.device.takeEvents() == [.established(pair.two.key)])
        #expect(
            pair.two.device.takeEvents() == [
                .moved(pair.one.key, to: pair.one.endpoint), .established(pair.one.key),
            ])
        #expect(pair.two.device.latestHandshake(with: pair.one.key) == pair.clock.now)
    }

    @Test("The responder sends nothing until it has received a packet of the session") func confirmation() throws {
        let pair = try Pair()
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        let initiation = try #require(pair.one.takeOutgoing().first)
        #expect(pair.two.receive(initiation, from: pair.one.endpoint) == .handshake)
        let response = try #require(pair.two.takeOutgoing().first)
        #expect(pair.two.send([1], to: pair.one) == nil)
        // A payload without a session starts a handshake, even during another handshake.
        _ = pair.two.takeOutgoing()
        #expect(pair.one.receive(response, from: pair.two.endpoint) == .handshake)
        let keepalive = try #require(pair.one.takeOutgoing().first)
        #expect(keepalive.count == 32)
        #expect(pair.two.receive(keepalive, from: pair.one.endpoint) == .keepalive(from: pair.one.key))
        pair.exchange()
        #expect(pair.one.received == [[1] + [UInt8](repeating: 0, count: 15)])
    }

    @Test(
        "Devices with different preshared keys establish no session",
        arguments: [(presharedKey, nil), (nil, presharedKey), (presharedKey, SymmetricKey(size: .bits256))]
            as [(SymmetricKey?, SymmetricKey?)])
    func differentPresharedKeys(one: SymmetricKey?, two: SymmetricKey?) throws {
        let pair = try Pair(presharedKeys: (one, two))
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        let initiation = try #require(pair.one.takeOutgoing().first)
        #expect(pair.two.receive(initiation, from: pair.one.endpoint) == .handshake)
        let response = try #require(pair.two.takeOutgoing().first)
        #expect(pair.one.receive(response, from: pair.two.endpoint) == .refused(.notAuthentic))
        #expect(pair.one.device.takeEvents().isEmpty)
    }

    @Test("An initiation from an unknown device, or for another device, is not answered") func strangers() throws {
        let pair = try Pair()
        let stranger = try Node(3, clock: pair.clock)
        try stranger.add(pair.two)
        stranger.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        let initiation = try #require(stranger.takeOutgoing().first)
        #expect(pair.two.receive(initiation, from: stranger.endpoint) == .refused(.notAuthentic))
        #expect(pair.one.receive(initiation, from: stranger.endpoint) == .refused(.wrongMAC))
        #expect(pair.two.takeOutgoing().isEmpty)
    }

    /// Returns the bits of a message without the last MAC, which is verified only under load.
    private static func bits(of message: [UInt8]) -> Range<Int> { 0..<((message.count - 16) * 8) }

    /// Returns a message with a recomputed first MAC.
    private static func signed(_ message: [UInt8], for node: Node) -> [UInt8] {
        var bytes = Array(message.dropLast(32))
        var authenticator = MessageAuthenticator(publicKey: node.key)
        authenticator.sign(&bytes, now: 0)
        return bytes
    }

    @Test("A handshake message with one wrong bit is rejected, and the correct one is accepted afterwards")
    func tamperedHandshake() throws {
        let pair = try Pair()
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        let initiation = try #require(pair.one.takeOutgoing().first)
        for bit in Self.bits(of: initiation) {
            let receipt = pair.two.receive(initiation.flipping(bit: bit), from: pair.one.endpoint)
            #expect(receipt == .refused(bit < 32 ? .malformed : .wrongMAC), "bit \(bit)")
        }
        for bit in (8 * 8)..<(116 * 8) {
            // X25519 ignores the last bit of a key (RFC 7748 section 5), but the hash does not.
            let forged = Self.signed(initiation.flipping(bit: bit), for: pair.two)
            #expect(refusal(of: forged, by: pair.two, from: pair.one) == .notAuthentic, "bit \(bit)")
        }
        #expect(pair.two.receive(initiation, from: pair.one.endpoint) == .handshake)
        let response = try #require(pair.two.takeOutgoing().first)
        for bit in Self.bits(of: response) {
            let receipt = pair.one.receive(response.flipping(bit: bit), from: pair.two.endpoint)
            #expect(receipt == .refused(bit < 32 ? .malformed : .wrongMAC), "bit \(bit)")
        }
        for bit in (8 * 8)..<(60 * 8) {
            let forged = Self.signed(response.flipping(bit: bit), for: pair.one)
            let expected: WireGuardRefusal = bit < 12 * 8 ? .unknownIndex : .notAuthentic
            #expect(refusal(of: forged, by: pair.one, from: pair.two) == expected, "bit \(bit)")
        }
        #expect(pair.one.receive(response, from: pair.two.endpoint) == .handshake)
        pair.exchange()
        #expect(pair.carries([1], from: pair.two, to: pair.one))
    }

    /// Returns the reason that a device that is not under load rejects a message.
    private func refusal(of message: [UInt8], by receiver: Node, from sender: Node) -> WireGuardRefusal? {
        receiver.clock.advance(by: .milliseconds(10))
        guard case .refused(let refusal) = receiver.receive(message, from: sender.endpoint) else { return nil }
        return refusal
    }

    @Test("Messages of any other length are rejected") func lengths() throws {
        let pair = try Pair.established()
        for kind in UInt8(0)...5 {
            for length in 0..<200 {
                let bytes = [kind, 0, 0, 0].prefix(length) + [UInt8](repeating: 0, count: max(0, length - 4))
                let isRight = [1: 148, 2: 92, 3: 64][kind].map { $0 == length } ?? (kind == 4 && length >= 32)
                let receipt = pair.one.receive(Array(bytes), from: pair.two.endpoint)
                #expect((receipt == .refused(.malformed)) == !isRight, "\(kind) \(length)")
            }
        }
    }

    @Test("A replayed initiation or response changes nothing") func replayedHandshake() throws {
        let pair = try Pair()
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        let initiation = try #require(pair.one.takeOutgoing().first)
        pair.two.receive(initiation, from: pair.one.endpoint)
        let response = try #require(pair.two.takeOutgoing().first)
        pair.one.receive(response, from: pair.two.endpoint)
        pair.exchange()
        pair.clock.advance(by: .seconds(1))
        let elsewhere = try #require(WireGuardEndpoint(address: [203, 0, 113, 1], port: 1))
        #expect(pair.two.receive(initiation, from: elsewhere) == .refused(.replayed))
        #expect(pair.one.receive(response, from: elsewhere) == .refused(.unknownIndex))
        #expect(pair.two.device.endpoint(of: pair.one.key) == pair.one.endpoint)
        #expect(pair.carries([1], from: pair.one, to: pair.two) && pair.carries([2], from: pair.two, to: pair.one))
    }

    @Test("Initiations of a peer are answered 20 ms apart") func peerRate() throws {
        let pair = try Pair()
        var answered = 0
        for _ in 0..<10 {
            // A restarted device does not know the time of its last message.
            let one = try Node(1, clock: pair.clock, seed: UInt64(answered))
            try one.add(pair.two)
            one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
            let initiation = try #require(one.takeOutgoing().first)
            if pair.two.receive(initiation, from: one.endpoint) == .handshake { answered += 1 }
            pair.clock.advance(by: .milliseconds(18))
        }
        #expect(answered == 5)
    }

    @Test("If both sides start a handshake at once, payloads are exchanged in both directions") func crossing() throws {
        let pair = try Pair()
        pair.two.device.setEndpoint(pair.one.endpoint, of: pair.one.key)
        pair.one.send([1], to: pair.two)
        pair.two.send([2], to: pair.one)
        // There are two messages of each type, which cross each other.
        #expect(pair.exchange().filter { $0 != 4 } == [1, 1, 2, 2])
        #expect(pair.one.received.count == 1 && pair.two.received.count == 1)
        for number in UInt8(3)..<20 {
            #expect(pair.carries([number], from: pair.one, to: pair.two), "\(number)")
            #expect(pair.carries([number], from: pair.two, to: pair.one), "\(number)")
            pair.clock.advance(by: .seconds(1))
        }
    }

    @Test(
        "The ephemeral key of a handshake with a lost response is cleared after 90 s, even if the peer's handshake succeeds"
    )
    func lostResponse() throws {
        let pair = try Pair()
        pair.two.device.setEndpoint(pair.one.endpoint, of: pair.one.key)
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        _ = pair.one.takeOutgoing()
        pair.two.device.startHandshake(with: pair.one.key, now: pair.clock.now)
        #expect(pair.exchange() == [1, 2, 4])
        #expect(pair.one.device.peers[pair.two.key]?.handshake != nil && pair.one.device.owners.count == 2)
        let time = pair.run(for: .seconds(100)) { pair.one.device.peers[pair.two.key]?.handshake == nil }
        #expect(time == .seconds(90) && pair.one.device.owners.count == 1)
        #expect(pair.carries([1], from: pair.one, to: pair.two) && pair.carries([2], from: pair.two, to: pair.one))
    }

    @Test("The description of a peer does not contain its secrets") func descriptions() throws {
        let presharedKey = SymmetricKey(data: [UInt8](repeating: 0xA7, count: 32))
        let pair = try Pair(presharedKeys: (presharedKey, presharedKey))
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        let state = try #require(pair.one.device.peers[pair.two.key])
        let secrets = [presharedKey, state.partner.staticSecret].map { $0.withUnsafeBytes { Array($0) } }
        let peer = WireGuardPeer(publicKey: pair.two.key, presharedKey: presharedKey)
        var texts = [String(describing: state), String(reflecting: state), String(reflecting: peer), ""]
        dump(state, to: &texts[3])
        for (text, secret) in texts.flatMap({ text in secrets.map { (text, $0) } }) {
            let decimal = secret.map { String($0) }
            for written in [secret.hexadecimal, decimal.joined(separator: ", ")] { #expect(!text.contains(written)) }
        }
    }

    @Test("A restarted device establishes a session at once") func restart() throws {
        let pair = try Pair.established()
        pair.clock.advance(by: .seconds(3))
        let one = try Node(1, clock: pair.clock, seed: 1)
        try one.add(pair.two)
        #expect(one.send([9], to: pair.two) == nil)
        for datagram in one.takeOutgoing() { pair.two.receive(datagram, from: one.endpoint) }
        for datagram in pair.two.takeOutgoing() { one.receive(datagram, from: pair.two.endpoint) }
        for datagram in one.takeOutgoing() { pair.two.receive(datagram, from: one.endpoint) }
        #expect(pair.two.received.last?.first == 9)
        #expect(pair.carries([8], from: pair.two, to: one))
    }

    @Test("A restarted peer that sends nothing is detected after 15 s") func silentRestart() throws {
        var pair = try Pair.established()
        let two = try Node(2, clock: pair.clock, seed: 1)
        try two.add(pair.one, hasEndpoint: false)
        pair.replaceTwo(by: two)
        let lost = try #require(pair.one.send([1], to: two))
        #expect(two.receive(lost, from: pair.one.endpoint) == .refused(.unknownIndex))
        let time = try #require(pair.run(for: .seconds(60)) { !two.events.isEmpty || !two.device.takeEvents().isEmpty })
        #expect((.seconds(15)...(.seconds(15) + .milliseconds(333))).contains(time))
        #expect(pair.carries([2], from: pair.one, to: two))
    }

    @Test("A removed peer has no session") func removal() throws {
        let pair = try Pair.established()
        let datagram = try #require(pair.one.send([1], to: pair.two))
        pair.two.device.removePeer(pair.one.key)
        #expect(pair.two.receive(datagram, from: pair.one.endpoint) == .refused(.unknownIndex))
        #expect(pair.two.send([1], to: pair.one) == nil && pair.two.takeOutgoing().isEmpty)
        #expect(pair.two.device.owners.isEmpty && pair.two.device.nextDeadline == nil)
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now + .seconds(5))
        let initiation = try #require(pair.one.takeOutgoing().first)
        #expect(pair.two.receive(initiation, from: pair.one.endpoint) == .refused(.notAuthentic))
    }

    @Test("Changing preshared and private keys loses no payload") func keyRoll() throws {
        let pair = try Pair.established()
        for node in [pair.one, pair.two] {
            node.device.setPresharedKey(Self.presharedKey, of: node === pair.one ? pair.two.key : pair.one.key)
        }
        #expect(pair.carries([1], from: pair.one, to: pair.two))
        pair.clock.advance(by: .seconds(6))
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        #expect(pair.exchange() == [1, 2, 4])
        #expect(pair.carries([2], from: pair.two, to: pair.one))

        let (old, new) = (pair.one.key, Curve25519.KeyAgreement.PrivateKey())
        let newKey = WireGuardPublicKey(new.publicKey)
        try pair.two.device.addPeer(
            WireGuardPeer(publicKey: newKey, presharedKey: Self.presharedKey), now: pair.clock.now)
        pair.one.device.setPrivateKey(new)
        #expect(pair.carries([3], from: pair.one, to: pair.two))
        pair.clock.advance(by: .seconds(6))
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        pair.exchange()
        #expect(pair.two.device.takeEvents().contains(.established(newKey)))
        pair.two.device.removePeer(old)
        #expect(pair.carries([4], from: pair.two, to: pair.one) && pair.carries([5], from: pair.one, to: pair.two))
    }
}
