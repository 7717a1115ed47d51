// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NibArchive

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The compiled interfaces of the shared test data, which are not copied into the repository.
enum TestData {
    /// The folder from the variable `NIB`, or the folder next to the repository.
    static let folder: URL? = {
        let environment = ProcessInfo.processInfo.environment["NIB"].map { [URL(filePath: $0)] } ?? []
        // The path of the sources may contain a symbolic link.
        let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        let beside = sequence(first: file, next: { $0.path == "/" ? nil : $0.deletingLastPathComponent() })
            .map { $0.appending(path: "shared/testdata/nib") }
        let found = (environment + beside).first {
            FileManager.default.fileExists(atPath: $0.appending(path: "manifest.json").path)
        }
        if found == nil { print("skipped: there is no folder testdata/nib, and NIB names none") }
        return found
    }()

    struct Row: Decodable, Sendable, CustomStringConvertible {
        var file: String
        var encoding: String
        var format_version: UInt32?
        var coder_version: UInt32?
        var objects: Int?
        var keys: Int?
        var values: Int?
        var classes: Int?
        var value_types: [String: Int]?
        var class_counts: [String: Int]?
        var outlets: [[String?]]?
        var actions: [[String?]]?
        var source: String?

        var description: String { file }
    }

    static let rows: [Row] = {
        guard let folder, let data = try? Data(contentsOf: folder.appending(path: "manifest.json")) else { return [] }
        return (try? JSONDecoder().decode([Row].self, from: data)) ?? []
    }()

    /// The rows of NIBArchive files.
    static var archives: [Row] { rows.filter { $0.encoding == "NIBArchive" } }

    static func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: (folder ?? URL(filePath: "/")).appending(path: file)))
    }

    static func nib(_ file: String) throws -> Nib { try Nib(data: try bytes(file)) }
}

extension Nib {
    /// Returns the connections of a kind in the manifest: source class, label and destination class.
    func ends(_ isIncluded: (NibConnection.Kind) -> Bool) -> [[String?]] {
        connections.filter { isIncluded($0.kind) }.map {
            [$0.source.map(className), $0.label, $0.destination.map(className)]
        }
    }

    var outlets: [[String?]] { ends { $0 == .outlet } }

    var actions: [[String?]] {
        ends {
            guard case .action = $0 else { return false }
            return true
        }
    }
}
