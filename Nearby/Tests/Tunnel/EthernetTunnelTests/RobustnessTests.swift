// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

extension NamespaceTests {
    @Suite struct RobustnessTests {
        /// Runs a test with both sides and the relay between them.
        private func relayed(
            _ faults: String..., body: (PublicNetwork, TunnelLab, Running, Running, Running) async throws -> Void
        ) async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let relay = try network.start(
                    .router, ["python3", PublicNetwork.tool("relay.py"), "51897", PublicNetwork.gateB])
                try await relay.line(with: "ready")
                for fault in faults { _ = try await set(relay, fault) }
                let listener = try lab.listen("--counters", "1")
                try await listener.line(with: "\"started\"")
                let up = try lab.up("--peer-name", "hub.test", "--keepalive", "2", to: PublicNetwork.relay)
                try await up.line(with: "\"joined\"")
                #expect(try await network.recovery() != nil)
                try await body(network, lab, relay, up, listener)
                await up.end()
                await listener.end()
                await relay.end()
            }
        }

        private func set(_ relay: Running, _ command: String) async throws -> String {
            let count = relay.count
            relay.write(command)
            return try await relay.line(with: "passed=", from: count)
        }

        @Test("With lost, repeated, late or damaged datagrams, no frame is repeated or damaged")
        func hostileRelay() async throws {
            try await relayed { network, _, relay, _, listener in
                for percent in [1, 5, 20] {
                    _ = try await set(relay, "drop \(percent)")
                    let answered = try await network.ping(count: 100, interval: "0.01")
                    print("drop \(percent) %: \(answered) of 100 pings answered")
                    #expect(answered > 100 - 4 * percent - 5 && answered < 100 || percent == 1)
                }
                _ = try await set(relay, "clear")
                for fault in ["replay 50", "reorder 50", "flip 30"] {
                    _ = try await set(relay, fault)
                    let output = try await network.run(
                        .hostA, "ping -c 100 -i 0.01 -W 1 -p 5a \(PublicNetwork.addressB)")
                    let counts = try await set(relay, "clear")
                    print(
                        "\(fault) %: \(output.text.split(separator: "\n").last { $0.contains("received") } ?? ""); \(counts)"
                    )
                    #expect(
                        !output.text.contains("DUP") && !output.text.contains("wrong data"), "\(fault): \(output.text)")
                    // The relay may still delay the last packet.
                    let isComplete = ["100 received", "99 received"].contains { output.text.contains($0) }
                    #expect(isComplete || fault.hasPrefix("flip"), "\(fault): \(output.text)")
                }
                #expect(try await network.ping(count: 20) == 20)
                let count = listener.count
                let counters = try await listener.line(with: "\"counters\"", from: count)
                let refused = counters.matches(of: /"refusedDatagrams":(\d+)/).compactMap { Int($0.output.1) }
                #expect(refused.reduce(0, +) > 20, "repeated and damaged datagrams were refused: \(counters)")
            }
        }

        @Test("If long packets are lost without an ICMP message, probes find the path MTU")
        func blackHole() async throws {
            try await relayed("narrow 1300") { network, _, relay, up, listener in
                #expect(try await network.ping(size: 1_472, "-M do") == 3, "nothing longer than 1,280 bytes before")
                for side in [up, listener] {
                    let path = try await side.line(with: "\"path\"")
                    for part in ["\"innerMTU\":1200,\"pathMTU\":1280", "\"source\":\"probes\""] {
                        #expect(path.contains(part), "\(path)")
                    }
                }
                #expect(try await network.ping(size: 1_472, "-M do") == 3)
                #expect(try await network.transfersData())
                #expect(!(try await set(relay, "clear")).contains("narrowed=0"), "probes were too long")
            }
        }

        @Test("The tunnel follows a peer to a new source port")
        func rebinding() async throws {
            try await relayed { network, _, relay, _, listener in
                let count = listener.count
                _ = try await set(relay, "rebind")
                let time = try #require(try await network.recovery())
                print("recovery after rebinding: \(time)")
                #expect(time < .seconds(5))
                try await listener.line(with: "\"moved\"", from: count)
            }
        }

        @Test("Each side can be restarted, also after it was killed, and no interface is left")
        func restarts() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                var (up, listener) = try await lab.both()
                var count = up.count
                await listener.end(SIGKILL)
                let links = try await network.run(.gateB, "ip -br link").text
                #expect(!links.contains("etun"), "\(links)")
                listener = try lab.listen("--recheck", "1")
                try await listener.line(with: "\"started\"")
                try await up.line(with: "\"retrying\"", from: count)
                print("recovery after a restart of the listener: \(try #require(try await network.recovery()))")

                await up.end(SIGKILL)
                #expect(try await !network.run(.gateA, "ip -br link").text.contains("etun"))
                up = try lab.up()
                print("recovery after a restart of the initiator: \(try #require(try await network.recovery()))")

                // The bridges were created by the killed processes, and are removed by the new ones.
                count = up.count
                await up.end()
                await listener.end()
                for place in [PublicNetwork.Place.gateA, .gateB] {
                    #expect(try await !network.run(place, "ip -br link").text.contains("br0"))
                }
            }
        }

        @Test("A running tunnel has only one capability in all threads, and can switch to another user")
        func privileges() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let listener = try lab.listen(asUser: "nobody", "--recheck", "1")
                try await listener.line(with: "\"started\"")
                let up = try lab.up()
                try await up.line(with: "\"joined\"")
                for (side, user) in [(listener, "65534"), (up, "0")] {
                    let folder = "/proc/\(side.identifier)/task"
                    for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
                        let status = try String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
                        for line in [
                            "CapEff:\t0000000000001000", "CapBnd:\t0000000000001000", "NoNewPrivs:\t1",
                            "Uid:\t\(user)\t",
                        ] {
                            #expect(status.contains(line), "\(status)")
                        }
                    }
                }
                await up.end()
                await listener.end()
            }
        }

        @Test("Keys are replaced without losing a frame")
        func rolling() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let (up, listener) = try await lab.both("--roll", "5")
                #expect(try await network.ping(count: 650, interval: "0.01") == 650)
                try await up.line(with: "\"rolled\"")
                await up.end()
                await listener.end()
            }
        }

        @Test("A loop of frames causes a warning")
        func loop() async throws {
            try await PublicNetwork.with { network in
                let lab = try TunnelLab(network)
                let (up, listener) = try await lab.both()
                // A second connection between the segments.
                try await Shell.run(
                    "ip", "link", "add", "wire", "netns", network.name(.gateA), "type", "veth", "peer", "name", "wire",
                    "netns", network.name(.gateB))
                for place in [PublicNetwork.Place.gateA, .gateB] {
                    try await network.run(place, "ip link set wire master br0 up")
                }
                _ = try await network.ping(count: 3, interval: "0.2")
                try await up.line(with: "\"loop\"")
                for place in [PublicNetwork.Place.gateA, .gateB] {
                    try await network.run(place, "ip link set wire down")
                }
                await up.end()
                await listener.end()
            }
        }
    }
}
