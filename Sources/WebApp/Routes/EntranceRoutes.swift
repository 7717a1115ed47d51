// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Hummingbird

/// Exchanges the token of the redirecting file for the session of the browser.
struct EntranceRoutes: Sendable {
    let access: BrowserAccess
    let origin: WebOrigin
    let pages: Pages
    /// Told when the token was used.
    let onEntry: @Sendable () -> Void

    func add(to router: Router<WebContext>) {
        router.post(RouterPath(RequestGuard.entrance)) { _, context in
            guard let session = access.exchange(context.form["token"] ?? "") else { throw WebError.tokenUsed }
            onEntry()
            // A redirect would go on as a request of the file, to which the browser sends no strict cookie.
            var response = pages.page("entered", [String: String]())
            response.headers[.setCookie] =
                "\(origin.cookieName)=\(session.cookie); Path=/; HttpOnly; SameSite=Strict"
            return response
        }
    }
}
