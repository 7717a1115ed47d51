// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import WireGuardProtocol

@Suite struct TimerTests {
    @Test(
        "Only the initiator renews a session, when it sends after 120 s",
        arguments: [(119, true, false), (120, true, true), (120, false, false), (179, false, false)])
    func rekeyByTime(age: Int, isInitiator: Bool, isRenewed: Bool) throws {
        let pair = try Pair.established()
        pair.clock.advance(by: .seconds(age))
        let (sender, receiver) = isInitiator ? (pair.one, pair.two) : (pair.two, pair.one)
        // A packet of the responder would make the initiator renew the session after 165 s, which this test does not
        // cover.
        #expect(sender.send([1], to: receiver) != nil)
        #expect(pair.exchange() == (isRenewed ? [1, 2, 4] : []))
        #expect(pair.carries([2], from: pair.one, to: pair.two) && pair.carries([3], from: pair.two, to: pair.one))
    }

    @Test(
        "An initiator that only receives renews the session once, after 165 s",
        arguments: [(164, []), (165, [1, 2, 4])]
            as [(Int, [UInt8])])
    func rekeyByReceiving(age: Int, messages: [UInt8]) throws {
        let pair = try Pair.established()
        pair.clock.advance(by: .seconds(age))
        #expect(pair.carries([1], from: pair.two, to: pair.one))
        #expect(pair.exchange() == messages)
        #expect(pair.carries([1], from: pair.two, to: pair.one))
        #expect(pair.exchange() == [])
    }

    @Test("After 180 s a session neither sends nor receives, and its keys are cleared") func rejectByTime() throws {
        let pair = try Pair.established()
        let datagram = try #require(pair.one.send([1], to: pair.two))
        weak let session = pair.two.device.peers[pair.one.key]?.current?.session
        pair.clock.advance(by: .seconds(179))
        #expect(pair.two.send([1], to: pair.one) != nil)
        pair.clock.advance(by: .seconds(1))
        #expect(pair.two.receive(datagram, from: pair.one.endpoint) == .refused(.expired))
        #expect(pair.two.send([1], to: pair.one) == nil)
        #expect(session != nil)
        pair.two.device.timersFired(now: pair.clock.now)
        #expect(session == nil && pair.two.device.takeEvents() == [.expired(pair.one.key)])
        #expect(pair.two.receive(datagram, from: pair.one.endpoint) == .refused(.unknownIndex))
    }

    @Test("The previous session still receives until it expires") func previousSession() throws {
        let pair = try Pair.established()
        let (early, late) = (pair.one.send([1], to: pair.two), pair.one.send([2], to: pair.two))
        pair.clock.advance(by: .seconds(121))
        pair.one.send([3], to: pair.two)
        pair.exchange()
        #expect(pair.two.receive(try #require(early), from: pair.one.endpoint) == .payload(16..<32, from: pair.one.key))
        pair.clock.advance(by: .seconds(59))
        #expect(pair.two.receive(try #require(late), from: pair.one.endpoint) == .refused(.expired))
        #expect(pair.carries([4], from: pair.one, to: pair.two))
    }

    @Test(
        "A session is renewed after 2^60 messages, and expires 2^13 + 1 before the last counter",
        arguments: [
            (UInt64(1) << 60, true, []), ((1 << 60) + 1, true, [1, 2, 4]), (.max - 8_194, true, [1, 2, 4]),
            (.max - 8_192, true, [1, 2, 4]), (.max - 8_191, false, [1, 2, 4]), (.max, false, [1, 2, 4]),
        ] as [(UInt64, Bool, [UInt8])])
    func rekeyByMessages(sent: UInt64, isSent: Bool, messages: [UInt8]) throws {
        let pair = try Pair.established()
        // The last initiation must be 5 s old.
        pair.clock.advance(by: .seconds(5))
        let state = try #require(pair.one.device.peers[pair.two.key]?.current)
        let moved = SessionState(state.session, created: state.created, nextCounter: sent - 1)
        pair.one.device.peers[pair.two.key]?.current = moved
        let datagram = pair.one.send([1], to: pair.two)
        #expect((datagram != nil) == isSent)
        if let datagram { #expect(pair.two.receive(datagram, from: pair.one.endpoint) != .refused(.notAuthentic)) }
        #expect(pair.exchange() == messages)
    }

    @Test("A reservation is limited to the remaining counters of the session") func reservationAtEnd() throws {
        let pair = try Pair.established()
        let state = try #require(pair.one.device.peers[pair.two.key]?.current)
        pair.one.device.peers[pair.two.key]?.current = SessionState(
            state.session, created: state.created, nextCounter: Limits.rejectAfterMessages - 3)
        #expect(pair.one.device.reserve(10, to: pair.two.key, now: pair.clock.now)?.remaining == 3)
        #expect(pair.one.device.reserve(10, to: pair.two.key, now: pair.clock.now)?.remaining == nil)
    }

    @Test("Data without a reply for 10 s is acknowledged by a keepalive, and a keepalive is not acknowledged")
    func passiveKeepalive() throws {
        let pair = try Pair.established()
        #expect(pair.carries([1], from: pair.one, to: pair.two))
        pair.clock.advance(by: .seconds(4))
        #expect(pair.carries([2], from: pair.one, to: pair.two))
        var sent: [[UInt8]] = []
        let time = pair.run(for: .seconds(100), lossy: true) {
            sent += pair.two.takeOutgoing()
            return !sent.isEmpty
        }
        #expect(time == .seconds(6) && sent.map(\.count) == [32])
        #expect(pair.one.receive(sent[0], from: pair.two.endpoint) == .keepalive(from: pair.two.key))
        // Data after the first payload is acknowledged once more; then nothing is sent until the session expires.
        #expect(pair.run(for: .seconds(160)) { !pair.two.device.takeEvents().isEmpty } == nil)
        #expect(pair.one.device.peers[pair.two.key]?.current?.nextCounter == 3)
        #expect(pair.two.device.peers[pair.one.key]?.current?.nextCounter == 2)
    }

    @Test("An initiation is retransmitted after 5 s plus jitter, for 90 s") func retransmission() throws {
        let pair = try Pair()
        let start = pair.clock.now
        pair.one.send([1], to: pair.two)
        var (times, last): ([Duration], _) = ([], start)
        let time = pair.run(for: .seconds(300), lossy: true) {
            if !pair.one.takeOutgoing().isEmpty {
                times.append(pair.clock.now - last)
                last = pair.clock.now
            }
            return pair.one.device.takeEvents() == [.unanswered(pair.two.key)]
        }
        #expect(times.first == .zero && (17...18).contains(times.count))
        for time in times.dropFirst() { #expect((.seconds(5)...(.seconds(5) + .milliseconds(333))).contains(time)) }
        #expect(try #require(time) >= .seconds(90) && #require(time) < .seconds(96))
        #expect(Set(times).count > 5)
        // The payload was discarded, and another one starts a new handshake.
        #expect(pair.one.device.nextDeadline == nil && pair.one.device.owners.isEmpty)
        pair.one.send([2], to: pair.two)
        pair.exchange()
        #expect(pair.two.received.map(\.first) == [2])
    }

    @Test("Payloads for an unresponsive peer start at most one handshake in 5 s") func handshakeRate()
        throws
    {
        let pair = try Pair()
        for _ in 0..<100 {
            pair.one.send([1], to: pair.two)
            pair.clock.advance(by: .milliseconds(100))
        }
        #expect(pair.one.takeOutgoing().count == 2)
    }

    @Test("A handshake requested within 5 s of the last one is postponed until they have passed") func earlyHandshake()
        throws
    {
        let pair = try Pair.established()
        pair.clock.advance(by: .seconds(2))
        pair.one.device.startHandshake(with: pair.two.key, now: pair.clock.now)
        #expect(pair.run(for: .seconds(60)) { !pair.two.device.takeEvents().isEmpty } == .seconds(3))
    }

    @Test("A persistent keepalive starts a handshake, and continues without payloads and across renewals")
    func persistentKeepalive() throws {
        let pair = try Pair(persistentKeepalive: .seconds(25))
        #expect(pair.exchange() == [1, 2, 4])
        var (count, renewals) = (0, 0)
        _ = pair.run(for: .seconds(600)) {
            count += pair.one.device.takeEvents().count
            renewals += pair.two.device.takeEvents().filter { $0 == .established(pair.one.key) }.count
            return false
        }
        #expect(renewals >= 4 && renewals <= 5)
        #expect(pair.carries([1], from: pair.two, to: pair.one))
    }

    @Test(
        "A persistent keepalive is sent every 1 to 65,535 s, and an interval of 0 disables it",
        arguments: [
            (.zero, nil), (.seconds(-1), nil), (.nanoseconds(1), .seconds(1)), (.seconds(1), .seconds(1)),
            (.seconds(65_536), .seconds(65_535)), (.seconds(Int64.max), .seconds(65_535)),
        ] as [(Duration, Duration?)])
    func keepaliveInterval(configured: Duration, used: Duration?) throws {
        let pair = try Pair(persistentKeepalive: configured)
        #expect(pair.exchange() == (used == nil ? [] : [1, 2, 4]))
        let due = pair.one.device.peers[pair.two.key]?.timers.persistentKeepalive
        #expect(due.map { .nanoseconds($0) } == used)
    }

    @Test("Two devices that send continuously lose nothing in 20 minutes") func longRun() throws {
        let pair = try Pair.established()
        for second in 0..<1_200 {
            #expect(pair.carries([1], from: pair.one, to: pair.two), "second \(second)")
            #expect(pair.carries([2], from: pair.two, to: pair.one), "second \(second)")
            _ = pair.run(for: .seconds(1))
        }
        #expect(pair.one.device.owners.count <= 3 && pair.two.device.owners.count <= 3)
    }
}
