// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import WireGuardProtocol

@Suite struct PacketTests {
    @Test(
        "The window accepts each counter once, up to 8,191 behind the highest",
        arguments: [
            ([0, 0], [true, false]), ([5, 4, 5, 4, 6], [true, true, false, false, true]),
            ([8_191, 0, 0], [true, true, false]), ([8_192, 0, 1], [true, false, true]),
            ([0, 1 << 40, 0, (1 << 40) - 8_191, (1 << 40) - 8_192], [true, true, false, true, false]),
            ([.max - 9_000, 1, .max - 9_001, .max - 8_193], [true, false, true, true]),
            ([63, 64, 63, 128, 64, 65], [true, true, false, true, false, true]),
        ] as [([UInt64], [Bool])])
    func window(counters: [UInt64], accepted: [Bool]) {
        var window = ReplayWindow()
        #expect(counters.map { window.accept($0) } == accepted)
    }

    @Test("For random counters, the window has the same result as a set of all counters") func windowModel() {
        var (window, random) = (ReplayWindow(), SeededNumbers(seed: 3))
        var (seen, greatest) = (Set<UInt64>(), UInt64(0))
        for _ in 0..<50_000 {
            let step = UInt64.random(in: 0..<30, using: &random)
            let isJump = UInt64.random(in: 0..<1_000, using: &random) == 0
            let ahead = greatest + (isJump ? UInt64.random(in: 0..<20_000, using: &random) : step)
            let behind = UInt64.random(in: 0..<10_000, using: &random)
            let counter = Bool.random(using: &random) ? ahead : greatest - min(greatest, behind)
            let isNew = !seen.contains(counter) && counter + 8_192 > greatest
            #expect(window.accept(counter) == isNew)
            if isNew { seen.insert(counter) }
            greatest = max(greatest, counter)
        }
    }

    @Test("Packets in any order within the window are accepted once, and older ones are rejected") func reorder() throws
    {
        let pair = try Pair.established()
        let old = try #require(pair.one.send([0], to: pair.two))
        var random = SeededNumbers(seed: 1)
        let datagrams = try (1...8_191).map { try #require(pair.one.send(UInt32($0).littleEndianBytes, to: pair.two)) }
        for datagram in datagrams.shuffled(using: &random) { pair.two.receive(datagram, from: pair.one.endpoint) }
        #expect(Set(pair.two.received).count == 8_191 && pair.two.received.count == 8_191)
        for datagram in datagrams.prefix(100) + datagrams.suffix(100) {
            #expect(pair.two.receive(datagram, from: pair.one.endpoint) == .refused(.replayed))
        }
        let oldReceipt = pair.two.receive(old, from: pair.one.endpoint)
        #expect(oldReceipt == .payload(16..<32, from: pair.one.key))
        let late = try #require(pair.one.send([1], to: pair.two))
        for _ in 0..<8_191 { pair.one.send([2], to: pair.two) }
        let newest = try #require(pair.one.send([3], to: pair.two))
        #expect(pair.two.receive(newest, from: pair.one.endpoint) != .refused(.replayed))
        #expect(pair.two.receive(late, from: pair.one.endpoint) == .refused(.replayed))
    }

    @Test("A packet with one wrong bit is rejected") func tampered() throws {
        let pair = try Pair.established()
        let datagram = try #require(pair.one.send([1, 2, 3], to: pair.two))
        for bit in 0..<(datagram.count * 8) {
            let expected: WireGuardRefusal =
                switch bit / 8 {
                case 0..<4: .malformed
                case 4..<8: .unknownIndex
                default: .notAuthentic
                }
            let receipt = pair.two.receive(datagram.flipping(bit: bit), from: pair.one.endpoint)
            #expect(receipt == .refused(expected), "bit \(bit)")
        }
        #expect(pair.two.receive(datagram, from: pair.one.endpoint) == .payload(16..<32, from: pair.one.key))
    }

    @Test(
        "An authentic packet with a counter that no session may use is rejected",
        arguments: [(.max - 8_194, true), (.max - 8_193, true), (.max - 8_192, false), (.max, false)]
            as [(UInt64, Bool)])
    func lastCounters(counter: UInt64, isAccepted: Bool) throws {
        let pair = try Pair.established()
        let session = try #require(pair.one.device.peers[pair.two.key]?.current?.session)
        var buffer = [UInt8](repeating: 0, count: 48)
        let length = buffer.withUnsafeMutableBytes { session.seal($0, payload: 1, limit: .max, counter: counter) }
        #expect(length == 48)
        let receipt = pair.two.receive(buffer, from: pair.one.endpoint)
        #expect(receipt == (isAccepted ? .payload(16..<32, from: pair.one.key) : .refused(.notAuthentic)))
        #expect(pair.two.receive(buffer, from: pair.one.endpoint) == .refused(isAccepted ? .replayed : .notAuthentic))
    }

    @Test(
        "Payloads are padded to a multiple of 16 bytes, but not above the limit",
        arguments: [
            (0, Int.max, 0), (1, .max, 16), (16, .max, 16), (17, .max, 32), (1_410, 1_412, 1_412),
            (1_412, 1_412, 1_412),
            (1_500, 1_412, 1_500),
        ])
    func padding(count: Int, limit: Int, padded: Int) throws {
        let pair = try Pair.established()
        var reservation = pair.one.device.reserve(2, to: pair.two.key, now: pair.clock.now)
        var buffer = [UInt8](repeating: 0xFF, count: 16 + count + 31)
        let length = buffer.withUnsafeMutableBytes { reservation?.seal($0, payload: count, limit: limit) }
        #expect(length == padded + 32 && reservation?.remaining == 1)
        let payload = [UInt8](repeating: 0xFF, count: count) + [UInt8](repeating: 0, count: padded - count)
        pair.two.receive(Array(buffer.prefix(padded + 32)), from: pair.one.endpoint)
        #expect(padded == 0 ? pair.two.received.isEmpty : pair.two.received == [payload])
    }

    @Test("An authentic packet updates the endpoint of a peer, and a forged or replayed one does not")
    func roaming() throws {
        let pair = try Pair.established()
        let elsewhere = try #require(WireGuardEndpoint(address: [UInt8](repeating: 0xFE, count: 16), port: 7, scope: 2))
        let datagram = try #require(pair.one.send([1], to: pair.two))
        pair.two.receive(datagram.flipping(bit: 200), from: elsewhere)
        #expect(pair.two.device.endpoint(of: pair.one.key) == pair.one.endpoint)
        pair.two.receive(datagram, from: elsewhere)
        #expect(pair.two.device.takeEvents() == [.moved(pair.one.key, to: elsewhere)])
        pair.two.receive(datagram, from: pair.one.endpoint)
        #expect(pair.two.device.reserve(1, to: pair.one.key, now: pair.clock.now)?.endpoint == elsewhere)
    }

    @Test("A full queue discards the oldest elements", arguments: [0, 3, 4, 5, 7, 8, 9])
    func latest(count: Int) {
        var queue = BoundedQueue<Int>(limit: 4)
        for round in 0..<2 {
            for number in 0..<count { queue.append(number) }
            #expect(queue.count == min(count, 4) && queue.isEmpty == (count == 0))
            #expect(queue.takeAll() == (0..<count).suffix(4), "round \(round)")
        }
    }

    @Test("Without a session, the latest 128 payloads are queued") func queue() throws {
        let pair = try Pair()
        for number in 0..<UInt8(200) { pair.one.send([number], to: pair.two) }
        pair.exchange()
        #expect(pair.two.received.compactMap(\.first) == Array(72..<200))
    }

    @Test("A payload that is queued after a session has started is sent at once") func lateQueue() throws {
        let pair = try Pair.established()
        [UInt8(7)].withUnsafeBytes { _ = pair.one.device.enqueue($0, to: pair.two.key, now: pair.clock.now) }
        #expect(pair.exchange() == [4] && pair.two.received.first?.first == 7)
    }

    @Test("One thread seals and another opens without the device") func threads() async throws {
        let pair = try Pair.established()
        let (count, now, receiver) = (2_000, pair.clock.now, pair.two)
        guard var reservation = pair.one.device.reserve(count, to: receiver.key, now: now) else {
            Issue.record("there is no session")
            return
        }
        let (datagrams, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let first = try #require(pair.one.send([], to: receiver))
        let session = try #require(first.withUnsafeBytes { receiver.device.session(receiving: $0) })
        let opener = Task {
            var packets: [WireGuardPacket] = []
            for await datagram in datagrams {
                var bytes = datagram
                if let packet = bytes.withUnsafeMutableBytes({ session.open($0) }) { packets.append(packet) }
            }
            return packets
        }
        for number in 0..<count {
            var buffer = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16 + 100 + 31)
            let length = buffer.withUnsafeMutableBytes { reservation.seal($0, payload: 100) }
            continuation.yield(Array(buffer.prefix(length)))
        }
        continuation.finish()
        let packets = await opener.value
        #expect(packets.count == count)
        for packet in packets {
            let receipt = receiver.device.accept(packet, from: pair.one.endpoint, now: now)
            #expect(receipt == .payload(16..<128, from: pair.one.key))
        }
    }
}
