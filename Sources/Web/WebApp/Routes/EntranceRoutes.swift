// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import HTTPTypes
import Hummingbird

/// Exchanges the token of the redirecting file for the session of the browser, and makes such files.
struct EntranceRoutes: Sendable {
    let access: BrowserAccess
    let origin: WebOrigin
    let folder: PrivateFolder
    let running: RunningServer
    let pages: Pages

    /// Makes the redirecting file, in the place of an earlier one.
    ///
    /// - Throws: `FileError`.
    func makeFile() throws -> LaunchFile {
        try LaunchFile(in: folder.path, to: origin, token: access.issueToken())
    }

    func add(to router: Router<WebContext>) {
        router.post(RouterPath(RequestGuard.entrance)) { _, context in
            guard let session = access.exchange(context.form["token"] ?? "") else { throw WebError.tokenUsed }
            LaunchFile.remove(in: folder.path)
            // A redirect would go on as a request of the file, to which the browser sends no strict cookie.
            var response = pages.page("entered", [String: String]())
            response.headers[.setCookie] = origin.cookie(session.cookie)
            return response
        }
        router.post(RouterPath(RunningServer.path)) { request, _ in
            guard running.isAsked(by: request.head) else { throw WebError.notSignedIn }
            _ = try makeFile()
            return Response(status: .noContent)
        }
    }
}
