// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Crypto
import Foundation
import Testing

extension NamespaceTests {
    @Suite struct OtherPeersTests {
        @Test("A hub joins several peers, each with its own interface")
        func hub() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let (up, listener) = try await lab.both()
                // The router is the third segment: its bridge has an address in the subnet.
                try lab.write(identity: try lab.authority.issue(.client(name: "third"), now: Date()), "third.pem")
                let third = try lab.start(
                    .router,
                    ["up", PublicNetwork.gateB, "--identity", lab.path("third.pem"), "--ca", lab.path("ca.pem")])
                try await third.line(with: "\"joined\"")
                try await network.run(.router, "ip address add 10.77.0.3/24 dev br0")
                #expect(try await network.ping(to: "10.77.0.3") == 3)
                #expect(try await network.ping() == 3)
                let links = try await network.run(.gateB, "ip -br link").text
                #expect(links.contains("etun0") && links.contains("etun1"), "\(links)")
                await third.end()
                try await listener.line(with: "\"left\"")
                #expect(try await !network.run(.gateB, "ip -br link").text.contains("etun1"))
                await up.end()
                await listener.end()
            }
        }

        @Test("Two hosts are joined without a bridge, and their interfaces get the MTU of the tunnel")
        func singleHosts() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let listener = try network.start(
                    .gateB,
                    [
                        TunnelLab.program, "listen", "--max-peers", "1", "--identity", lab.path("hub.pem"), "--ca",
                        lab.path("ca.pem"), "--json",
                    ])
                try await listener.line(with: "\"started\"")
                let up = try network.start(
                    .gateA,
                    [
                        TunnelLab.program, "up", PublicNetwork.gateB, "--identity", lab.path("me.pem"), "--ca",
                        lab.path("ca.pem"), "--json",
                    ])
                try await up.line(with: "\"joined\"")
                try await listener.line(with: "\"joined\"")
                for place in [PublicNetwork.Place.gateA, .gateB] {
                    let link = try await network.run(place, "ip link show etun0").text
                    #expect(link.contains("mtu 1420"), "\(link)")
                }
                await up.end()
                await listener.end()
            }
        }

        @Test(
            "Plain EtherIP joins two segments, and its packets use IP protocol 97",
            arguments: [
                ("ip", PublicNetwork.gateA, PublicNetwork.gateB), ("ip6", PublicNetwork.gateA6, PublicNetwork.gateB6),
            ])
        func plain(family: String, gateA: String, gateB: String) async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let capture = try network.start(.router, ["tcpdump", "-i", "toA", "-n", "-l", family, "proto", "97"])
                try await capture.line(with: "listening on")
                let one = try lab.start(.gateA, ["plain", gateB, "--interface", "eth1"])
                let two = try lab.start(.gateB, ["plain", gateA, "--interface", "eth1"])
                try await one.line(with: "NOT encrypted")
                try await one.line(with: "\"joined\"")
                try await two.line(with: "\"joined\"")
                #expect(try await network.recovery() != nil)
                #expect(try await network.ping(size: 1_472, "-M do") == 3)
                try await capture.line(with: "-proto-97")
                for side in [one, two] { await side.end() }
                await capture.end(SIGINT)
            }
        }

        @Test(
            "A tunnel to wireguard-go with plain EtherIP over its interface works",
            .enabled(if: Shell.path(of: "wireguard-go") != nil && Shell.path(of: "wg") != nil))
        func wireGuardGo() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let (mine, theirs) = (Curve25519.KeyAgreement.PrivateKey(), Curve25519.KeyAgreement.PrivateKey())
                for (key, name) in [(mine, "mine.key"), (theirs, "theirs.key")] {
                    try lab.write(Array(key.rawRepresentation.base64EncodedString().utf8), name)
                }
                let device = "wg\(UInt16.random(in: .min ... .max))"
                let other = try network.start(.gateB, ["wireguard-go", "-f", device])
                while try await network.run(.gateB, "ip link show \(device)").status != 0 {
                    try await Task.sleep(for: .milliseconds(20))
                }
                try await network.run(
                    .gateB,
                    "wg set \(device) listen-port 51820 private-key \(lab.path("theirs.key")) peer \(mine.publicKey.rawRepresentation.base64EncodedString()) allowed-ips 10.9.0.1/32"
                )
                try await network.run(.gateB, "ip address add 10.9.0.2/24 dev \(device)")
                try await network.run(.gateB, "ip link set \(device) up")
                let inner = try lab.start(.gateB, ["plain", "10.9.0.1", "--interface", "eth1"])
                try await inner.line(with: "\"joined\"")
                let outer = try lab.start(
                    .gateA,
                    [
                        "static", "--peer", "\(PublicNetwork.gateB):51820", "--private-key", lab.path("mine.key"),
                        "--peer-key", theirs.publicKey.rawRepresentation.base64EncodedString(), "--inner-local",
                        "10.9.0.1",
                        "--inner-remote", "10.9.0.2", "--interface", "eth1",
                    ])
                try await outer.line(with: "\"joined\"")
                #expect(try await network.recovery() != nil)
                #expect(try await network.ping(count: 10) == 10)
                #expect(try await network.ping(size: 1_472, "-M do") == 3, "in fragments, both ways")
                for side in [outer, inner, other] { await side.end() }
            }
        }
    }
}
