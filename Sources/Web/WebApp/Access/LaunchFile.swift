// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
