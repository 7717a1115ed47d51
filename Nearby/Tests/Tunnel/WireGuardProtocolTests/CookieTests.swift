// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import WireGuardProtocol

@Suite struct CookieTests {
    /// Starts a handshake, and returns its initiation.
    private static func initiation(of pair: Pair) throws -> [UInt8] {
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        return try #require(pair.one.takeOutgoing().first)
    }

    /// Returns a pair whose second device is under load, after the first device has received its cookie.
    private static func withCookie() throws -> Pair {
        let pair = try Pair(handshakesPerSecond: 0)
        let receipt = pair.two.receive(try initiation(of: pair), from: pair.one.endpoint)
        #expect(receipt == .refused(.cookieRequired))
        let reply = try #require(pair.two.takeOutgoing().first)
        #expect(reply.count == 64)
        #expect(pair.one.receive(reply, from: pair.two.endpoint) == .handshake)
        pair.clock.advance(by: .seconds(5))
        return pair
    }

    @Test("Under load, an initiation with the cookie sent to its endpoint is answered") func cookie() throws {
        let pair = try Self.withCookie()
        let initiation = try Self.initiation(of: pair)
        for bit in (132 * 8)..<(148 * 8) {
            let receipt = pair.two.receive(initiation.flipping(bit: bit), from: pair.one.endpoint)
            #expect(receipt == .refused(.cookieRequired))
        }
        let elsewhere = try #require(WireGuardEndpoint(address: pair.one.endpoint.address, port: 1))
        #expect(pair.two.receive(initiation, from: elsewhere) == .refused(.cookieRequired))
        _ = pair.two.takeOutgoing()
        #expect(pair.two.receive(initiation, from: pair.one.endpoint) == .handshake)
        #expect(pair.exchange() == [2, 4])
        #expect(pair.carries([1], from: pair.two, to: pair.one))
    }

    @Test("An initiator under load requires a cookie before it accepts a response") func responseUnderLoad() throws {
        let clock = TestClock()
        let (one, two) = (try Node(1, clock: clock, handshakesPerSecond: 0), try Node(2, clock: clock))
        try one.add(two)
        try two.add(one)
        for isAccepted in [false, true] {
            one.device.startHandshake(with: two.key, now: clock.now)
            for datagram in one.takeOutgoing() { two.receive(datagram, from: one.endpoint) }
            let response = try #require(two.takeOutgoing().first)
            let receipt = one.receive(response, from: two.endpoint)
            #expect(receipt == (isAccepted ? .handshake : .refused(.cookieRequired)))
            for datagram in one.takeOutgoing() { two.receive(datagram, from: one.endpoint) }
            clock.advance(by: .seconds(5))
        }
        #expect(two.device.takeEvents().contains(.established(one.key)))
    }

    @Test("A cookie reply with one wrong bit, without a message or sent twice is rejected")
    func tamperedReply() throws {
        let pair = try Pair(handshakesPerSecond: 0)
        let initiation = try Self.initiation(of: pair)
        pair.two.receive(initiation, from: pair.one.endpoint)
        let reply = try #require(pair.two.takeOutgoing().first)
        for bit in 0..<(64 * 8) {
            let expected: WireGuardRefusal = bit < 32 ? .malformed : bit < 64 ? .unknownIndex : .notAuthentic
            let receipt = pair.one.receive(reply.flipping(bit: bit), from: pair.two.endpoint)
            #expect(receipt == .refused(expected), "bit \(bit)")
        }
        #expect(pair.one.receive(reply, from: pair.two.endpoint) == .handshake)
        #expect(pair.one.receive(reply, from: pair.two.endpoint) == .refused(.notAuthentic))
    }

    @Test("A cookie is valid for 2 minutes", arguments: [(100, true), (121, false)])
    func age(seconds: Int, holds: Bool) throws {
        let pair = try Self.withCookie()
        pair.clock.advance(by: .seconds(seconds))
        let receipt = pair.two.receive(try Self.initiation(of: pair), from: pair.one.endpoint)
        #expect(receipt == (holds ? .handshake : .refused(.cookieRequired)))
    }

    @Test("Under load, a source with a cookie is answered 5 times in a burst and 20 times a second") func rate() throws
    {
        let pair = try Self.withCookie()
        let initiation = try Self.initiation(of: pair)
        var receipts = (0..<6).map { _ in pair.two.receive(initiation, from: pair.one.endpoint) }
        let replayed = [WireGuardReceiveResult](repeating: .refused(.replayed), count: 4)
        #expect(receipts == [.handshake] + replayed + [.refused(.rateLimited)])
        pair.clock.advance(by: .milliseconds(50))
        receipts = (0..<2).map { _ in pair.two.receive(initiation, from: pair.one.endpoint) }
        #expect(receipts == [.refused(.replayed), .refused(.rateLimited)])
    }

    @Test("The number of tracked sources is limited, and IPv6 sources are tracked by their first 64 bits")
    func sources()
        throws
    {
        var limiter = LoadLimiter(handshakesPerSecond: 0, now: 0)
        let admitted = try (0..<100).filter { number in
            let address = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [UInt8(number)]
            return limiter.admits(try #require(WireGuardEndpoint(address: address, port: UInt16(number))), now: 0)
        }
        #expect(admitted.count == 5)
        let others = try (0..<20_000).filter { number in
            let endpoint = WireGuardEndpoint(address: UInt32(number).littleEndianBytes, port: 1)
            return limiter.admits(try #require(endpoint), now: 0)
        }
        #expect(others.count == 8_191 + 100, "sources beyond the table share a hundred messages")
        let late = try #require(WireGuardEndpoint(address: [9, 9, 9, 9], port: 1))
        let admissions = [0, Limits.second / 50].map { limiter.admits(late, now: $0) }
        #expect(admissions == [false, true], "their bucket leaks while the table is full")
        #expect((0..<5).allSatisfy { _ in limiter.admits(late, now: 2 * Limits.second) }, "it has a place again")
    }
}
