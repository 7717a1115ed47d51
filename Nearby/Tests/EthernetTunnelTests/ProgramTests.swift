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
        "Without the right to change the network the error says which right is missing",
        .enabled(if: getuid() == 0 && Shell.path(of: "setpriv") != nil))
    func withoutPrivileges() async throws {
        let output = try await Shell.run(
            "setpriv", "--reuid", "65534", "--clear-groups", "--bounding-set", "-all", TunnelLab.program, "plain",
            "127.0.0.1", "--bridge", "br0")
        #expect(output.status == 1)
        #expect(output.text.contains("The right to") && output.text.contains("CAP_NET_ADMIN"), "\(output.text)")
    }

    @Test(
        "An interface that is not there is named",
        .enabled(if: PublicNetwork.isPossible && Shell.path(of: "unshare") != nil))
    func missingInterface() async throws {
        let output = try await Shell.run(
            "unshare", "-n", TunnelLab.program, "plain", "127.0.0.1", "--bridge", "br0", "--interface", "nowhere")
        #expect(output.status == 1 && output.text.contains("There is no interface nowhere"), "\(output.text)")
    }

    @Test(
        "Contradictory arguments are refused",
        arguments: [["up", "hub.test", "--interface", "eth1"], ["listen"], ["plain", "::1", "--mtu", "3"], ["unit"]])
    func usage(arguments: [String]) async throws {
        #expect(try await Shell.run([TunnelLab.program] + arguments).status == 2)
    }
}
