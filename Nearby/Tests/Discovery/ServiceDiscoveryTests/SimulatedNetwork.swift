// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames

@testable import MulticastDNS

/// Hosts on one link, with a clock that jumps to the next event.
struct SimulatedNetwork {
    struct Sent {
        let host: Int
        let time: Duration
        let destination: Destination
        let message: DNSMessage
    }

    static let link = Link(interface: 2, isIPv4: true)
    let start = ContinuousClock.now
    var hosts: [MulticastDNSEngine] = []
    var now: Duration = .zero
    var sent: [Sent] = []
    var events: [(host: Int, time: Duration, event: MulticastDNSEngine.Event)] = []
    /// The hosts that neither send packets to other hosts nor receive any.
    var unplugged: Set<Int> = []
    var loses: (Sent) -> Bool = { _ in false }

    init(hosts count: Int, labels: [String]? = nil, seed: UInt64 = 1, maximumLength: Int = 1472) {
        for index in 0..<count {
            hosts.append(
                MulticastDNSEngine(
                    hostLabel: labels?[index] ?? "host\(index)", delays: Delays(seed: seed &* 1000 &+ UInt64(index))))
            hosts[index].setLink(
                Self.link, addresses: [InterfaceAddress(address(index), prefixLength: 24)],
                maximumLength: maximumLength, at: start)
        }
    }

    var instant: Instant { start.advanced(by: now) }

    func address(_ host: Int) -> IPAddress { ip("192.0.2.\(host + 1)") }

    mutating func announce(_ host: Int, _ service: AnnouncedService) -> Int {
        (try? hosts[host].announce(service, at: instant)) ?? -1
    }

    mutating func inject(
        _ message: DNSMessage, to host: Int, from address: IPAddress = ip("192.0.2.200"), port: UInt16 = 5353,
        isMulticast: Bool = true
    ) {
        hosts[host].receive(
            message.encoded(compression: .multicast),
            from: PacketSource(Endpoint(address, port: port), on: Self.link, isMulticast: isMulticast), at: instant)
    }

    /// Advances the clock to the millisecond after each event.
    mutating func run(for duration: Duration) {
        let end = now + duration
        while true {
            for host in hosts.indices { processDue(host) }
            let wakes = hosts.compactMap { $0.nextWake(after: instant) }
            guard let next = wakes.min(), start.duration(to: next) <= end else { break }
            now = max(now, start.duration(to: next))
        }
        now = end
    }

    private mutating func processDue(_ host: Int) {
        let (packets, events) = hosts[host].processDue(at: instant)
        self.events += events.map { (host, now, $0) }
        for packet in packets {
            guard let message = try? DNSMessage(decoding: packet.message.bytes) else { continue }
            let one = Sent(host: host, time: now, destination: packet.message.destination, message: message)
            sent.append(one)
            guard !unplugged.contains(host), !loses(one) else { continue }
            deliver(packet.message, from: host)
        }
    }

    private mutating func deliver(_ message: OutgoingMessage, from host: Int) {
        let sender = Endpoint(address(host), port: 5353)
        for index in hosts.indices where !unplugged.contains(index) {
            switch message.destination {
            case .multicast:
                hosts[index].receive(
                    message.bytes, from: PacketSource(sender, on: Self.link, isMulticast: true), at: instant)
            case .unicast(let receiver) where receiver.address == address(index):
                hosts[index].receive(
                    message.bytes, from: PacketSource(sender, on: Self.link, isMulticast: false), at: instant)
            default: break
            }
        }
    }

    func found(_ host: Int, _ key: RecordSetKey) -> [DNSRecordData] {
        hosts[host].records(key).map(\.record.data)
    }

    func sent(by host: Int, _ isIncluded: (DNSMessage) -> Bool = { _ in true }) -> [Sent] {
        sent.filter { $0.host == host && isIncluded($0.message) }
    }
}

extension DNSMessage {
    var isResponse: Bool { flags.contains(.response) }
    var isProbe: Bool { !isResponse && !authorities.isEmpty }
}

func ip(_ text: String) -> IPAddress {
    guard let address = IPAddress(text) else { preconditionFailure("\(text) is no address.") }
    return address
}

func name(_ text: String) -> DomainName { (try? DomainName(text)) ?? .root }

func service(_ label: String, port: UInt16 = 80, subtypes: [String] = [], text: [[UInt8]] = [[]]) -> AnnouncedService {
    AnnouncedService(label: label, type: name("_http._tcp.local"), subtypes: subtypes, port: port, text: text)
}

let httpServices = RecordSetKey(name("_http._tcp.local"), .ptr)
