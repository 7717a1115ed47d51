// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import DNSNames
import NearbyProgram
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The zone files that a check or a correction reads.
struct ZoneFileOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file of the parent's zone; may be repeated.", valueName: "file"))
    var parent: [String] = []

    @Option(help: ArgumentHelp("A file of a zone with PTR records; may be repeated.", valueName: "file"))
    var child: [String] = []

    @Option(
        help: ArgumentHelp("A file of a forward zone, with A and AAAA records; may be repeated.", valueName: "file"))
    var forward: [String] = []

    @Option(help: ArgumentHelp("A hosts file: hosts that shall have PTR records.", valueName: "file"))
    var hosts: String?

    @Option(
        help: ArgumentHelp(
            "The name of the zones whose files have neither an SOA record nor $ORIGIN with a full name.",
            valueName: "name"))
    var origin = "."

    var haveBothSides: Bool { !parent.isEmpty || !child.isEmpty }

    func documents(_ paths: [String]) throws -> [ZoneDocument] {
        let origin = try DomainName(origin)
        return try paths.map { path in
            try FileText.naming(path) { try ZoneDocument(Array(FileText.bytes(path)), origin: origin) }
        }
    }

    func documents() throws -> [ZoneDocument] { try documents(parent + child + forward) }

    func listedHosts() throws -> [ReverseHost] {
        guard let hosts else { return [] }
        return try FileText.naming(hosts) { try ReverseHost.hosts(in: FileText.read(hosts)) }
    }

    /// Hosts of a block in the hosts file and the forward zones.
    func allHosts(of block: AddressBlock) throws -> [ReverseHost] {
        try listedHosts() + documents(forward).flatMap { ReverseHost.hosts(in: $0.records, of: block) }
    }
}
