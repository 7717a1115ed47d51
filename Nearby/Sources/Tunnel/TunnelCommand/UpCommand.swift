// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EthernetTunnel

/// The command `countersign tunnel up`, which maintains a tunnel to a listener.
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Maintain a tunnel to a listener.",
        discussion: """
            Example: countersign tunnel up hub.example.net --bridge br0 --interface eth1 --identity me.pem --ca ca.pem
            """)

    @Argument(
        help: ArgumentHelp(
            "The host name or address of the listener, which its certificate must contain; a port may follow: hub.example.net:443, [2001:db8::1]:443.",
            valueName: "peer"))
    var peer: PeerAddress

    @OptionGroup var trust: TrustOptions
    @OptionGroup var segment: SegmentOptions

    @Option(help: ArgumentHelp("The interval for agreeing on new keys.", valueName: "seconds"))
    var roll = 3_600

    @Option(
        help: ArgumentHelp(
            "The maximum interval between packets, to keep middlebox mappings alive.", valueName: "seconds"))
    var keepalive = 20

    func validate() throws {
        if let port = peer.port, ![port, TunnelOptions.defaultPort].contains(trust.port) {
            throw ValidationError("The port is \(port) in the peer's address, but \(trust.port) in --port.")
        }
        if roll < 5 || keepalive < 1 { throw ValidationError("--roll must be at least 5, and --keepalive at least 1.") }
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
