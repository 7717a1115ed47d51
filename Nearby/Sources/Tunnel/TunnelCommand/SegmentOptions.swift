// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EthernetTunnel

/// The options for the local segment, shared by several subcommands.
struct SegmentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The bridge that joins the interfaces of this side; it is made where it is not there, and then removed at the end.",
            valueName: "name"))
    var bridge: String?

    @Option(help: ArgumentHelp("An interface of the segment, which becomes a port of the bridge.", valueName: "name"))
    var interface: String?

    @Option(help: ArgumentHelp("The name of the TAP interface; %d stands for a number.", valueName: "name"))
    var tap = "etun%d"

    @Option(
        help: ArgumentHelp(
            "The MTU of the TAP interface, instead of that of the segment, or of what fits the tunnel without a bridge.",
            valueName: "bytes"))
    var mtu: Int?

    @Option(help: ArgumentHelp("Become this user after everything is set up.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("Report the counters this often.", valueName: "seconds"))
    var counters: Int?

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    func validate() throws {
        if interface != nil, bridge == nil { throw ValidationError("--interface needs --bridge.") }
        if let mtu, !(576...65_521).contains(mtu) { throw ValidationError("--mtu is from 576 to 65521.") }
        if let counters, counters < 1 { throw ValidationError("--counters is at least 1.") }
    }

    var segment: LocalSegment { LocalSegment(bridge: bridge, interface: interface, tap: tap, mtu: mtu) }

    var options: TunnelOptions {
        var options = TunnelOptions()
        options.counters = counters.map { .seconds($0) }
        return options
    }
}
