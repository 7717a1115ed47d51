// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import WireGuardProtocol

@testable import EthernetTunnel

@Suite struct PacketTests {
    static let encapsulations: [Encapsulation] = [
        .direct,
        .ip(.init(local: [10, 9, 0, 1], remote: [10, 9, 0, 2]) ?? .dummy),
        .ip(.init(local: Array(repeating: 1, count: 16), remote: Array(repeating: 2, count: 16)) ?? .dummy),
    ]

    private static func packet(_ payload: [UInt8]) -> (packet: InnerPacket, bytes: [UInt8])? {
        payload.withUnsafeBytes { bytes in InnerPacket(bytes).map { ($0, Array(bytes[$0.payload])) } }
    }

    @Test("Fragments are reassembled in any order, and each is within the limit", arguments: encapsulations)
    func fragments(encapsulation: Encapsulation) throws {
        let frame = (0..<9_014).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        var fragments = frame.withUnsafeBytes { encapsulation.fragments(of: $0, limit: 1_440, identification: 77) }
        #expect(fragments.count == 7 && fragments.allSatisfy { $0.count <= 1_440 })
        for _ in 0..<20 {
            fragments.shuffle()
            var (reassembly, complete) = (Reassembly(), [[UInt8]]())
            for fragment in fragments {
                let (packet, bytes) = try #require(Self.packet(fragment))
                let part = try #require(packet.fragment)
                if let payload = bytes.withUnsafeBytes({ reassembly.add(part, $0, now: .now) }) {
                    complete.append(payload)
                }
            }
            #expect(complete == [[0x30, 0] + frame])
        }
    }

    @Test("Fragments that overlap, contradict each other or are too old are discarded")
    func badFragments() {
        func add(
            _ reassembly: inout Reassembly, _ offset: Int, _ count: Int, last: Bool, _ time: Instant
        ) -> [UInt8]? {
            let bytes: [UInt8] = Array(repeating: 1, count: count)
            let fragment = InnerPacket.Fragment(identification: 1, offset: offset, isLast: last)
            return bytes.withUnsafeBytes { reassembly.add(fragment, $0, now: time) }
        }
        let now = Instant.now
        var reassembly = Reassembly()
        #expect(add(&reassembly, 0, 16, last: false, now) == nil)
        #expect(add(&reassembly, 8, 16, last: true, now) == nil, "it overlaps")
        #expect(add(&reassembly, 16, 8, last: true, now) == nil, "the first part is gone with it")
        reassembly = Reassembly()
        #expect(add(&reassembly, 0, 16, last: false, now) == nil)
        #expect(add(&reassembly, 16, 8, last: true, now + .seconds(16)) == nil, "the first part is too old")
        reassembly = Reassembly()
        #expect(add(&reassembly, 0, 12, last: false, now) == nil, "not a multiple of eight")
        #expect(add(&reassembly, 65_528, 8, last: true, now) == nil, "longer than a packet can be")
    }

    @Test("Random packets and fragments cause no crash")
    func fuzz() {
        var (reassembly, random) = (Reassembly(), FuzzNumbers(of: "packets"))
        for _ in 0..<20_000 {
            let words = (0..<15).map { _ in random.next() as UInt64 }
            var bytes = words.withUnsafeBytes { Array($0.prefix(Int.random(in: 0...120, using: &random))) }
            if bytes.count > 41 {
                bytes[0] = Bool.random(using: &random) ? 0x45 : 0x60
                (bytes[9], bytes[6], bytes[2], bytes[4]) = (97, Bool.random(using: &random) ? 44 : 97, 0, 0)
                bytes[40] = 97
            }
            bytes.withUnsafeBytes { bytes in
                guard let packet = InnerPacket(bytes), let fragment = packet.fragment else { return }
                _ = reassembly.add(fragment, bytes.part(packet.payload), now: .now)
            }
        }
    }

    @Test(
        "The EtherIP header consists of version 3 and zeros",
        arguments: [
            ([0x30, 0, 1], true), ([0x30, 1], false), ([0x31, 0], false), ([0x40, 0], false), ([0x30], false),
        ] as [([UInt8], Bool)])
    func header(bytes: [UInt8], isHeader: Bool) {
        #expect(bytes.withUnsafeBytes { EtherIP.hasHeader($0) } == isHeader)
    }

    @Test("A host whose frames loop is detected, and a host that moves is not")
    func loops() {
        var (watch, now, warnings) = (LoopDetector(ownAddresses: [0x0200_0000_00FF]), Instant.now, 0)
        var frame: [UInt8] = Array(repeating: 0, count: 14)
        frame[11] = 7
        func note(_ direction: LoopDetector.Direction) {
            if frame.withUnsafeBytes({ watch.note($0, direction, now: now) }) != nil { warnings += 1 }
        }
        note(.sent)
        note(.received)
        #expect(warnings == 0)
        for _ in 0..<20 {
            now += .milliseconds(10)
            note(.sent)
            note(.received)
        }
        #expect(warnings == 1)
        watch = LoopDetector(ownAddresses: [7])
        note(.received)
        #expect(warnings == 2, "the own address of an interface")
    }

    @Test("Control messages are unchanged by encoding and decoding, and others are rejected")
    func messages() throws {
        let offer = KeyAgreement(instance: KeyAgreement.randomBytes(16), payloadLimit: 1_440).offer
        for message in [.hello(offer), .welcome(offer), .alive, .bye("it ends")] as [ControlMessage] {
            #expect(try ControlMessage(json: try message.json) == message)
        }
        for text in ["", "{}", "[]", #"{"alive":1}"#, #"{"hello":{}}"#, String(repeating: "[", count: 4_000)] {
            #expect(throws: TunnelError.self) { try ControlMessage(json: Array(text.utf8)) }
        }
        let other = String(decoding: try ControlMessage.hello(offer).json, as: UTF8.self)
            .replacing(#""version":1"#, with: #""version":2"#)
        #expect(throws: TunnelError.versionMismatch(2)) { try ControlMessage(json: Array(other.utf8)) }
    }

    @Test("Both sides derive the same preshared key, and a different contribution gives a different key")
    func agreement() throws {
        let instance = KeyAgreement.randomBytes(16)
        let (one, two) = (
            KeyAgreement(instance: instance, payloadLimit: 1_440), KeyAgreement(instance: instance, payloadLimit: 1_440)
        )
        let first = try one.keys(with: two.offer, isInitiator: true)
        let second = try two.keys(with: one.offer, isInitiator: false)
        #expect(first.presharedKey == second.presharedKey && first.peerKey.bytes == Array(two.offer.publicKey))
        let third = KeyAgreement(instance: instance, payloadLimit: 1_440)
        #expect(try third.keys(with: two.offer, isInitiator: true).presharedKey != first.presharedKey)
    }

    @Test("The delay between attempts grows up to a minute")
    func backoff() {
        var (backoff, random) = (Backoff(), SystemRandomNumberGenerator())
        for greatest in [1, 2, 4, 8, 16, 32, 60, 60] as [Double] {
            let delay = backoff.take(using: &random) / .seconds(1)
            #expect((greatest / 2...greatest).contains(delay))
        }
        backoff.reset()
        #expect(backoff.take(using: &random) <= .seconds(1))
    }
}
