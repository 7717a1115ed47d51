// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import EssentialFoundation
import HTTPTypes
import Secrets

/// The web application of this user that runs at a port, as another start of the program finds it.
///
/// The other start asks it to let a browser in anew. The key for that is in a file that only this user reads.
struct RunningServer: Codable, Sendable {
    let port: Int
    let key: String
    /// Where the redirecting file is.
    let folder: String

    private static func file(_ port: Int, _ environment: [String: String]) -> String {
        ConfigurationFolder.url(environment).appending(path: "web-running-\(port).json").path
    }

    /// - Throws: `FileError`.
    func write(_ environment: [String: String]) throws {
        try FileManager.default.createDirectory(
            at: ConfigurationFolder.url(environment), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let text = String(decoding: try JSONEncoder().encode(self), as: UTF8.self) + "\n"
        try OutputFile.write(text, to: Self.file(port, environment), mode: 0o600)
    }

    /// Removes the file of this server, and no other one's.
    func remove(_ environment: [String: String]) {
        guard Self.read(port, environment)?.key == key else { return }
        try? FileManager.default.removeItem(atPath: Self.file(port, environment))
    }

    private static func read(_ port: Int, _ environment: [String: String]) -> RunningServer? {
        let file = file(port, environment)
        guard let bytes = try? InputFile.read(file) else { return nil }
        return try? JSONDecoder().decode(RunningServer.self, from: Data(bytes))
    }

    /// Where a running server is asked.
    static let path = "/reopen"

    /// Whether a request brings the key.
    func isAsked(by request: HTTPRequest) -> Bool {
        Secret(request.headerFields[.authorization] ?? "") == Secret("Bearer \(key)")
    }

    /// Asks the server that runs at a port for a new file that opens the browser.
    ///
    /// Another program may have the port since. So nothing that the answer says is used, and only a file of this user is opened.
    ///
    /// - Parameters:
    ///   - port: Where it was started.
    ///   - environment: Its variables name the configuration folder.
    /// - Returns: Where the pages are and the path of the file; `nil` where none runs at the port.
    static func reopen(port: Int, environment: [String: String]) async -> (url: String, file: String)? {
        guard let running = read(port, environment), let origin = try? WebOrigin(loopbackPort: port) else { return nil }
        let file = LaunchFile.path(in: running.folder)
        let session = Session()
        var request = Request.post(origin.description + path)
        request.headerFields[.authorization] = "Bearer \(running.key)"
        let response = try? await session.send(request)
        await session.close()
        guard response?.status == .noContent, FileManager.default.fileExists(atPath: file),
            (try? OwnFiles.check(file, in: running.folder)) != nil
        else { return nil }
        return (origin.description, file)
    }
}

/// A file that only this user can read, and that takes the browser to the server with a token.
///
/// A URL with the token would stand in the process list and in the browser's history.
package struct LaunchFile: Sendable {
    package let path: String

    /// Writes the file.
    ///
    /// - Throws: `FileError`.
    init(in folder: String, to origin: WebOrigin, token: String) throws {
        path = Self.path(in: folder)
        // The token and the origin have no character that HTML gives a meaning to.
        let page = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
            <title>Countersign</title></head><body>
            <form method="post" action="\(origin)\(RequestGuard.entrance)">
            <input type="hidden" name="token" value="\(token)"><button>Open Countersign</button></form>
            <script>document.forms[0].submit()</script></body></html>

            """
        try OutputFile.write(page, to: path, mode: 0o600)
    }

    /// Removes the file of a folder, whose token is of no use any more.
    static func remove(in folder: String) { try? FileManager.default.removeItem(atPath: path(in: folder)) }

    static func path(in folder: String) -> String { folder + "/open-countersign.html" }
}
