// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

extension NamespaceTests {
    @Suite struct IPv6Tests {
        @Test("A listener accepts connections over IPv6, by address and name, and over IPv4")
        func addresses() async throws {
            try await PublicNetwork.with { network in
                // The listener must accept both IP versions with any system default.
                try await network.run(.gateB, "sysctl -qw net.ipv6.bindv6only=1")
                try network.writeHosts(.gateA, "\(PublicNetwork.gateB6) hub.test\n")
                let lab = try TunnelLab(network)
                let listener = try lab.listen()
                try await listener.line(with: "\"started\"")
                for (peer, address, innerMTU) in [
                    ("[\(PublicNetwork.gateB6)]:51897", "[\(PublicNetwork.gateB6)]:51897", 1_400),
                    (PublicNetwork.gateB6, "[\(PublicNetwork.gateB6)]:51897", 1_400),
                    ("hub.test", "[\(PublicNetwork.gateB6)]:51897", 1_400),
                    ("\(PublicNetwork.gateB):51897", "\(PublicNetwork.gateB):51897", 1_420),
                ] {
                    let up = try lab.up(to: peer)
                    let joined = try await up.line(with: "\"joined\"")
                    #expect(joined.contains("\"address\":\"\(address)\""), "\(joined)")
                    #expect(joined.contains("\"innerMTU\":\(innerMTU),"), "\(joined)")
                    #expect(try await network.recovery() != nil)
                    await up.end()
                }
                await listener.end()
            }
        }

        @Test("All kinds of frames are carried over IPv6, in packets that fit the path")
        func exchange() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let listener = try lab.listen()
                try await listener.line(with: "\"started\"")
                let up = try lab.up(to: PublicNetwork.gateB6)
                try await up.line(with: "\"joined\"")
                #expect(try await network.recovery() != nil)
                // The kernel segments trains of datagrams before they are captured.
                for gate in [PublicNetwork.Place.gateA, .gateB] {
                    try await network.run(gate, "ip link set wan gso_max_segs 1")
                }
                let capture = try network.start(
                    .router, ["tcpdump", "-i", "toA", "-n", "-l", "ip6", "and", "(greater 1515 or ip6[6] == 44)"])
                try await capture.line(with: "listening on")
                #expect(try await network.ping(count: 10) == 10)
                #expect(try await network.ping(size: 1_472, "-M do") == 3, "full frames pass, in inner fragments")
                #expect(try await network.ping(size: 8_000) == 3)
                #expect(try await network.transfersData())
                await capture.end(SIGINT)
                #expect(
                    !capture.text.contains("IP6 "),
                    "an outer packet is too long or a fragment: \(capture.text.prefix(500))")

                // The router reports a smaller MTU in ICMPv6 messages.
                try await network.run(.router, "ip link set toB mtu 1400")
                try await network.run(.gateB, "ip link set wan mtu 1400")
                _ = try await network.ping(count: 5, size: 1_472, "-M do")
                try await up.line(with: #""event":"path","innerMTU":1300,"pathMTU":1400"#)
                #expect(try await network.ping(count: 5, size: 1_472, "-M do") == 5)
                await up.end()
                await listener.end()
            }
        }

        @Test("The tunnel follows a peer from IPv4 to IPv6 and back, and adapts the lengths to the headers")
        func roaming() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let relay = try network.start(
                    .router,
                    [
                        "python3", PublicNetwork.tool("relay.py"), "51897", PublicNetwork.gateB, PublicNetwork.gateB6,
                    ])
                try await relay.line(with: "ready")
                let listener = try lab.listen()
                try await listener.line(with: "\"started\"")
                let up = try lab.up("--peer-name", "hub.test", "--keepalive", "1", to: PublicNetwork.relay)
                try await up.line(with: "\"joined\"")
                #expect(try await network.recovery() != nil)
                for (address, innerMTU) in [("[2001:db8:b::1]", 1_400), ("198.51.100.1", 1_420)] {
                    let count = listener.count
                    relay.write("rebind")
                    let moved = try await listener.line(with: "\"moved\"", from: count)
                    #expect(moved.contains("\"address\":\"\(address):"), "\(moved)")
                    try await listener.line(with: "\"innerMTU\":\(innerMTU),", from: count)
                    #expect(try await network.recovery() != nil)
                    #expect(try await network.ping(size: 1_472, "-M do") == 3)
                }
                await up.end()
                await listener.end()
                await relay.end()
            }
        }
    }
}
