// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

/// Hosts on one Ethernet, each in a separate network namespace, with a switch in a further namespace.
final class NamespaceNetwork {
    private let prefix = "sd\(UInt32.random(in: 0 ... .max))"
    let folder: URL
    private var running: [PeerProcess] = []
    private var hosts: [String]

    /// The reason that no network can be created; `nil` if it is possible.
    static let unavailableReason: String? = {
        if getuid() != 0 { return "it needs root" }
        for tool in ["avahi-daemon", "avahi-browse", "avahi-publish", "dbus-daemon", "ip", "dig"]
        where !["/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"].contains(where: {
            FileManager.default.isExecutableFile(atPath: $0 + tool)
        }) {
            return "\(tool) is missing; scripts/make/setup interop installs it"
        }
        let name = "sd\(UInt32.random(in: 0 ... .max))"
        guard let text = try? PeerProcess.run(["ip", "netns", "add", name]), text.isEmpty else {
            return "no network namespace can be made"
        }
        _ = try? PeerProcess.run(["ip", "netns", "del", name])
        return nil
    }()

    static var isPossible: Bool {
        if let unavailableReason { print("Skipped, because \(unavailableReason).") }
        return unavailableReason == nil
    }

    /// Creates the hosts `a`, `b` and so on, with the addresses 192.0.2.1, 192.0.2.2 and so on.
    init(_ count: Int) throws {
        hosts = (0..<count).map { String(UnicodeScalar(UInt8(97 + $0))) }
        folder = FileManager.default.temporaryDirectory.appending(path: prefix)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try ip(["netns", "add", prefix + "sw"])
        try ip(["-n", prefix + "sw", "link", "add", "br0", "type", "bridge", "mcast_snooping", "0"])
        try ip(["-n", prefix + "sw", "link", "set", "br0", "up"])
        for (index, host) in hosts.enumerated() {
            try ip(["netns", "add", prefix + host])
            try ip([
                "link", "add", "eth0", "netns", prefix + host, "type", "veth", "peer", "name", "p" + host, "netns",
                prefix + "sw",
            ])
            try ip(["-n", prefix + "sw", "link", "set", "p" + host, "master", "br0", "up"])
            try ip(["-n", prefix + host, "addr", "add", "192.0.2.\(index + 1)/24", "dev", "eth0"])
            try ip(["-n", prefix + host, "link", "set", "lo", "up"])
            try ip(["-n", prefix + host, "link", "set", "eth0", "up"])
        }
    }

    /// Adds a second interface to a host, connected to a new host that is on no other network.
    func connect(_ host: String, to new: String) throws {
        try ip(["netns", "add", prefix + new])
        hosts.append(new)
        try ip([
            "link", "add", "eth0", "netns", prefix + new, "type", "veth", "peer", "name", "eth1", "netns",
            prefix + host,
        ])
        for (space, interface, address) in [(new, "eth0", "198.51.100.1/24"), (host, "eth1", "198.51.100.2/24")] {
            try ip(["-n", prefix + space, "addr", "add", address, "dev", interface])
            try ip(["-n", prefix + space, "link", "set", "lo", "up"])
            try ip(["-n", prefix + space, "link", "set", interface, "up"])
        }
    }

    private func ip(_ arguments: [String]) throws { try PeerProcess.run(["ip"] + arguments) }

    /// Connects or disconnects a host's cable at the switch.
    func setCable(of host: String, isPlugged: Bool) throws {
        try ip(["-n", prefix + "sw", "link", "set", "p" + host, isPlugged ? "up" : "down"])
    }

    private func busAddress(_ host: String) -> String { "unix:path=" + folder.appending(path: host + ".bus").path }

    /// Starts a program on a host.
    func start(_ host: String, _ arguments: [String]) throws -> PeerProcess {
        let process = try PeerProcess(
            ["ip", "netns", "exec", prefix + host] + arguments,
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS": busAddress(host), "PYTHONUNBUFFERED": "1", "AVAHI_COMPAT_NOWARN": "1",
            ])
        running.append(process)
        return process
    }

    /// Starts `countersign-discover`.
    func discover(_ host: String, _ arguments: [String]) throws -> PeerProcess {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "countersign-discover")
        return try start(host, [program.path, "--json"] + arguments)
    }

    /// Starts a message bus and the Avahi daemon.
    func startAvahi(_ host: String) async throws -> PeerProcess {
        try await startBus(host)
        return try await restartAvahi(host)
    }

    func startBus(_ host: String) async throws {
        let configuration = folder.appending(path: host + ".conf")
        try """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig><type>system</type><listen>\(busAddress(host))</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
        <allow send_type="signal"/><allow send_type="method_return"/><allow send_type="error"/>
        <allow receive_type="method_call"/><allow receive_type="signal"/><allow receive_type="method_return"/>
        <allow receive_type="error"/><allow send_destination="*"/></policy></busconfig>
        """.write(to: configuration, atomically: true, encoding: .utf8)
        _ = try start(host, ["dbus-daemon", "--nofork", "--nopidfile", "--config-file=" + configuration.path])
        while !FileManager.default.fileExists(atPath: folder.appending(path: host + ".bus").path) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func restartAvahi(_ host: String) async throws -> PeerProcess {
        let configuration = folder.appending(path: host + ".avahi")
        try """
        [server]
        host-name=\(host)
        deny-interfaces=lo
        [wide-area]
        enable-wide-area=no
        [publish]
        publish-hinfo=no
        publish-workstation=no
        """.write(to: configuration, atomically: true, encoding: .utf8)
        // The bus socket and PID file have a separate folder for each host.
        let script =
            "mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon && "
            + "exec avahi-daemon -f \(configuration.path) --no-drop-root --no-chroot --no-rlimits"
        let daemon = try start(host, ["unshare", "-m", "bash", "-c", script])
        try await daemon.waits(for: "Server startup complete")
        return daemon
    }

    /// Terminates all programs and removes the namespaces.
    func tearDown() {
        for process in running.reversed() { process.end() }
        for host in hosts + ["sw"] { _ = try? PeerProcess.run(["ip", "netns", "del", prefix + host]) }
        try? FileManager.default.removeItem(at: folder)
    }
}
