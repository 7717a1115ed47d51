// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// The tests in network namespaces, which run serially because each keeps the machine busy.
@Suite(.serialized, .enabled(if: PublicNetwork.isPossible))
enum NamespaceTests {}

extension NamespaceTests {
    @Suite struct ExchangeTests {
        @Test("Two hosts are on one subnet, and their traffic is unreadable on the path")
        func exchange() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let capture = try network.start(
                    .router, ["tcpdump", "-i", "toA", "-U", "-s", "0", "-w", lab.path("capture.pcap")])
                try await capture.line(with: "listening on")
                let (up, listener) = try await lab.both()
                #expect(try await network.ping(count: 10) == 10)
                try await checkLongPackets(network)
                try await checkIPv6(network)
                try await checkMulticast(network)
                try await checkTaggedFrames(network)
                #expect(try await network.transfersData())
                try await checkSecrecy(network, lab, capture)
                await up.end()
                await listener.end()
                for place in [PublicNetwork.Place.gateA, .gateB] {
                    let links = try await network.run(place, "ip -br link").text
                    #expect(!links.contains("br0") && !links.contains("etun"), "\(links)")
                }
            }
        }

        private func checkLongPackets(_ network: PublicNetwork) async throws {
            #expect(try await network.ping(size: 1_472, "-M do") == 3, "full frames pass, in fragments")
            #expect(try await network.ping(size: 8_000) == 3, "IP's own fragments pass")
        }

        private func checkIPv6(_ network: PublicNetwork) async throws {
            try await network.run(.hostA, "ip address add fd00:77::1/64 dev eth0 nodad")
            try await network.run(.hostB, "ip address add fd00:77::2/64 dev eth0 nodad")
            #expect(try await network.ping(count: 5, interval: "0.3", to: "fd00:77::2") >= 4)
        }

        private func checkMulticast(_ network: PublicNetwork) async throws {
            let tool = PublicNetwork.tool("multicast.py")
            let receiver = try network.start(.hostB, ["python3", tool, "receive", PublicNetwork.addressB, "5"])
            try await receiver.line(with: "ready")
            try await network.run(.hostA, "python3 \(tool) send \(PublicNetwork.addressA) group-greeting")
            try await receiver.line(with: "group-greeting")
        }

        private func checkTaggedFrames(_ network: PublicNetwork) async throws {
            let tool = PublicNetwork.tool("frames.py")
            // A broadcast from a nonexistent host in VLAN 42, with the EtherType for experiments.
            let frame =
                "ffffffffffff" + "02000000aa01" + "8100002a" + "88b5" + String(repeating: "5a", count: 1_400)
            let receiver = try network.start(.hostB, ["python3", tool, "receive", "eth0", "8100002a88b55a5a", "5"])
            try await receiver.line(with: "ready")
            try await network.run(.hostA, "python3 \(tool) send eth0 \(frame)")
            #expect(try await receiver.line(with: frame) == frame)
        }

        /// Searches the packets captured by the router for the data that the hosts sent.
        private func checkSecrecy(_ network: PublicNetwork, _ lab: TunnelLab, _ capture: Running) async throws {
            await capture.end(SIGINT)
            let bytes = try Data(contentsOf: URL(filePath: lab.path("capture.pcap")))
            #expect(bytes.count > 8 << 20)
            for place in [PublicNetwork.Place.hostA, .hostB] {
                let words = try await network.run(place, "cat /sys/class/net/eth0/address").text
                let address = words.split(whereSeparator: { $0 == ":" || $0.isWhitespace }).compactMap {
                    UInt8($0, radix: 16)
                }
                #expect(address.count == 6 && bytes.range(of: Data(address)) == nil, "the MAC address of \(place)")
            }
            for text in ["group-greeting", "ZZZZZZZZZZZZZZZZ"] { #expect(bytes.range(of: Data(text.utf8)) == nil) }
            guard Shell.path(of: "tshark") != nil else {
                return print("tshark is not installed: protocols are not looked at")
            }
            let protocols = try await Shell.run(
                "tshark", "-r", lab.path("capture.pcap"), "-T", "fields", "-e", "frame.protocols", "-d",
                "udp.port==51897,wg", "-c", "4000")
            let seen = Set(protocols.text.split(separator: "\n").filter { $0.hasPrefix("eth:") })
            #expect(seen.contains { $0.hasSuffix(":wg") }, "\(seen)")
            #expect(
                !seen.contains { $0.contains("etherip") || $0.hasSuffix("icmp:data") || $0.contains("mdns") }, "\(seen)"
            )
        }

        @Test(
            "A host gets its address from a DHCP server on the other side",
            .enabled(if: Shell.path(of: "dnsmasq") != nil && Shell.path(of: "udhcpc") != nil))
        func dhcp() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let (up, listener) = try await lab.both()
                let server = try network.start(
                    .hostB,
                    [
                        "dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--port=0", "--interface=eth0",
                        "--user=root",
                        "--dhcp-range=10.77.0.100,10.77.0.110,1h", "--dhcp-leasefile=\(lab.path("leases"))",
                    ])
                try await server.line(with: "DHCP")
                let client = try network.start(.hostA, ["udhcpc", "-i", "eth0", "-f", "-q", "-n", "-s", "/bin/true"])
                try await client.line(with: "lease of 10.77.0.1")
                await server.end()
                await up.end()
                await listener.end()
            }
        }

        @Test("Jumbo frames are carried if both segments support them")
        func jumboFrames() async throws {
            try await PublicNetwork.with { network in
                for (place, link) in [
                    (PublicNetwork.Place.hostA, "eth0"), (.gateA, "eth1"), (.gateB, "eth1"), (.hostB, "eth0"),
                ] {
                    try await network.run(place, "ip link set \(link) mtu 9000")
                }
                let lab = try TunnelLab(network)
                let (up, listener) = try await lab.both()
                #expect(try await network.ping(count: 10, size: 8_972, "-M do") == 10)
                await up.end()
                await listener.end()
            }
        }

        @Test("A decreased path MTU is detected, and frames are still carried")
        func narrowPath() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let (up, listener) = try await lab.both()
                try await network.run(.router, "ip link set toB mtu 1400")
                try await network.run(.gateB, "ip link set wan mtu 1400")
                _ = try await network.ping(count: 5, size: 1_472, "-M do")
                try await up.line(with: #""event":"path","innerMTU":1320,"pathMTU":1400"#)
                _ = try await network.ping(count: 5, size: 1_472, "-M do")
                try await listener.line(with: "\"event\":\"path\"")
                #expect(try await network.ping(count: 5, size: 1_472, "-M do") == 5)
                await up.end()
                await listener.end()
            }
        }
    }
}
