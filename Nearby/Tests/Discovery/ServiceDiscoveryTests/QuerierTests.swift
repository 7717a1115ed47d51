// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import Testing

@testable import MulticastDNS

@Suite("Multicast DNS querier")
struct QuerierTests {
    private static let record = DNSRecord(
        name("_http._tcp.local"), .pointer(name("Web._http._tcp.local")), timeToLive: 4500)
    private static let location = DNSRecord(
        name("Web._http._tcp.local"), .service(ServiceLocation(port: 80, target: name("a.local"))), timeToLive: 120,
        flushesCache: true)

    private func asking(_ key: RecordSetKey = httpServices, seed: UInt64 = 1) -> SimulatedNetwork {
        var network = SimulatedNetwork(hosts: 1, seed: seed)
        network.hosts[0].ask(key, at: network.instant)
        return network
    }

    @Test("Queries are sent after 20 to 120 ms, then after 1, 2, 4 seconds and so on up to an hour", arguments: 1...10)
    func backoff(seed: UInt64) {
        var network = asking(seed: seed)
        network.run(for: .seconds(15_000))
        #expect((.milliseconds(20)...(.milliseconds(120))).contains(network.sent[0].time))
        let gaps = zip(network.sent, network.sent.dropFirst()).map { $1.time - $0.time }
        let expected = (0..<12).map { Duration.seconds(1 << $0) } + [.seconds(3600), .seconds(3600), .seconds(3600)]
        #expect(gaps == Array(expected.prefix(gaps.count)) && gaps.count >= 13)
        #expect(network.sent.map { $0.message.questions[0].prefersUnicast }.prefix(3) == [true, false, false])
    }

    @Test("A query lists known answers during the first half of a record's time to live")
    func knownAnswers() {
        var network = asking()
        network.run(for: .seconds(1))
        network.inject(DNSMessage(flags: .response, answers: [Self.record]), to: 0)
        network.run(for: .seconds(2200))
        for sent in network.sent.dropFirst() {
            #expect(sent.message.answers.map(\.data) == [Self.record.data])
            #expect(sent.message.answers.allSatisfy { $0.timeToLive > 2250 && $0.timeToLive <= 4500 })
        }
        network.sent = []
        network.run(for: .seconds(1500))
        #expect(network.sent.allSatisfy { $0.message.answers.isEmpty })
    }

    @Test("Known answers that do not fit follow in further messages, and all but the last have the TC bit")
    func manyKnownAnswers() {
        var network = asking()
        network.run(for: .seconds(1))
        let records = (0..<500).map { index in
            DNSRecord(name("_http._tcp.local"), .pointer(name("Web\(index)._http._tcp.local")), timeToLive: 4500)
        }
        network.inject(DNSMessage(flags: .response, answers: records), to: 0)
        network.sent = []
        network.run(for: .seconds(1))
        #expect(network.sent.count > 1)
        #expect(network.sent.flatMap(\.message.answers).count == 500)
        #expect(network.sent.map { $0.message.questions.count }.reduce(0, +) == 1)
        #expect(network.sent.dropLast().allSatisfy { $0.message.flags.contains(.truncated) })
        #expect(network.sent.last?.message.flags.contains(.truncated) == false)
        #expect(network.sent.allSatisfy { $0.message.encoded(compression: .multicast).count <= 1472 })
    }

    @Test("A record is queried again at 80, 85, 90 and 95 % of its time to live, and then removed", arguments: 1...10)
    func refresh(seed: UInt64) {
        var network = asking(Self.location.setKey, seed: seed)
        network.run(for: .seconds(1))
        network.inject(DNSMessage(flags: .response, answers: [Self.location]), to: 0)
        let start = network.now
        network.sent = []
        network.run(for: .seconds(119))
        let shares = network.sent.map { ($0.time - start) / .seconds(120) }
        #expect(shares.count == 4)
        for (share, expected) in zip(shares, [0.80, 0.85, 0.90, 0.95]) {
            #expect(share >= expected && share < expected + 0.02)
        }
        network.run(for: .seconds(2))
        #expect(
            network.events.map(\.event) == [
                .found(Self.location, interface: 2), .lost(Self.location, interface: 2),
            ])
    }

    @Test(
        "A goodbye packet takes effect after a second, within which another host can announce the record",
        arguments: [true, false])
    func goodbye(isRescued: Bool) {
        var network = asking()
        network.run(for: .seconds(1))
        network.inject(DNSMessage(flags: .response, answers: [Self.record]), to: 0)
        var goodbye = Self.record
        goodbye.timeToLive = 0
        network.inject(DNSMessage(flags: .response, answers: [goodbye]), to: 0)
        network.run(for: .milliseconds(900))
        #expect(network.found(0, httpServices).count == 1)
        if isRescued { network.inject(DNSMessage(flags: .response, answers: [Self.record]), to: 0) }
        network.run(for: .seconds(1))
        #expect(network.found(0, httpServices).count == (isRescued ? 1 : 0))
    }

    @Test(
        "A record with the cache-flush bit replaces records older than a second, even if they are no longer queried",
        arguments: [true, false])
    func cacheFlush(isAsked: Bool) {
        var network = asking(Self.location.setKey)
        network.run(for: .seconds(1))
        func location(_ port: UInt16) -> DNSRecord {
            DNSRecord(
                Self.location.name, .service(ServiceLocation(port: port, target: name("a.local"))), timeToLive: 120,
                flushesCache: true)
        }
        network.inject(DNSMessage(flags: .response, answers: [location(1)]), to: 0)
        if !isAsked { network.hosts[0].stop(Self.location.setKey) }
        network.run(for: .milliseconds(1500))
        network.inject(DNSMessage(flags: .response, answers: [location(2)]), to: 0)
        network.inject(DNSMessage(flags: .response, answers: [location(3)]), to: 0)
        #expect(network.found(0, Self.location.setKey).count == 3)
        network.run(for: .seconds(2))
        #expect(Set(network.found(0, Self.location.setKey)) == [location(2).data, location(3).data])
    }

    @Test("A query of another host is not repeated, unless that host lists unknown answers", arguments: [true, false])
    func duplicateQuestion(knowsMore: Bool) {
        var network = asking()
        var query = DNSMessage(questions: [DNSQuestion(name("_http._tcp.local"), .ptr)])
        if knowsMore { query.answers = [Self.record] }
        network.inject(query, to: 0)
        network.run(for: .milliseconds(500))
        #expect(network.sent.isEmpty != knowsMore)
    }

    @Test(
        "A record for which two queries got no answer for ten seconds is removed",
        arguments: [
            ([0, 2], false, 0), ([0], false, 1), ([0, 2], true, 1),
        ])
    func passiveObservation(times: [Int], isAnswered: Bool, left: Int) {
        var network = asking()
        network.run(for: .seconds(1))
        network.inject(DNSMessage(flags: .response, answers: [Self.record]), to: 0)
        for second in 0..<11 {
            if times.contains(second) {
                network.inject(DNSMessage(questions: [DNSQuestion(name("_http._tcp.local"), .ptr)]), to: 0)
            }
            if isAnswered, second == 3 { network.inject(DNSMessage(flags: .response, answers: [Self.record]), to: 0) }
            network.run(for: .seconds(1))
        }
        #expect(network.found(0, httpServices).count == left)
    }

    @Test(
        "A response is accepted only from the link and from port 5353",
        arguments: [
            ("192.0.2.9", UInt16(5353), false, 1), ("198.51.100.9", 5353, false, 0), ("198.51.100.9", 5353, true, 1),
            ("192.0.2.9", 5354, true, 0),
        ])
    func sources(address: String, port: UInt16, isMulticast: Bool, count: Int) throws {
        var network = asking()
        network.inject(
            DNSMessage(flags: .response, answers: [Self.record]), to: 0, from: try #require(IPAddress(address)),
            port: port, isMulticast: isMulticast)
        #expect(network.found(0, httpServices).count == count)
    }

    @Test("Records that answer no question are not stored")
    func unasked() {
        var network = SimulatedNetwork(hosts: 1)
        network.inject(DNSMessage(flags: .response, answers: [Self.record]), to: 0)
        #expect(network.found(0, httpServices).isEmpty)
    }

    @Test("Removing a link removes its records, and an added link is queried")
    func linkChange() {
        var network = SimulatedNetwork(hosts: 2)
        _ = network.announce(1, service("Web"))
        network.hosts[0].ask(httpServices, at: network.instant)
        network.run(for: .seconds(5))
        network.hosts[0].removeLink(SimulatedNetwork.link, at: network.instant)
        network.run(for: .seconds(5))
        network.hosts[0].setLink(
            SimulatedNetwork.link, addresses: [InterfaceAddress(network.address(0), prefixLength: 24)],
            maximumLength: 1472, at: network.instant)
        network.run(for: .seconds(1))
        let events = network.events.filter { $0.host == 0 }.map(\.event)
        #expect(events.count == 3)
        guard case .found = events.first, case .lost = events.dropFirst().first, case .found = events.last else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("Ten thousand services are found, and a hundred thousand do not exceed the cache limit")
    func limits() {
        var cache = RecordCache(delays: Delays(seed: 1))
        let now = ContinuousClock.now
        for index in 0..<100_000 {
            _ = cache.receive(
                [DNSRecord(name("_http._tcp.local"), .pointer(name("w\(index)._http._tcp.local")), timeToLive: 4500)],
                at: now)
            if index == 9_999 { #expect(cache.count == 10_000) }
        }
        #expect(cache.count == RecordCache.Limits().recordsOfSet)
        for index in 0..<100_000 {
            _ = cache.receive([DNSRecord(name("w\(index).local"), .text([[]]), timeToLive: 4500)], at: now)
        }
        #expect(cache.count == RecordCache.Limits().records)
        #expect(cache.processDue(at: now.advanced(by: .seconds(4501))).changes.count == RecordCache.Limits().records)
        #expect(cache.count == 0 && cache.nextWake == nil)
    }

    @Test("A host finds the services of all others despite packet loss", arguments: 1...10)
    func losses(seed: UInt64) {
        var network = SimulatedNetwork(hosts: 6, seed: seed)
        var dice = Delays(seed: seed)
        network.loses = { _ in Int.random(in: 0..<5, using: &dice) == 0 }
        for host in 1..<6 { _ = network.announce(host, service("Web \(host)")) }
        network.hosts[0].ask(httpServices, at: network.instant)
        network.run(for: .seconds(30))
        #expect(network.found(0, httpServices).count == 5)
    }
}
