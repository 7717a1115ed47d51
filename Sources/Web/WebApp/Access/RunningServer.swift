// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import EssentialFoundation
import HTTPTypes
import Secrets

/// The running web application of this user at a port, as another instance of the program finds it.
///
/// The other instance asks it to open the browser again. The key for that request is in a file that only this user
/// can read.
struct RunningServer: Codable, Sendable {
    let port: Int
    let key: String
    /// The folder of the redirecting file.
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

    /// Removes the file of this server, but not that of another one.
    func remove(_ environment: [String: String]) {
        guard Self.read(port, environment)?.key == key else { return }
        try? FileManager.default.removeItem(atPath: Self.file(port, environment))
    }

    private static func read(_ port: Int, _ environment: [String: String]) -> RunningServer? {
        let file = file(port, environment)
        guard let bytes = try? InputFile.read(file) else { return nil }
        return try? JSONDecoder().decode(RunningServer.self, from: Data(bytes))
    }

    /// The path to which the request to a running server is sent.
    static let path = "/reopen"

    /// Returns whether a request contains the key.
    func isAuthorized(by request: HTTPRequest) -> Bool {
        Secret(request.headerFields[.authorization] ?? "") == Secret("Bearer \(key)")
    }

    /// Asks the server at a port for a new file that opens the browser.
    ///
    /// Another program may use the port now. Therefore nothing in the response is used,
    /// and only a file of this user is opened.
    ///
    /// - Parameters:
    ///   - port: The port on which the server was started.
    ///   - environment: The environment variables, which name the configuration folder.
    /// - Returns: The URL of the pages and the path of the file, or `nil` if no server runs at the port.
    static func reopen(port: Int, environment: [String: String]) async -> (url: String, file: String)? {
        guard let running = read(port, environment), let origin = try? WebOrigin(loopbackPort: port) else { return nil }
        let file = LaunchFile.path(in: running.folder)
        let session = HTTPSession()
        var request = SessionRequest.post(origin.description + path)
        request.headerFields[.authorization] = "Bearer \(running.key)"
        let response = try? await session.send(request)
        await session.close()
        guard response?.status == .noContent, FileManager.default.fileExists(atPath: file),
            (try? FilePermissions.check(file, in: running.folder)) != nil
        else { return nil }
        return (origin.description, file)
    }
}

/// A file that only this user can read, and that redirects the browser to the server with a token.
///
/// A URL with the token would appear in the process list and in the browser's history.
package struct LaunchFile: Sendable {
    package let path: String

    /// Writes the file.
    ///
    /// - Throws: `FileError`.
    init(in folder: String, to origin: WebOrigin, token: String) throws {
        path = Self.path(in: folder)
        // The token and the origin contain no characters that are special in HTML.
        let page = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
            <title>Countersign</title></head><body>
            <form method="post" action="\(origin)\(RequestGuard.launch)">
            <input type="hidden" name="token" value="\(token)"><button>Open Countersign</button></form>
            <script>document.forms[0].submit()</script></body></html>

            """
        try OutputFile.write(page, to: path, mode: 0o600)
    }

    /// Removes the file of a folder, whose token is no longer valid.
    static func remove(in folder: String) { try? FileManager.default.removeItem(atPath: path(in: folder)) }

    static func path(in folder: String) -> String { folder + "/open-countersign.html" }
}
