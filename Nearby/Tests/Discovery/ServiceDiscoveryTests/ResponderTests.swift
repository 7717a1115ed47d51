// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import Testing

@testable import MulticastDNS

@Suite("Multicast DNS responder")
struct ResponderTests {
    private func established(_ services: [AnnouncedService] = [service("Web")], hosts: Int = 1) -> SimulatedNetwork {
        var network = SimulatedNetwork(hosts: hosts)
        for service in services { _ = network.announce(0, service) }
        network.run(for: .seconds(5))
        network.sent = []
        return network
    }

    @Test(
        "Three probes 250 ms apart request unicast answers; two announcements follow, a second apart", arguments: 1...20
    )
    func startup(seed: UInt64) {
        var network = SimulatedNetwork(hosts: 1, seed: seed)
        _ = network.announce(0, service("Web"))
        network.run(for: .seconds(10))
        let probes = network.sent(by: 0, \.isProbe)
        #expect(probes.count == 3 && probes[0].time <= .milliseconds(250))
        #expect(probes.allSatisfy { $0.message.questions.allSatisfy { $0.type == .any && $0.prefersUnicast } })
        #expect(probes[0].message.questions.count == 2, "The host and its service are probed for together.")
        #expect(probes[2].message.authorities.allSatisfy { !$0.flushesCache })
        let announcements = network.sent(by: 0, \.isResponse)
        let times = (probes + announcements).map(\.time)
        #expect(
            zip(times, times.dropFirst()).map { $1 - $0 } == [
                .milliseconds(250), .milliseconds(250), .milliseconds(250), .seconds(1),
            ])
        let records = announcements[0].message.answers
        #expect(Set(records.map(\.type)) == [.a, .srv, .txt, .ptr])
        #expect(records.allSatisfy { $0.flushesCache == ($0.type != .ptr) })
        #expect(records.allSatisfy { $0.timeToLive == ([.a, .srv].contains($0.type) ? 120 : 4500) })
        #expect(network.events.map(\.event) == [.registered(1, label: "Web")])
    }

    @Test("A host without services sends nothing")
    func silence() {
        var network = SimulatedNetwork(hosts: 2)
        network.run(for: .seconds(60))
        #expect(network.sent.isEmpty)
    }

    @Test("A name in use by another host is avoided, and the next name is used", arguments: 1...20)
    func conflict(seed: UInt64) {
        var network = SimulatedNetwork(hosts: 3, seed: seed)
        for (host, label) in ["Web", "Web (2)"].enumerated() { _ = network.announce(host, service(label)) }
        network.run(for: .seconds(5))
        _ = network.announce(2, service("Web"))
        network.run(for: .seconds(10))
        #expect(network.events.last?.event == .registered(1, label: "Web (3)"))
        #expect(
            network.sent(by: 2, \.isResponse).allSatisfy {
                $0.message.answers.allSatisfy { $0.name != name("Web._http._tcp.local") }
            })
    }

    @Test("If two hosts probe at once, one gets the name and the other gets the next one", arguments: 1...50)
    func simultaneousProbes(seed: UInt64) {
        var network = SimulatedNetwork(hosts: 2, labels: ["same", "same"], seed: seed)
        for host in 0...1 { _ = network.announce(host, service("Web", port: UInt16(80 + host))) }
        network.run(for: .seconds(20))
        let labels = network.hosts.map { $0.services[1]?.registeredLabel }
        #expect(Set(labels) == ["Web", "Web (2)"])
        #expect(Set(network.hosts.map(\.hostLabel)) == ["same", "same-2"])
    }

    @Test(
        "On a divided network both hosts keep the name, and one changes it when the network is joined",
        arguments: 1...20)
    func joinedNetworks(seed: UInt64) {
        var network = SimulatedNetwork(hosts: 2, seed: seed)
        network.unplugged = [0]
        for host in 0...1 { _ = network.announce(host, service("Web", port: UInt16(80 + host))) }
        network.run(for: .seconds(5))
        #expect(network.hosts.allSatisfy { $0.services[1]?.registeredLabel == "Web" })
        network.unplugged = []
        network.inject(query(.srv, "Web._http._tcp.local"), to: 0)
        network.inject(query(.srv, "Web._http._tcp.local"), to: 1)
        network.run(for: .seconds(20))
        #expect(Set(network.hosts.map { $0.services[1]?.registeredLabel }) == ["Web", "Web (2)"])
    }

    @Test("The records of another address of this host are not a conflict")
    func ownAddresses() {
        var network = established()
        let other = Link(interface: 3, isIPv4: true)
        let addresses = [InterfaceAddress(ip("192.0.2.77"), prefixLength: 24)]
        network.hosts[0].setLink(other, addresses: addresses, maximumLength: 1472, at: network.instant)
        network.run(for: .seconds(5))
        // Both interfaces are on one network: each receives the announcements of the other.
        for sent in network.sent(by: 0, \.isResponse) + network.sent(by: 0, \.isProbe) {
            network.inject(sent.message, to: 0, from: addresses[0].address)
        }
        network.run(for: .seconds(10))
        #expect(network.hosts[0].hostLabel == "host0")
        #expect(network.hosts[0].services[1]?.service.label == "Web")
    }

    @Test("Probing slows down after fifteen conflicts in ten seconds")
    func conflictRate() {
        var rate = ConflictRate()
        let start = ContinuousClock.now
        let delays = (0..<30).map { rate.delay(at: start.advanced(by: .milliseconds(500 * $0))) }
        #expect(delays.prefix(14).allSatisfy { $0 == .zero })
        #expect(delays.dropFirst(14).allSatisfy { $0 == .seconds(5) })
        #expect(rate.delay(at: start.advanced(by: .seconds(60))) == .zero)
    }

    private func query(_ type: DNSRecordType, _ owner: String, unicast: Bool = false) -> DNSMessage {
        DNSMessage(questions: [DNSQuestion(name(owner), type, prefersUnicast: unicast)])
    }

    @Test(
        "Unique records are answered at once, and shared records after 20 to 120 ms",
        arguments: [
            (DNSRecordType.srv, "Web._http._tcp.local", 0...0, [DNSRecordType.srv], [DNSRecordType.a, .nsec]),
            (.a, "HOST0.local", 0...0, [.a], [.nsec]),
            (.aaaa, "host0.local", 0...0, [.nsec], []),
            (.any, "web._HTTP._tcp.local", 0...0, [.srv, .txt], [.a, .nsec]),
            (.ptr, "_http._tcp.local", 20...120, [.ptr], [.srv, .txt, .a, .nsec]),
            (.ptr, "_services._dns-sd._udp.local", 20...120, [.ptr], []),
            (.ptr, "_printer._sub._http._tcp.local", 20...120, [.ptr], [.srv, .txt, .a, .nsec]),
        ])
    func answers(
        type: DNSRecordType, owner: String, wait: ClosedRange<Int>, answers: [DNSRecordType],
        additionals: [DNSRecordType]
    ) throws {
        var network = established([service("Web", subtypes: ["_printer"])])
        let asked = network.now
        network.inject(query(type, owner), to: 0)
        network.run(for: .seconds(3))
        let response = try #require(network.sent.first)
        #expect(network.sent.count == 1 && response.destination == .multicast)
        #expect((.milliseconds(wait.lowerBound)...(.milliseconds(wait.upperBound))).contains(response.time - asked))
        #expect(Set(response.message.answers.map(\.type)) == Set(answers))
        #expect(Set(response.message.additionals.map(\.type)) == Set(additionals))
    }

    @Test(
        "Queries for unknown or foreign records are not answered",
        arguments: [
            (DNSRecordType.a, "other.local"), (.ptr, "_ftp._tcp.local"), (.a, "host0.example"),
        ])
    func noAnswer(type: DNSRecordType, owner: String) {
        var network = established()
        network.inject(query(type, owner), to: 0)
        network.run(for: .seconds(3))
        #expect(network.sent.isEmpty)
    }

    @Test("A record is not multicast twice within a second")
    func rate() throws {
        var network = established()
        for _ in 0..<40 {
            network.inject(query(.srv, "Web._http._tcp.local"), to: 0)
            network.run(for: .milliseconds(100))
        }
        #expect(network.sent.count == 4 || network.sent.count == 5)
        #expect(zip(network.sent, network.sent.dropFirst()).allSatisfy { $1.time - $0.time >= .seconds(1) })
    }

    @Test(
        "A known answer is suppressed until half of its time to live has passed",
        arguments: [
            (4500, 0), (2250, 0), (2249, 1),
        ] as [(UInt32, Int)])
    func knownAnswer(time: UInt32, count: Int) {
        var network = established()
        var message = query(.ptr, "_http._tcp.local")
        message.answers = [
            DNSRecord(name("_http._tcp.local"), .pointer(name("Web._http._tcp.local")), timeToLive: time)
        ]
        network.inject(message, to: 0)
        network.run(for: .seconds(3))
        #expect(network.sent.count == count)
    }

    @Test("An answer is delayed if further known answers follow", arguments: [true, false])
    func truncatedQuery(isKnown: Bool) {
        var network = established()
        let asked = network.now
        var first = query(.ptr, "_http._tcp.local")
        first.flags = .truncated
        network.inject(first, to: 0)
        network.run(for: .milliseconds(100))
        let known = DNSRecord(name("_http._tcp.local"), .pointer(name("Web._http._tcp.local")), timeToLive: 4500)
        network.inject(DNSMessage(answers: isKnown ? [known] : []), to: 0)
        network.run(for: .seconds(3))
        #expect(network.sent.count == (isKnown ? 0 : 1))
        #expect(network.sent.allSatisfy { (.milliseconds(400)...(.milliseconds(500))).contains($0.time - asked) })
    }

    @Test("An answer that another host has sent is not repeated")
    func duplicateAnswer() {
        var network = established()
        let shared = DNSRecord(
            name("_services._dns-sd._udp.local"), .pointer(name("_http._tcp.local")), timeToLive: 4500)
        network.inject(query(.ptr, "_services._dns-sd._udp.local"), to: 0)
        network.inject(DNSMessage(flags: .response, answers: [shared]), to: 0)
        network.run(for: .seconds(3))
        #expect(network.sent.isEmpty)
    }

    @Test("A goodbye packet for a shared record makes this host announce the record again")
    func rescue() {
        var network = established()
        let shared = DNSRecord(name("_services._dns-sd._udp.local"), .pointer(name("_http._tcp.local")), timeToLive: 0)
        network.inject(DNSMessage(flags: .response, answers: [shared]), to: 0)
        network.run(for: .seconds(1))
        #expect(network.sent.first?.message.answers.map(\.timeToLive) == [4500])
    }

    @Test(
        "A unicast answer is sent on request, and a multicast answer after a quarter of the record's time to live",
        arguments: [
            (10, true), (40, false),
        ])
    func unicastQuestion(wait: Int, isUnicast: Bool) throws {
        var network = established()
        network.run(for: .seconds(wait))
        network.inject(query(.srv, "Web._http._tcp.local", unicast: true), to: 0)
        network.run(for: .seconds(1))
        let querier = Destination.unicast(Endpoint(ip("192.0.2.200"), port: 5353))
        #expect(network.sent.map(\.destination) == [isUnicast ? querier : .multicast])
    }

    @Test("A legacy resolver gets its question and ID back, short times to live and no cache-flush bit")
    func legacyQuery() throws {
        var network = established()
        var message = query(.srv, "Web._http._tcp.local")
        message.id = 4711
        network.inject(message, to: 0, port: 40_000)
        network.run(for: .seconds(1))
        let response = try #require(network.sent.first)
        #expect(response.destination == .unicast(Endpoint(ip("192.0.2.200"), port: 40_000)))
        #expect(response.message.id == 4711 && response.message.questions == message.questions)
        let records = response.message.answers + response.message.additionals
        #expect(records.map(\.type) == [.srv, .a])
        #expect(records.allSatisfy { $0.timeToLive <= 10 && !$0.flushesCache })
    }

    @Test("A changed TXT record is announced without a new probe")
    func update() {
        var network = established()
        network.hosts[0].update(1, text: [Array("a=1".utf8)], at: network.instant)
        network.run(for: .seconds(5))
        #expect(network.sent.count == 2)
        #expect(network.sent.allSatisfy { $0.message.answers.map(\.data) == [.text([Array("a=1".utf8)])] })
    }

    @Test("A late packet with the old TXT record is not a conflict", arguments: [1, 15])
    func lateText(seconds: Int) {
        var network = established([service("Web", text: [Array("a=0".utf8)])])
        let old = DNSRecord(
            name("Web._http._tcp.local"), .text([Array("a=0".utf8)]), timeToLive: 4500, flushesCache: true)
        network.hosts[0].update(1, text: [Array("a=1".utf8)], at: network.instant)
        network.run(for: .seconds(seconds))
        network.inject(DNSMessage(flags: .response, answers: [old]), to: 0, from: network.address(0))
        network.run(for: .seconds(5))
        #expect(network.sent.contains { $0.message.isProbe } == (seconds > 10))
    }

    @Test("Withdrawing a service while its name is probed for again sends a goodbye packet") func goodbyeWhileProbing()
    {
        var network = established()
        let other = DNSRecord(
            name("Web._http._tcp.local"), .service(ServiceLocation(port: 81, target: name("other.local"))),
            timeToLive: 120, flushesCache: true)
        network.inject(DNSMessage(flags: .response, answers: [other]), to: 0)
        network.run(for: .milliseconds(300))
        #expect(network.sent.contains { $0.message.isProbe })
        network.sent = []
        network.hosts[0].withdraw(1)
        network.run(for: .seconds(5))
        #expect(network.sent.count == 1)
        #expect(Set(network.sent[0].message.answers.map(\.type)) == [.a, .srv, .txt, .ptr])
        #expect(network.sent[0].message.answers.allSatisfy { $0.timeToLive == 0 })
    }

    @Test("A goodbye packet removes all records")
    func goodbye() {
        var network = established()
        network.hosts[0].withdraw(1)
        network.run(for: .seconds(5))
        #expect(network.sent.count == 1)
        #expect(Set(network.sent[0].message.answers.map(\.type)) == [.a, .srv, .txt, .ptr])
        #expect(network.sent[0].message.answers.allSatisfy { $0.timeToLive == 0 })
    }

    @Test("A thousand services are probed for in messages that fit the link, each question with its records")
    func thousand() {
        var network = SimulatedNetwork(hosts: 1)
        for index in 0..<1000 { _ = network.announce(0, service("Service \(index)")) }
        network.run(for: .seconds(5))
        #expect(network.sent.allSatisfy { $0.message.encoded(compression: .multicast).count <= 1472 })
        for sent in network.sent(by: 0, \.isProbe) {
            #expect(Set(sent.message.questions.map(\.name)) == Set(sent.message.authorities.map(\.name)))
        }
        #expect(network.events.count == 1000)
        let answered = network.sent(by: 0, \.isResponse).flatMap(\.message.answers).filter { $0.type == .srv }
        #expect(answered.count == 2000)
    }

    @Test(
        "Alternative names",
        arguments: [
            ("Web", "Web (2)", "Web-2"), ("Web (2)", "Web (3)", "Web (2)-2"), ("a-9", "a-9 (2)", "a-10"),
            ("a (1)", "a (1) (2)", "a (1)-2"), ("(2)", "(2) (2)", "(2)-2"),
            (
                String(repeating: "ä", count: 31), String(repeating: "ä", count: 29) + " (2)",
                String(repeating: "ä", count: 30) + "-2"
            ),
        ])
    func names(name: String, service: String, host: String) {
        #expect(AlternativeName.ofService(name) == service)
        #expect(AlternativeName.ofHost(name) == host)
    }
}
