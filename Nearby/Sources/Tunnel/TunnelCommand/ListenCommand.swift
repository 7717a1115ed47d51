// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EthernetTunnel

/// The command `countersign tunnel listen`, which accepts tunnels from peers.
struct ListenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Accept tunnels from one or more peers.",
        discussion: """
            Example: countersign tunnel listen --bridge br0 --interface eth1 --identity hub.pem --ca ca.pem --crl ca.crl
            """)

    @OptionGroup var trust: TrustOptions
    @OptionGroup var segment: SegmentOptions

    @Option(help: ArgumentHelp("The local address for TCP connections of peers.", valueName: "address"))
    var listen: String?

    @Option(help: ArgumentHelp("The maximum number of peers.", valueName: "number"))
    var maxPeers = 64

    func validate() throws {
        if segment.bridge == nil, maxPeers != 1 {
            throw ValidationError(
                "--bridge is required, because each peer has a separate interface; or use --max-peers 1.")
        }
        if maxPeers < 1 { throw ValidationError("--max-peers must be at least 1.") }
    }

    func run() throws {
        #if os(Linux)
            var options = segment.options
            options.maximumPeerCount = maxPeers
            options.recheck = .seconds(trust.recheck)
            let tunnel = try ListeningTunnel(
                at: listen, port: trust.port, identity: try trust.readIdentity(), trust: trust.trust,
                segment: segment.segment, options: options)
            try TunnelRun.run(segment) { try await tunnel.run($0) }
        #else
            throw TunnelError.unsupportedSystem
        #endif
    }
}
