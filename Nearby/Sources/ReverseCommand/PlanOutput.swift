// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of a plan, printed or written to a folder.
struct PlanOutput {
    let blocks: [AddressBlock]
    let parents: [ZoneFile]
    let zones: [ZoneFile]
    /// The server from which the parent's servers get the zones; `nil` where they do not.
    let primary: String?
    /// `nil` to print the files.
    let folder: String?

    private struct File: Encodable {
        let zone: String?
        let path: String?
        let text: String?
    }

    private struct Files: Encodable {
        let blocks: [String]
        let parents: [File]
        let zones: [File]
        let namedConf: File
        let parentNamedConf: File?
    }

    private typealias Text = (zone: String?, name: String, text: String)

    func write(asJSON: Bool) throws {
        let parts = parents.map { Text($0.origin.description, "parent-" + $0.fileName, $0.text) }
        let whole = zones.map { Text($0.origin.description, $0.fileName, $0.text) }
        let stanzas = Text(nil, "named.conf.zones", stanzas("type primary;"))
        let secondary = primary.map {
            Text(nil, "named.conf.parent", self.stanzas("type secondary; primaries { \($0); };"))
        }
        let all = parts + whole + [stanzas] + [secondary].compactMap(\.self)
        if let folder { try FileText.write(all.map { ($0.name, Array($0.text.utf8)) }, to: folder) }
        if asJSON {
            let files = Files(
                blocks: blocks.map(\.description), parents: parts.map(file), zones: whole.map(file),
                namedConf: file(stanzas), parentNamedConf: secondary.map(file))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(files), as: UTF8.self))
        } else if let folder {
            for text in all { print("\(folder)/\(text.name)") }
        } else {
            print(all.map { "; \($0.name)\n\($0.text)" }.joined(separator: "\n"), terminator: "")
        }
    }

    private func file(_ text: Text) -> File {
        File(zone: text.zone, path: folder.map { $0 + "/" + text.name }, text: folder == nil ? text.text : nil)
    }

    /// What BIND's configuration says of the zones; a part of a zone is in the file of the whole one.
    private func stanzas(_ type: String) -> String {
        zones.filter { $0.timeToLive != nil }.map { zone in
            "zone \"\(zone.origin.description.dropLast())\" { \(type) file \"\(zone.fileName)\"; };\n"
        }.joined()
    }
}
