// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import HTTPTypes
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The web application of this user that runs, as another start of the program finds it.
///
/// The other start asks it to let a browser in anew. The key for that is in a file that only this user reads.
package struct RunningServer: Codable, Sendable {
    let port: Int
    let key: String

    private static func file(_ environment: [String: String]) -> String {
        ConfigurationFolder.url(environment).appending(path: "web-running.json").path
    }

    /// - Throws: `FileError`.
    func write(_ environment: [String: String]) throws {
        try FileManager.default.createDirectory(
            at: ConfigurationFolder.url(environment), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let text = String(decoding: try JSONEncoder().encode(self), as: UTF8.self) + "\n"
        try OutputFile.write(text, to: Self.file(environment), mode: 0o600)
    }

    /// Removes the file of this server, and no other one's.
    func remove(_ environment: [String: String]) {
        guard Self.read(environment)?.key == key else { return }
        try? FileManager.default.removeItem(atPath: Self.file(environment))
    }

    private static func read(_ environment: [String: String]) -> RunningServer? {
        let file = file(environment)
        guard let bytes = try? InputFile.read(file) else { return nil }
        return try? JSONDecoder().decode(RunningServer.self, from: Data(bytes))
    }

    /// Where a running server is asked, and the field with the key.
    static let path = "/reopen"
    /// In bytes.
    private static let longestAnswer = 4_096

    /// Whether a request brings the key.
    func isAsked(by request: HTTPRequest) -> Bool {
        Secret(request.headerFields[.authorization] ?? "") == Secret("Bearer \(key)")
    }

    /// Asks the server that runs for a new file that opens the browser.
    ///
    /// - Parameters:
    ///   - port: The port of the command line; `nil` for that of the user.
    ///   - environment: Its variables name the configuration folder.
    /// - Returns: Where the pages are and the path of the file; `nil` where none runs at the port.
    package static func reopen(
        port: Int?, environment: [String: String]
    ) async -> (url: String, file: String)? {
        guard let running = read(environment), port == nil || port == running.port,
            let origin = try? WebOrigin(loopbackPort: running.port)
        else { return nil }
        let session = Session()
        defer { Task { await session.close() } }
        var request = Request.post(origin.description + path)
        request.headerFields[.authorization] = "Bearer \(running.key)"
        guard let response = try? await session.send(request), response.status == .ok,
            let file = try? await response.text(upTo: longestAnswer), file.hasPrefix("/")
        else { return nil }
        return (origin.description, file)
    }
}
