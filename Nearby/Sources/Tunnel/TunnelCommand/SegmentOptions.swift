// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EthernetTunnel

/// The options for the local segment, shared by several subcommands.
struct SegmentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The bridge that joins the local interfaces; it is created if it does not exist, and then removed at exit.",
            valueName: "name"))
    var bridge: String?

    @Option(
        help: ArgumentHelp("A network interface of the segment, which becomes a port of the bridge.", valueName: "name")
    )
    var interface: String?

    @Option(help: ArgumentHelp("The name of the TAP interface; %d is replaced by a number.", valueName: "name"))
    var tap = "etun%d"

    @Option(
        help: ArgumentHelp(
            "The MTU of the TAP interface; the default is that of the segment, or without a bridge that of the tunnel.",
            valueName: "bytes"))
    var mtu: Int?

    @Option(help: ArgumentHelp("The user to switch to after setup.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("The interval for reporting the counters.", valueName: "seconds"))
    var counters: Int?

    @Flag(help: "Print each event as a JSON line.")
    var json = false

    func validate() throws {
        if interface != nil, bridge == nil { throw ValidationError("--interface requires --bridge.") }
        if let mtu, !(576...65_521).contains(mtu) { throw ValidationError("--mtu must be from 576 to 65521.") }
        if let counters, counters < 1 { throw ValidationError("--counters must be at least 1.") }
    }

    var segment: LocalSegment { LocalSegment(bridge: bridge, interface: interface, tap: tap, mtu: mtu) }

    var options: TunnelOptions {
        var options = TunnelOptions()
        options.counters = counters.map { .seconds($0) }
        return options
    }
}
