// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where the command keeps what a person told it: `COUNTERSIGN_HOME`, else `countersign` in the XDG configuration folder.
package enum ConfigurationFolder {
    package static func url(_ environment: [String: String]) -> URL {
        if let home = environment["COUNTERSIGN_HOME"] { return URL(filePath: home, directoryHint: .isDirectory) }
        // The XDG Base Directory Specification has relative paths ignored.
        let base =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            .map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? URL(filePath: environment["HOME"] ?? ".", directoryHint: .isDirectory)
            .appending(path: ".config", directoryHint: .isDirectory)
        return base.appending(path: "countersign", directoryHint: .isDirectory)
    }
}
