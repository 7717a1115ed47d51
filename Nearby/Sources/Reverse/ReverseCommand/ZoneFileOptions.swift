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

/// The zone name of one file, as `file=name`, or of all files without one.
struct ZoneName: ExpressibleByArgument {
    let path: String?
    let name: DomainName

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard let last = parts.last, let name = DomainName(argument: String(last)) else { return nil }
        (path, self.name) = (parts.count > 1 ? parts.dropLast().joined(separator: "=") : nil, name)
    }
}

/// The zone files that a check or a correction reads.
struct ZoneFileOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file of the parent zone; may be repeated.", valueName: "file"))
    var parent: [String] = []

    @Option(help: ArgumentHelp("A file of a zone with PTR records; may be repeated.", valueName: "file"))
    var child: [String] = []

    @Option(
        help: ArgumentHelp("A file of a forward zone, with A and AAAA records; may be repeated.", valueName: "file"))
    var forward: [String] = []

    @Option(help: ArgumentHelp("A hosts file with the hosts that should have PTR records.", valueName: "file"))
    var hosts: String?

    @Option(
        help: ArgumentHelp(
            "The zone name for files that have neither an SOA record nor $ORIGIN with an absolute name; file=name applies to that file only. May be repeated.",
            valueName: "name"))
    var origin: [ZoneName] = []

    var haveBothSides: Bool { !parent.isEmpty || !child.isEmpty }

    func validate() throws {
        for name in origin {
            guard let path = name.path, !(parent + child + forward).contains(path) else { continue }
            throw ValidationError("--origin specifies the zone of \(path), but no option specifies that file.")
        }
    }

    func documents(_ paths: [String]) throws -> [ZoneDocument] {
        try paths.map { path in
            let own = origin.last { $0.path == path } ?? origin.last { $0.path == nil }
            return try FileText.withPath(path) {
                try ZoneDocument(Array(FileText.bytes(path)), origin: own?.name ?? .root)
            }
        }
    }

    func listedHosts() throws -> [ReverseHost] {
        guard let hosts else { return [] }
        return try FileText.withPath(hosts) { try ReverseHost.hosts(in: FileText.read(hosts)) }
    }
}
