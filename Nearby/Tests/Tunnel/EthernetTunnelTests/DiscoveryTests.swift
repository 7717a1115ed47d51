// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

extension NamespaceTests {
    @Suite struct DiscoveryTests {
        @Test("A service that a host announces is found, resolved and reported lost on the other side")
        func discovery() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let (up, listener) = try await lab.both()
                let program = TunnelLab.program(named: "countersign-discover")
                // Multicast uses the interface with the route for the group.
                for place in [PublicNetwork.Place.hostA, .hostB] {
                    try await network.run(place, "ip route add 224.0.0.0/4 dev eth0")
                }
                let browser = try network.start(
                    .hostA, [program, "_http._tcp", "--resolve", "--via", "own", "--json"])
                try await browser.line(with: "\"started\"")
                let host = try network.start(
                    .hostB,
                    [
                        program, "_http._tcp", "--announce", "Far side", "--port", "8080", "--txt", "path=/far",
                        "--via", "own", "--json",
                    ])
                try await host.line(with: "\"announced\"")
                let found = try await browser.line(with: "\"resolved\"")
                for part in ["Far side", "\"port\":8080", PublicNetwork.addressB, "/far"] {
                    #expect(found.contains(part), "\(found)")
                }
                await host.end(SIGINT)
                #expect(try await browser.line(with: "\"lost\"").contains("Far side"))
                await browser.end(SIGINT)
                await up.end()
                await listener.end()
            }
        }
    }
}
