// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import Foundation
import Testing

@testable import MulticastDNS
@testable import ServiceDiscovery

@Suite("Hostile networks")
struct HostileNetworkTests {
    /// The duration of a fuzz test; `NEARBY_FUZZ_SECONDS` sets a longer one than the default of a few seconds.
    private static let fuzzTime = Duration.seconds(
        ProcessInfo.processInfo.environment["NEARBY_FUZZ_SECONDS"].flatMap(Double.init) ?? 2)

    @Test("No bytes make a host crash, grow without limit or send without limit")
    func fuzz() {
        var dice = Delays(seed: .random(in: .min ... .max))
        let end = ContinuousClock.now.advanced(by: Self.fuzzTime)
        var packets = 0
        while ContinuousClock.now < end {
            var network = SimulatedNetwork(hosts: 2, seed: dice.next())
            _ = network.announce(0, service("Web", subtypes: ["_printer"]))
            _ = network.announce(1, service("Web"))
            for type in ["_http._tcp.local", "_services._dns-sd._udp.local"] {
                network.hosts[0].ask(RecordSetKey(name(type), .ptr), at: network.instant)
            }
            network.hosts[0].ask(RecordSetKey(name("Web._http._tcp.local"), .srv), at: network.instant)
            network.run(for: .seconds(3))
            var seeds = network.sent.map { $0.message.encoded(compression: .multicast) }
            network.sent = []
            let start = network.now
            for _ in 0..<2000 where ContinuousClock.now < end {
                var bytes = seeds.randomElement(using: &dice) ?? []
                for _ in 0..<Int.random(in: 1...6, using: &dice) { mutate(&bytes, &dice) }
                let sender = [ip("192.0.2.2"), ip("192.0.2.9"), ip("203.0.113.7")].randomElement(using: &dice)
                let port: UInt16 = Bool.random(using: &dice) ? 5353 : 40_000
                network.hosts[0].receive(
                    bytes,
                    from: PacketSource(
                        Endpoint(sender ?? ip("192.0.2.9"), port: port), on: SimulatedNetwork.link,
                        isMulticast: Bool.random(using: &dice)), at: network.instant)
                packets += 1
                if packets.isMultiple(of: 20) { network.run(for: .milliseconds(Int.random(in: 0...400, using: &dice))) }
                if seeds.count < 200, let last = network.sent.last {
                    seeds.append(last.message.encoded(compression: .multicast))
                }
            }
            #expect(network.hosts[0].links.values.allSatisfy { $0.querier.cache.count <= RecordCache.Limits().records })
            // Multicast answers are limited to one a second for each record, and unicast answers by the number of
            // concurrent queriers.
            let multicasts = network.sent(by: 0).filter { $0.destination == .multicast }
            #expect(Double(multicasts.count) < 100 + 60 * ((network.now - start) / .seconds(1)))
        }
        #expect(packets > 100)
        if Self.fuzzTime > .seconds(10) { print("\(packets) mutated packets") }
    }

    private func mutate(_ bytes: inout [UInt8], _ dice: inout Delays) {
        guard !bytes.isEmpty else { return }
        let index = Int.random(in: 0..<bytes.count, using: &dice)
        switch Int.random(in: 0..<7, using: &dice) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 1: bytes[index] = .random(in: .min ... .max, using: &dice)
        case 2: bytes.removeLast(bytes.count - index)
        case 3: bytes.insert(contentsOf: [0xC0, UInt8.random(in: 0...80, using: &dice)], at: index)
        case 4: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
        case 5: bytes[min(index, 11)] = UInt8.random(in: 0...3, using: &dice)
        default: bytes.replaceSubrange(index..<index, with: [UInt8](repeating: 0xFF, count: 4))
        }
    }

    @Test("Malformed D-Bus messages are rejected")
    func busFuzz() throws {
        var call = DBusMessage(.methodCall)
        (call.path, call.interface, call.member, call.destination) = ("/", "a.b", "C", "d.e")
        call.body = [.string("text"), .byteStrings([[1, 2], []]), .variant(.structure([.int32(-1), .uint16(7)]))]
        let bytes = call.encoded
        let read = try DBusMessage(decoding: bytes)
        #expect(read.body == call.body && read.member == "C")
        var dice = Delays(seed: 7)
        for _ in 0..<50_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &dice) { mutate(&changed, &dice) }
            guard let length = try? DBusMessage.length(of: changed), length == changed.count else { continue }
            _ = try? DBusMessage(decoding: changed)
        }
    }

    @Test("A flood causes a limited number of messages, and later packets are processed again")
    func flood() {
        var network = SimulatedNetwork(hosts: 1)
        network.hosts[0].ask(httpServices, at: network.instant)
        network.run(for: .seconds(1))
        for index in 0..<10_000 {
            let record = DNSRecord(
                name("_http._tcp.local"), .pointer(name("w\(index)._http._tcp.local")), timeToLive: 4500)
            network.inject(DNSMessage(flags: .response, answers: [record]), to: 0)
        }
        #expect(network.found(0, httpServices).count == 4000)
        network.run(for: .seconds(2))
        let late = DNSRecord(name("_http._tcp.local"), .pointer(name("late._http._tcp.local")), timeToLive: 4500)
        network.inject(DNSMessage(flags: .response, answers: [late]), to: 0)
        #expect(network.found(0, httpServices).count == 4001)
    }

    @Test("A host that claims every name slows probing down")
    func conflictStorm() {
        var network = SimulatedNetwork(hosts: 1)
        _ = network.announce(0, service("Web"))
        for _ in 0..<600 {
            network.run(for: .milliseconds(100))
            for sent in network.sent(by: 0, \.isProbe).suffix(1) {
                for question in sent.message.questions {
                    let record = DNSRecord(question.name, .text([[1]]), timeToLive: 120, flushesCache: true)
                    network.inject(DNSMessage(flags: .response, answers: [record]), to: 0)
                }
            }
        }
        // Fifteen names are probed in the first seconds, and then one every five seconds, for the host and for its
        // service.
        #expect(network.sent(by: 0, \.isProbe).count < 120)
    }

    @Test("Ten thousand services of many hosts are found")
    func manyServices() {
        var network = SimulatedNetwork(hosts: 1)
        network.hosts[0].ask(httpServices, at: network.instant)
        for first in stride(from: 0, to: 10_000, by: 20) {
            let instances = (first..<first + 20).map { name("w\($0)._http._tcp.local") }
            let pointers = instances.map { DNSRecord(name("_http._tcp.local"), .pointer($0), timeToLive: 4500) }
            let locations = instances.map {
                DNSRecord(
                    $0, .service(ServiceLocation(port: 80, target: name("big.local"))), timeToLive: 120,
                    flushesCache: true)
            }
            network.inject(DNSMessage(flags: .response, answers: pointers, additionals: locations), to: 0)
        }
        network.run(for: .seconds(2))
        #expect(network.found(0, httpServices).count == 10_000)
        #expect(network.events.count == 10_000)
    }

    @Test("Queries of many legacy resolvers get a limited number of answers at once")
    func legacyFlood() {
        var network = SimulatedNetwork(hosts: 1)
        _ = network.announce(0, service("Web"))
        network.run(for: .seconds(5))
        network.sent = []
        for port in 1...1000 {
            let query = DNSMessage(questions: [DNSQuestion(name("_http._tcp.local"), .ptr)])
            network.inject(query, to: 0, port: UInt16(10_000 + port))
        }
        network.run(for: .seconds(1))
        #expect(network.sent.count == 64)
    }
}
