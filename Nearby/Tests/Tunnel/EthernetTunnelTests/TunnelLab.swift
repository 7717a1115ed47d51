// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Foundation
import Identities
import Testing

/// The tunnels of a test: certificates, and the program `countersign-tunnel` on both gateways.
struct TunnelLab {
    let network: PublicNetwork
    let authority: CertificateAuthority

    init(_ network: PublicNetwork) throws {
        self.network = network
        authority = try CertificateAuthority(name: "Tunnel CA", now: Date())
        try write(try CertificateFile.pem([authority.root]), "ca.pem")
        try write(
            identity: try authority.issue(
                .server(names: ["hub.test", PublicNetwork.gateB, PublicNetwork.gateB6]), now: Date()), "hub.pem")
        try write(identity: try authority.issue(.client(name: "gate-a"), now: Date()), "me.pem")
    }

    /// The path of the tunnel program.
    static let program = program(named: "countersign-tunnel")

    /// Returns the path of a program in the build folder of the tests.
    static func program(named name: String) -> String {
        let start = URL(filePath: CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0])
        var folder = start.deletingLastPathComponent()
        for _ in 0..<6 {
            let path = folder.appending(path: name).path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
            folder = folder.deletingLastPathComponent()
        }
        return name
    }

    func path(_ name: String) -> String { network.folder.appending(path: name).path }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: network.folder.appending(path: name), options: .atomic)
    }

    func write(identity: Identity, _ name: String) throws {
        try write(try identity.pemEncodedChain + identity.pemEncodedPrivateKey, name)
    }

    /// Starts a listener on gateway B.
    func listen(_ more: String...) throws -> Running {
        try start(
            .gateB, ["listen", "--interface", "eth1", "--identity", path("hub.pem"), "--ca", path("ca.pem")] + more)
    }

    /// Starts a listener on gateway B that switches to another user.
    ///
    /// Without udev, as in some virtual machines, only root may open the system's TUN/TAP device. The listener then
    /// gets a device that all users may open, in a separate mount namespace.
    func listen(asUser user: String, _ more: String...) throws -> Running {
        let device = """
            mknod -m 666 "$0" c 10 200 && mount --bind "$0" /dev/net/tun && exec "$@"
            """
        return try network.start(
            .gateB,
            ["sh", "-c", device, path("tun"), Self.program, "listen", "--interface", "eth1"]
                + ["--identity", path("hub.pem"), "--ca", path("ca.pem"), "--bridge", "br0", "--json", "--user", user]
                + more
        )
    }

    /// Starts a tunnel on gateway A.
    func up(_ more: String..., to peer: String = PublicNetwork.gateB) throws -> Running {
        try start(
            .gateA, ["up", peer, "--interface", "eth1", "--identity", path("me.pem"), "--ca", path("ca.pem")] + more)
    }

    func start(_ place: PublicNetwork.Place, _ arguments: [String]) throws -> Running {
        try network.start(place, [Self.program] + arguments + ["--bridge", "br0", "--json"])
    }

    /// Starts both sides and waits until the tunnel is established.
    func both(_ more: String...) async throws -> (up: Running, listener: Running) {
        let listener = try listen("--recheck", "1")
        try await listener.line(with: "\"started\"")
        let up = try start(
            .gateA,
            ["up", PublicNetwork.gateB, "--interface", "eth1", "--identity", path("me.pem"), "--ca", path("ca.pem")]
                + more)
        try await up.line(with: "\"joined\"")
        #expect(try await network.recovery() != nil)
        return (up, listener)
    }
}
