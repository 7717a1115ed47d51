// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Hummingbird
import Keychain
import Secrets

/// Lets the pages of credentials in while the keychain is unlocked, and makes, unlocks and locks it.
struct KeychainGate: Sendable {
    let fetcher: Fetcher
    let keychain: WebKeychain
    let pages: Pages

    func add(to router: Router<WebContext>) {
        let group = router.group("/credentials")
        group.post("make") { _, context in try await make(context) }
        group.post("unlock") { _, context in try await unlock(context) }
        group.post("lock") { _, _ in
            try await keychain.lock()
            return CredentialRoutes.list()
        }
    }

    func frame(_ title: String, _ context: WebContext) async -> Pages.Frame {
        Pages.Frame(title, in: .credentials, for: context.session, await fetcher.settings)
    }

    private struct UnlockPage {
        let frame: Pages.Frame
        /// Whether there is no keychain yet.
        let isMissing: Bool
        let path: String
        let flaw: ErrorExplanation?
    }

    /// Runs a closure with the unlocked keychain; where it is locked, nothing but a form for unlocking is shown.
    func opened(
        _ context: WebContext, _ body: (UnlockedKeychain) async throws -> Response
    ) async throws -> Response {
        switch try await keychain.state {
        case .open(let keychain): return try await body(keychain)
        case .locked: return await unlockPage(isMissing: false, nil, context)
        case .missing: return await unlockPage(isMissing: true, nil, context)
        }
    }

    private func unlockPage(isMissing: Bool, _ flaw: ErrorExplanation?, _ context: WebContext) async -> Response {
        pages.page(
            "unlock",
            UnlockPage(
                frame: await frame("Credentials", context), isMissing: isMissing, path: keychain.path.printable,
                flaw: flaw), status: flaw == nil ? .ok : .forbidden)
    }

    private func unlock(_ context: WebContext) async throws -> Response {
        do {
            try await keychain.unlock(Secret(context.form["passphrase"] ?? ""))
            return CredentialRoutes.list()
        } catch let error as KeychainError {
            return await unlockPage(isMissing: false, error.explanation, context)
        }
    }

    private func make(_ context: WebContext) async throws -> Response {
        let passphrase = Secret(context.form["passphrase"] ?? "")
        let flaw: CredentialsError? =
            passphrase.isEmpty
            ? .emptyPassphrase
            : passphrase == Secret(context.form["again"] ?? "") ? nil : .differentPassphrases
        if let flaw { return await unlockPage(isMissing: true, flaw.explanation, context) }
        try await keychain.create(passphrase)
        return CredentialRoutes.list("made")
    }
}
