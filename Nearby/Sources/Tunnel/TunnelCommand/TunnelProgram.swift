// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ErrorExplanations
import EthernetTunnel
import NearbyProgram
import WireGuardProtocol

/// The program `countersign-tunnel`, which `countersign tunnel` runs.
@main
struct TunnelProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign tunnel",
        abstract: "Join Ethernet segments over a public network with encryption.",
        discussion: """
            Both sides authenticate with certificates over TLS 1.3. Frames are carried as EtherIP within the WireGuard protocol, over UDP. \
            The hosts of the joined segments are connected as on one switch, with the same subnet, DHCP server and neighbors.

            Exit status: 0 done; 1 the operation failed; 2 usage.
            """,
        subcommands: [UpCommand.self, ListenCommand.self, StaticCommand.self, PlainCommand.self, UnitCommand.self])

    static var errors: [any ExplainedError] { TunnelError.examples + WireGuardPeerError.allCases }

    /// Runs the subcommand on the initial thread, before any other exists, because privileges are dropped for each
    /// thread.
    static func main() {
        explain(errors)
        do {
            var command = try parseAsRoot()
            try secureDescriptors()
            try command.run()
        } catch {
            endProgram(because: error)
        }
    }
}
