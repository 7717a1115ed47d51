// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@Suite struct ProgramTests {
    @Test("The unit runs the tunnel without root, and systemd reads its identity")
    func unit() async throws {
        let output = try await Shell.run(
            TunnelLab.program, "unit", "--program", "/bin/true", "--", "up", "hub.test", "--bridge", "br0",
            "--identity",
            "/etc/my tunnel/me.pem", "--ca", "/etc/tunnel/ca.pem")
        #expect(output.status == 0)
        #expect(output.text.contains("--identity ${CREDENTIALS_DIRECTORY}/identity --ca /etc/tunnel/ca.pem\n"))
        #expect(output.text.contains("LoadCredential=identity:/etc/my tunnel/me.pem\n"))
        #expect(output.text.contains("AmbientCapabilities=CAP_NET_ADMIN\n"))
        guard Shell.path(of: "systemd-analyze") != nil else { return print("systemd-analyze is not installed") }
        let file = FileManager.default.temporaryDirectory.appending(
            path: "t\(UInt32.random(in: .min ... .max)).service")
        try Data(output.text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let verdict = try await Shell.run("systemd-analyze", "verify", file.path)
        #expect(!verdict.text.contains(file.lastPathComponent), "\(verdict.text)")
    }

    @Test(
        "Without the permission to change the network, the error names the missing permission",
        .enabled(if: getuid() == 0 && Shell.path(of: "setpriv") != nil))
    func withoutPrivileges() async throws {
        let output = try await Shell.run(
            "setpriv", "--reuid", "65534", "--clear-groups", "--bounding-set", "-all", TunnelLab.program, "plain",
            "127.0.0.1", "--bridge", "br0")
        #expect(output.status == 1)
        #expect(output.text.contains("The permission to") && output.text.contains("CAP_NET_ADMIN"), "\(output.text)")
    }

    @Test(
        "The error for a missing interface names it",
        .enabled(if: PublicNetwork.isPossible && Shell.path(of: "unshare") != nil))
    func missingInterface() async throws {
        let output = try await Shell.run(
            "unshare", "-n", TunnelLab.program, "plain", "127.0.0.1", "--bridge", "br0", "--interface", "nowhere")
        #expect(output.status == 1 && output.text.contains("There is no usable interface nowhere"), "\(output.text)")
    }

    @Test(
        "Contradictory arguments are rejected",
        arguments: [
            ["up", "hub.test", "--interface", "eth1"], ["listen"], ["plain", "::1", "--mtu", "3"], ["unit"],
            ["up", "hub.test:443", "--port", "444", "--identity", "me.pem", "--ca", "ca.pem"],
        ])
    func usage(arguments: [String]) async throws {
        #expect(try await Shell.run([TunnelLab.program] + arguments).status == 2)
    }

    @Test(
        "The address of a peer is a host name or an address with an optional port, and nothing else",
        arguments: [
            ("hub.test", true), ("hub.test:443", true), ("192.0.2.1:443", true), ("2001:db8::1", true),
            ("[2001:db8::1]", true), ("[2001:db8::1]:443", true), ("fe80::1%eth0", true), ("", false),
            (":443", false), ("hub.test:", false), ("hub.test:0", false), ("hub.test:65536", false),
            ("[2001:db8::1", false), ("[2001:db8::1]443", false), ("[]:443", false),
        ])
    func place(peer: String, isPlace: Bool) async throws {
        let output = try await Shell.run(
            TunnelLab.program, "up", peer, "--identity", "/nonexistent.pem", "--ca", "/nonexistent.pem")
        #expect(output.status == (isPlace ? 1 : 2), "\(output.text)")
    }
}
