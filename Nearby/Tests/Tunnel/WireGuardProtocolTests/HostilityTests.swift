// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import WireGuardProtocol

@Suite struct HostilityTests {
    /// Returns an initiation of a sender that knows only the public key of the receiver.
    private static func forgery(
        for node: Node, _ random: inout any RandomNumberGenerator & Sendable, authenticator: inout MessageAuthenticator
    ) -> [UInt8] {
        var bytes = MessageKind.initiation.prefix
        while bytes.count < 116 { bytes += (random.next() as UInt64).littleEndianBytes }
        authenticator.sign(&bytes, now: 0)
        return bytes
    }

    @Test("20,000 forged initiations leave no state, and a peer with a cookie is answered") func flood() throws {
        let pair = try Pair()
        var random: any RandomNumberGenerator & Sendable = SeededNumbers(seed: 5)
        var authenticator = MessageAuthenticator(publicKey: pair.two.key)
        let forgery = Self.forgery(for: pair.two, &random, authenticator: &authenticator)
        pair.one.send([1], to: pair.two)
        var refusals: [WireGuardReceiveResult: Int] = [:]
        for number in UInt32(0)..<20_000 {
            let endpoint = try #require(WireGuardEndpoint(address: number.littleEndianBytes, port: 1))
            refusals[pair.two.receive(forgery, from: endpoint), default: 0] += 1
            if number.isMultiple(of: 2_000) {
                // The genuine peer retries while the flood continues.
                for datagram in pair.one.takeOutgoing() { pair.two.receive(datagram, from: pair.one.endpoint) }
                for datagram in pair.two.device.takeOutgoing() where datagram.endpoint == pair.one.endpoint {
                    pair.one.receive(datagram.bytes, from: pair.two.endpoint)
                }
                pair.clock.advance(by: .seconds(5) + .milliseconds(334))
                pair.one.device.timersFired(now: pair.clock.now)
            }
        }
        #expect(pair.two.received.map(\.first) == [1])
        #expect(refusals[.refused(.notAuthentic), default: 0] <= 11 * 200)
        #expect(refusals[.refused(.cookieRequired), default: 0] > 17_000)
        #expect(pair.two.device.outgoing.count <= 4_096 && pair.two.device.events.count <= 4)
        // The genuine peer has completed several handshakes: there are a current, a previous and a next session.
        #expect((1...3).contains(pair.two.device.owners.count) && pair.two.device.peers.keys.count == 1)
    }

    @Test(
        "Random and mutated datagrams are rejected without a crash, and the session continues", .timeLimit(.minutes(1)))
    func fuzz() throws {
        let pair = try Pair.established()
        let seed = UInt64.random(in: 0...UInt64.max)
        print("fuzzing with seed \(seed)")
        var random: any RandomNumberGenerator & Sendable = SeededNumbers(seed: seed)
        var authenticator = MessageAuthenticator(publicKey: pair.two.key)
        pair.clock.advance(by: .seconds(6))
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        var seeds = pair.one.takeOutgoing() + [[UInt8](repeating: 3, count: 64), [UInt8](repeating: 2, count: 92)]
        seeds += try (0..<3).map { try #require(pair.one.send([UInt8](repeating: 1, count: $0 * 30), to: pair.two)) }
        seeds.append(Self.forgery(for: pair.two, &random, authenticator: &authenticator))
        let end = Instant.now + .seconds(3)
        var count = 0
        while Instant.now < end {
            var bytes = seeds[count % seeds.count]
            switch UInt8.random(in: 0..<5, using: &random) {
            case 0:
                bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in .random(in: 0...255, using: &random) }
            case 1: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
            case 2: bytes += [UInt8](repeating: 0, count: Int.random(in: 1..<40, using: &random))
            case 3:
                bytes[0] = .random(in: 0..<6, using: &random)
                bytes[4...] =
                    pair.two.device.owners.keys.randomElement(using: &random)
                    .map { $0.littleEndianBytes + bytes[8...] }?[...] ?? []
            default:
                for _ in 0..<Int.random(in: 1..<4, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
            }
            // A mutation may reproduce a genuine datagram, the only kind that is accepted.
            if !seeds.contains(bytes) {
                guard case .refused = pair.two.receive(bytes, from: pair.one.endpoint) else {
                    // The last MAC of a handshake message is verified only under load.
                    #expect(bytes.count == 148 && seeds.contains { $0.prefix(132) == bytes.prefix(132) })
                    continue
                }
            }
            count += 1
        }
        #expect(count > 100)
        #expect(pair.carries([1], from: pair.one, to: pair.two))
    }

    @Test("A pair continues if a relay drops, repeats and reorders datagrams", arguments: [1, 5, 20, 50])
    func relay(percent: Int) throws {
        let pair = try Pair(persistentKeepalive: .seconds(5))
        pair.two.device.setEndpoint(pair.one.endpoint, of: pair.one.key)
        var random = SeededNumbers(seed: UInt64(percent))
        // The delayed datagrams, by the step in which they arrive.
        var delayed: [UInt32: [(Node, Node, [UInt8])]] = [:]
        for step in UInt32(0)..<6_000 {
            for (from, to) in [(pair.one, pair.two), (pair.two, pair.one)] {
                let payload = from.send(step.littleEndianBytes, to: to)
                for datagram in [payload].compactMap(\.self) + from.takeOutgoing() {
                    for _ in 0..<2 where Int.random(in: 0..<100, using: &random) >= percent {
                        delayed[step + .random(in: 0..<4, using: &random), default: []].append((from, to, datagram))
                        if Bool.random(using: &random) { break }
                    }
                }
            }
            for (from, to, datagram) in delayed.removeValue(forKey: step) ?? [] {
                to.receive(datagram, from: from.endpoint)
            }
            pair.clock.advance(by: .milliseconds(100))
            for node in [pair.one, pair.two] where node.device.nextDeadline.map({ $0 <= pair.clock.now }) == true {
                node.device.timersFired(now: pair.clock.now)
            }
        }
        for node in [pair.one, pair.two] {
            #expect(Set(node.received).count == node.received.count)
            #expect(node.received.count >= 54 * (100 - percent), "\(node.received.count)")
        }
    }
}
