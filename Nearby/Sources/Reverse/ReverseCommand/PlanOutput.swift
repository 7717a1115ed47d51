// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import NearbyProgram
import ReverseZones

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prints the files of a plan, or writes them to a folder.
struct PlanOutput {
    let blocks: [AddressBlock]
    let parents: [ZoneFile]
    let zones: [ZoneFile]
    /// The primary server from which the parent's servers transfer the zones; `nil` if they do not.
    let primary: String?
    /// The output folder; `nil` to print the files.
    let folder: String?

    private struct File: Encodable {
        let zone: String?
        let path: String?
        let text: String?
        /// The records of an existing file that are not in the plan; `nil` if there are none.
        let retained: [String]?
    }

    private struct Files: Encodable {
        let blocks: [String]
        let parents: [File]
        let zones: [File]
        let namedConf: File
        let parentNamedConf: File?
    }

    private struct Text {
        let zone: String?
        let name: String
        let bytes: [UInt8]
        var retained: [ZoneRecord] = []
    }

    func write(asJSON: Bool) throws {
        let parts = try parents.map { try text($0, name: "parent-" + $0.fileName) }
        let completeZones = try zones.map { try text($0, name: $0.fileName) }
        let stanzas = try configuration("named.conf.zones", "type primary;")
        let secondary = try primary.map {
            try configuration("named.conf.parent", "type secondary; primaries { \($0); };")
        }
        let all = parts + completeZones + [stanzas] + [secondary].compactMap(\.self)
        if let folder { try FileText.write(all.map { ($0.name, $0.bytes) }, to: folder) }
        for text in all where !text.retained.isEmpty { writeNote(note(on: text)) }
        if asJSON {
            let files = Files(
                blocks: blocks.map(\.description), parents: parts.map(file), zones: completeZones.map(file),
                namedConf: file(stanzas), parentNamedConf: secondary.map(file))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(files), as: UTF8.self))
        } else if let folder {
            for text in all { print("\(folder)/\(text.name)") }
        } else {
            print(
                all.map { "; \($0.name)\n\(String(decoding: $0.bytes, as: UTF8.self))" }.joined(separator: "\n"),
                terminator: "")
        }
    }

    private func file(_ text: Text) -> File {
        File(
            zone: text.zone, path: folder.map { $0 + "/" + text.name },
            text: folder == nil ? String(decoding: text.bytes, as: UTF8.self) : nil,
            retained: text.retained.isEmpty ? nil : text.retained.map(\.line))
    }

    // MARK: Existing files

    /// Returns the contents of an existing file with the name; `nil` if there is none.
    private func existing(_ name: String) throws -> (path: String, bytes: [UInt8])? {
        guard let path = folder.map({ $0 + "/" + name }), FileManager.default.fileExists(atPath: path) else {
            return nil
        }
        return (path, Array(try FileText.bytes(path)))
    }

    /// Returns the text of a planned file; if the file exists, the missing records are added to it.
    private func text(_ file: ZoneFile, name: String) throws -> Text {
        let zone = file.origin.description
        guard let (path, bytes) = try existing(name) else { return Text(zone: zone, name: name, bytes: file.bytes) }
        return try FileText.withPath(path) {
            var document = try ZoneDocument(bytes, origin: file.origin)
            let retained = try document.merge(file)
            return Text(zone: zone, name: name, bytes: document.changedBytes, retained: retained)
        }
    }

    /// Returns the BIND configuration for the zones, appended to the existing configuration; files of partial zones
    /// need none, because the complete zone has its own.
    private func configuration(_ name: String, _ type: String) throws -> Text {
        let old = try existing(name)?.bytes ?? []
        let known = String(decoding: old, as: UTF8.self).lowercased()
        let stanzas = zones.filter { $0.timeToLive != nil }.map { zone in
            (name: "zone \"\(zone.origin.description.dropLast())\"", rest: " { \(type) file \"\(zone.fileName)\"; };\n")
        }
        let new = stanzas.filter { !known.contains($0.name.lowercased()) }.map { $0.name + $0.rest }.joined()
        let end = new.isEmpty || old.isEmpty || old.last == UInt8(ascii: "\n") ? "" : "\n"
        return Text(zone: nil, name: name, bytes: old + Array((end + new).utf8))
    }

    private static let listedRecords = 8

    private func note(on text: Text) -> String {
        let lines = text.retained.prefix(Self.listedRecords).map(\.line.printable)
        let rest = text.retained.count - lines.count
        return "countersign: \(folder.map { $0 + "/" } ?? "")\(text.name) keeps records that are not in the plan: "
            + lines.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }
}
