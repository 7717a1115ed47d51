// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EthernetTunnel

/// The command `countersign tunnel plain`, which runs an unencrypted EtherIP tunnel.
struct PlainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plain",
        abstract: "Join segments with plain EtherIP, which is NOT encrypted.",
        discussion: """
            Anyone on the path can read, change and inject frames. It is for peers that support nothing else, such as gif(4) and etherip(4) of \
            the BSDs, over a network that is already private (RFC 3378; IP protocol 97).

            Example: countersign tunnel plain 10.9.0.2 --bridge br0 --interface eth1
            """)

    @Argument(help: "The address of the peer.")
    var peer: String

    @OptionGroup var segment: SegmentOptions

    func run() throws {
        #if os(Linux)
            let tunnel = try PlainTunnel(unencryptedTo: peer, segment: segment.segment, options: segment.options)
            EventPrinter.warn("this tunnel is NOT encrypted; anyone on the path can read and change its frames")
            try TunnelRun.run(segment) { try await tunnel.run($0) }
        #else
            throw TunnelError.unsupportedSystem
        #endif
    }
}
