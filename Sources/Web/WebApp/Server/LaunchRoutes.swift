// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations
import HTTPTypes
import Hummingbird
import Secrets

/// The routes that exchange the token of the redirecting file for a session, and create such files.
struct LaunchRoutes: Sendable {
    let access: BrowserAccess
    let origin: WebOrigin
    let folder: PrivateFolder
    let running: RunningServer
    let pages: Pages

    /// Creates the redirecting file, which replaces an earlier one.
    ///
    /// - Throws: `FileError`.
    func makeFile() throws -> LaunchFile {
        try LaunchFile(in: folder.path, to: origin, token: access.issueToken())
    }

    func add(to router: Router<WebContext>) {
        router.post(RouterPath(RequestGuard.launch)) { _, context in
            guard let session = access.exchange(context.form["token"] ?? "") else { throw WebError.tokenUsed }
            LaunchFile.remove(in: folder.path)
            // After a redirect, the file would still count as the source of the request, so that the browser would
            // not send the strict cookie.
            var response = pages.page("entered", [String: String]())
            response.headers[.setCookie] = origin.cookie(session.cookie)
            return response
        }
        router.post(RouterPath(RunningServer.path)) { request, _ in
            guard running.isAuthorized(by: request.head) else { throw WebError.notSignedIn }
            _ = try makeFile()
            return Response(status: .noContent)
        }
    }
}

/// The routes through which a browser signs in with the passphrase.
struct SignInRoutes: Sendable {
    let access: BrowserAccess
    let origin: WebOrigin
    let passphrase: Secret
    let keychain: WebKeychain
    let pages: Pages
    private let limit = GuessLimit()

    init(
        access: BrowserAccess, origin: WebOrigin, passphrase: Secret, keychain: WebKeychain, pages: Pages
    ) {
        (self.access, self.origin, self.passphrase) = (access, origin, passphrase)
        (self.keychain, self.pages) = (keychain, pages)
    }

    private struct SignInPage {
        let problem: ErrorExplanation?
        let isInvalid: Bool
    }

    func add(to router: Router<WebContext>) {
        router.get(RouterPath(RequestGuard.signIn)) { _, context in
            context.session == nil ? page(nil) : Response.redirect(to: "/fetch")
        }
        router.post(RouterPath(RequestGuard.signIn)) { _, context in try await signIn(context) }
        router.post("/sign-out") { _, _ in
            access.endSession()
            try await keychain.lock()
            return Response.redirect(to: RequestGuard.signIn)
        }
    }

    private func signIn(_ context: WebContext) async throws -> Response {
        do throws(WebError) {
            try limit.recordGuess(from: context.peer)
            guard Secret(context.form["passphrase"] ?? "") == passphrase else { throw .wrongPassphrase }
            limit.recordSuccess(from: context.peer)
        } catch {
            return page(error)
        }
        // The new session must not use a keychain that the previous browser unlocked.
        try await keychain.lock()
        let session = access.beginSession(isByPassphrase: true)
        var response = Response.redirect(to: "/fetch")
        response.headers[.setCookie] = origin.cookie(session.cookie)
        return response
    }

    private func page(_ error: WebError?) -> Response {
        pages.page(
            "sign-in", SignInPage(problem: error?.explanation, isInvalid: error != nil), status: error?.status ?? .ok)
    }
}
