// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// Two segments with a host and a gateway each, and a router between the gateways, in network namespaces.
///
/// `hostA - gateA (192.0.2.2, 2001:db8:a::2) - router - (198.51.100.2, 2001:db8:b::2) gateB - hostB`
final class PublicNetwork: Sendable {
    enum Place: String, CaseIterable { case hostA, gateA, router, gateB, hostB }

    static let gateA = "192.0.2.2", gateB = "198.51.100.2", relay = "192.0.2.1"
    static let gateA6 = "2001:db8:a::2", gateB6 = "2001:db8:b::2"
    static let addressA = "10.77.0.1", addressB = "10.77.0.2"

    /// The reason that the machine does not allow the network; `nil` if it does.
    static let unavailableReason: String? = {
        guard getuid() == 0 else { return "not root" }
        guard FileManager.default.fileExists(atPath: "/dev/net/tun") else { return "no /dev/net/tun" }
        for tool in ["ip", "ping", "python3", "tcpdump", "sysctl"] where Shell.path(of: tool) == nil {
            return "\(tool) is not installed"
        }
        return nil
    }()

    static var isPossible: Bool {
        if let unavailableReason { print("tunnels are not tested in network namespaces: \(unavailableReason)") }
        return unavailableReason == nil
    }

    private let prefix = "cst\(String(UInt32.random(in: .min ... .max), radix: 36))"
    let folder = FileManager.default.temporaryDirectory.appending(path: "tunnel-\(UInt64.random(in: .min ... .max))")

    /// Creates the network, runs a test with it, and removes it.
    static func with(_ body: (PublicNetwork) async throws -> Void) async throws {
        let network = PublicNetwork()
        try FileManager.default.createDirectory(at: network.folder, withIntermediateDirectories: true)
        do {
            try await network.make()
            try await body(network)
        } catch {
            await network.remove()
            throw error
        }
        await network.remove()
    }

    func name(_ place: Place) -> String { "\(prefix)-\(place.rawValue)" }

    /// Returns the arguments for running a program in a namespace.
    func within(_ place: Place, _ arguments: [String]) -> [String] {
        ["ip", "netns", "exec", name(place)] + arguments
    }

    @discardableResult func run(_ place: Place, _ command: String) async throws -> Shell.Output {
        try await Shell.run(within(place, command.split(separator: " ").map(String.init)))
    }

    func start(_ place: Place, _ arguments: [String]) throws -> Running { try Running(within(place, arguments)) }

    /// Returns the path of a tool of the tests.
    static func tool(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Tools/\(name)").path
    }

    private func make() async throws {
        for place in Place.allCases { try await Shell.run("ip", "netns", "add", name(place)) }
        try await connect(.gateA, "wan", Self.gateA + "/24", .router, "toA", Self.relay + "/24")
        try await connect(.gateB, "wan", Self.gateB + "/24", .router, "toB", "198.51.100.1/24")
        try await connect(.hostA, "eth0", Self.addressA + "/24", .gateA, "eth1", nil)
        try await connect(.hostB, "eth0", Self.addressB + "/24", .gateB, "eth1", nil)
        try await run(.gateA, "ip route add default via 192.0.2.1")
        try await run(.gateB, "ip route add default via 198.51.100.1")
        try await run(.router, "sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1")
        for (place, link, address) in [
            (Place.gateA, "wan", Self.gateA6), (.router, "toA", "2001:db8:a::1"), (.gateB, "wan", Self.gateB6),
            (.router, "toB", "2001:db8:b::1"),
        ] {
            // Without duplicate address detection, an address is usable immediately.
            try await run(place, "ip address add \(address)/64 dev \(link) nodad")
        }
        try await run(.gateA, "ip route add default via 2001:db8:a::1")
        try await run(.gateB, "ip route add default via 2001:db8:b::1")
        for place in Place.allCases { try await run(place, "ip link set lo up") }
    }

    private func connect(
        _ one: Place, _ link: String, _ address: String?, _ two: Place, _ otherLink: String, _ otherAddress: String?
    ) async throws {
        let made = try await Shell.run(
            "ip", "link", "add", link, "netns", name(one), "type", "veth", "peer", "name", otherLink, "netns", name(two)
        )
        try #require(made.status == 0, "\(made.text)")
        for (place, link, address) in [(one, link, address), (two, otherLink, otherAddress)] {
            if let address { try await run(place, "ip address add \(address) dev \(link)") }
            try await run(place, "ip link set \(link) up")
        }
    }

    private func remove() async {
        for place in Place.allCases { _ = try? await Shell.run("ip", "netns", "delete", name(place)) }
        try? FileManager.default.removeItem(at: folder)
        for place in Place.allCases { try? FileManager.default.removeItem(at: settings(place)) }
    }

    /// Returns the folder of the files that replace those of `/etc` in a namespace.
    private func settings(_ place: Place) -> URL { URL(filePath: "/etc/netns/\(name(place))") }

    /// Writes a hosts file for the programs in a namespace.
    func writeHosts(_ place: Place, _ text: String) throws {
        try FileManager.default.createDirectory(at: settings(place), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: settings(place).appending(path: "hosts"))
    }

    /// Sends pings from host A to host B.
    ///
    /// - Returns: The number of replies.
    func ping(
        count: Int = 3, size: Int = 56, interval: String = "0.02", to address: String = PublicNetwork.addressB,
        _ more: String = ""
    ) async throws -> Int {
        // On a busy machine ping exits before the last replies arrive: it waits at most for twice the slowest round
        // trip.
        let output = try await run(.hostA, "ping -c \(count + 3) -i \(interval) -W 1 -s \(size) \(more) \(address)")
        return (1...count).count { output.text.contains("icmp_seq=\($0) ttl=") }
    }

    /// Waits until a ping is answered.
    ///
    /// - Returns: The elapsed time; `nil` if none was answered.
    func recovery(within limit: Duration = .seconds(30)) async throws -> Duration? {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < limit {
            let output = try await run(.hostA, "ping -c 1 -W 0.2 \(Self.addressB)")
            if output.status == 0 { return ContinuousClock.now - start }
        }
        return nil
    }

    /// Returns whether 8 MiB arrive completely over TCP, with checksum offload on the hosts.
    func transfersData() async throws -> Bool {
        let receiver = try start(
            .hostB,
            [
                "python3", "-c",
                """
                import hashlib, socket
                server = socket.create_server(("", 7))
                print("ready", flush=True)
                end, _ = server.accept()
                data = b""
                while part := end.recv(1 << 20): data += part
                end.sendall(hashlib.sha256(data).hexdigest().encode())
                """,
            ])
        try await receiver.line(with: "ready")
        let sender = try start(
            .hostA,
            [
                "python3", "-c",
                """
                import hashlib, os, socket
                end = socket.create_connection(("\(Self.addressB)", 7))
                data = os.urandom(8 << 20)
                end.sendall(data)
                end.shutdown(socket.SHUT_WR)
                print(end.recv(64).decode() == hashlib.sha256(data).hexdigest(), flush=True)
                """,
            ])
        return await sender.status() == 0 && sender.text.contains("True")
    }
}
