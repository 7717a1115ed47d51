// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The port and the settings, in the configuration folder.
package struct SettingsFile: Sendable {
    /// What is in the file.
    struct Contents: Codable, Sendable {
        var port: Int?
        var settings: WebSettings?
        /// Where the history is kept permanently; the latest first.
        var history: [String]?
        /// Whether the rules of a keychain have counted since server trust became "Imported", so that a missing keychain is noticed.
        var countsKeychain: Bool?
    }

    private let folder: URL
    private var file: URL { folder.appending(path: "web.json") }

    package init(environment: [String: String]) { folder = ConfigurationFolder.url(environment) }

    /// - Throws: ``WebError/malformedSettings(_:)``, `FileError`, `UnsafeFileError`.
    func read() throws -> Contents {
        do {
            // A file that is there and cannot be reached is an error: the settings say what makes a server trusted.
            _ = try FileManager.default.attributesOfItem(atPath: file.path)
        } catch let error as CocoaError
            where [CocoaError.Code.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code)
        {
            return Contents()
        } catch {
            throw WebError.malformedSettings(file.path)
        }
        try OwnFiles.check(file.path, in: folder.path)
        let bytes = try InputFile.read(file.path)
        guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)) else {
            throw WebError.malformedSettings(file.path)
        }
        return contents
    }

    /// - Throws: `FileError`.
    func write(_ contents: Contents) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(contents), as: UTF8.self) + "\n"
        try OutputFile.write(text, to: file.path, mode: 0o600)
    }
}
