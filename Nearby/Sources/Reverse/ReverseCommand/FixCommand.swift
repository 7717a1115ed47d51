// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import DNSNames
import ReverseChecks
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command `countersign reverse fix`, which corrects the files of both sides.
struct FixCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fix",
        abstract: "Correct the zone files of both sides.",
        discussion: """
            Prints the removed and added records. Correct lines, comments and records of other types are unchanged; a zone that is \
            changed gets the next serial. Forward zones are read and not changed. To change the style, use plan.

            Exit status: 0 done; 1 failed; 2 usage.

            Example: countersign reverse fix 206.126.7.64/27 --parent 7.126.206.zone --child 64-27.zone --forward example.net.zone --out corrected
            """)

    @Argument(help: "The block, such as 206.126.7.64/27 or 2001:db8:42::/48.")
    var block: String

    @OptionGroup var files: ZoneFileOptions

    @Option(
        name: .customLong("ns"),
        help: ArgumentHelp(
            "A name server for the NS records of both sides; may be repeated. The default is the servers in the zone's NS records.",
            valueName: "name"))
    var nameServers: [DomainName] = []

    @Option(
        help: ArgumentHelp(
            "The output folder for the corrected files; by default the changes are only printed.", valueName: "folder"))
    var out: String?

    @Flag(help: "Print the changes as JSON.")
    var json = false

    func validate() throws {
        guard files.parent.count == 1, !files.child.isEmpty else {
            throw ValidationError("Specify the files of both sides: one --parent, and each --child.")
        }
        let names = (files.parent + files.child).map { URL(filePath: $0).lastPathComponent }
        guard Set(names).count == names.count else {
            throw ValidationError("Files with the same name would overwrite each other in the folder.")
        }
    }

    func run() async throws {
        let block = try AddressBlock(block)
        let parents = try files.documents(files.parent)
        let before = parents + (try files.documents(files.child))
        let listed = try files.listedHosts()
        let repair = try await ReverseRepair(
            of: block, parent: before[0], children: Array(before.dropFirst()),
            forward: try files.documents(files.forward), hosts: listed,
            nameServers: nameServers, today: Day.serial)
        let after = [repair.parent] + repair.children
        let names = (files.parent + files.child).map { URL(filePath: $0).lastPathComponent }
        if let out { try FileText.write(zip(names, after).map { ($0, $1.changedBytes) }, to: out) }
        let changes = names.indices.map { FileChange(name: names[$0], from: before[$0], to: after[$0]) }
        try print(changes)
    }

    private func print(_ changes: [FileChange]) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            Swift.print(String(decoding: try encoder.encode(["files": changes]), as: UTF8.self))
        } else if changes.allSatisfy(\.isEmpty) {
            Swift.print("Nothing is to be corrected.")
        } else {
            for change in changes where !change.isEmpty { Swift.print(change.text) }
        }
    }
}

/// The records removed from and added to a file, and its changed `$TTL` lines.
struct FileChange: Encodable {
    let file: String
    let removed: [String]
    let added: [String]

    init(name: String, from old: ZoneDocument, to new: ZoneDocument) {
        let (before, after) = (Set(Self.lines(old)), Set(Self.lines(new)))
        file = name
        removed = new.changedTimes.map { "$TTL \($0.old)" } + Self.lines(old).filter { !after.contains($0) }
        added = new.changedTimes.map { "$TTL \($0.new)" } + Self.lines(new).filter { !before.contains($0) }
    }

    private static func lines(_ document: ZoneDocument) -> [String] {
        document.records.map(\.line)
    }

    var isEmpty: Bool { removed.isEmpty && added.isEmpty }

    var text: String { (["--- \(file)"] + removed.map { "- \($0)" } + added.map { "+ \($0)" }).joined(separator: "\n") }
}
