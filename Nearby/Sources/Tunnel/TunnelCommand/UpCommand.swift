// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EthernetTunnel

/// The command `countersign tunnel up`, which maintains a tunnel to a listener.
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Keep up a tunnel to a listener.",
        discussion: """
            Example: countersign tunnel up hub.example.net --bridge br0 --interface eth1 --identity me.pem --ca ca.pem
            """)

    @Argument(
        help: ArgumentHelp(
            "The name or address of the listener, which its certificate must be for; a port may follow: hub.example.net:443, [2001:db8::1]:443.",
            valueName: "peer"))
    var peer: PeerPlace

    @OptionGroup var trust: TrustOptions
    @OptionGroup var segment: SegmentOptions

    @Option(help: ArgumentHelp("Agree on new keys this often.", valueName: "seconds"))
    var roll = 3_600

    @Option(
        help: ArgumentHelp(
            "Send something at least this often, so that middleboxes keep the way open.", valueName: "seconds"))
    var keepalive = 20

    func validate() throws {
        if let port = peer.port, ![port, TunnelOptions.defaultPort].contains(trust.port) {
            throw ValidationError("The port is \(port) in the peer's address and \(trust.port) by --port.")
        }
        if roll < 5 || keepalive < 1 { throw ValidationError("--roll is at least 5, --keepalive at least 1.") }
    }

    func run() throws {
        #if os(Linux)
            var options = segment.options
            (options.roll, options.keepalive) = (.seconds(roll), .seconds(keepalive))
            options.recheck = .seconds(trust.recheck)
            let tunnel = try InitiatingTunnel(
                to: peer.host, port: peer.port ?? trust.port, identity: try trust.readIdentity(), trust: trust.trust,
                segment: segment.segment, options: options)
            try TunnelRun.run(segment) { try await tunnel.run($0) }
        #else
            throw TunnelError.unsupportedSystem
        #endif
    }
}
