// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import EssentialFoundation
import Hummingbird
import Keychains
import Secrets

/// The routes that add the contents of a file or URL to the keychain after the user has compared the fingerprints.
struct PendingImportRoutes: Sendable {
    let gate: KeychainGate
    let pages: Pages

    private var fetcher: Fetcher { gate.fetcher }
    private var keychain: WebKeychain { gate.keychain }

    func add(to router: Router<WebContext>) {
        let all = router.group("/credentials")
        all.post("add", gate) { _, context in try await read(context.form) }
        all.post("fetch", gate) { _, context in try await fetch(context.form) }
        all.get("addition/:name", gate) { _, context in try await confirmation(context) }
        all.post("addition/:name", gate, confirm)
    }

    private struct PendingImportPage {
        let frame: Pages.Frame
        let pendingImport: PendingImport
        let hasCertificates: Bool
    }

    private func read(_ form: WebForm) async throws -> Response {
        guard let bytes = form.bytes("file") else { throw CredentialsError.noFile }
        return await wait(for: try PendingImport(bytes, passphrase: form.secret("passphrase"), from: "the file"))
    }

    private func fetch(_ form: WebForm) async throws -> Response {
        let url = form["url"] ?? ""
        guard CertificateImport.isURL(url) else { throw CredentialsError.noURL }
        let bytes = try await fetcher.certificates(at: url)
        return await wait(
            for: try PendingImport(bytes, passphrase: form.secret("passphrase"), from: url.droppingUserInfo))
    }

    /// Stores an import until it is confirmed, and discards an earlier one.
    private func wait(for pendingImport: PendingImport) async -> Response {
        await keychain.wait(for: pendingImport)
        return .redirect(to: "/credentials/addition/\(pendingImport.name)")
    }

    private func confirmation(_ context: WebContext) async throws -> Response {
        let pendingImport = try await keychain.pendingImport(named: context.parameters.get("name"))
        return pages.page(
            "pending-import",
            PendingImportPage(
                frame: await gate.frame("Add to the keychain", in: .credentials, context), pendingImport: pendingImport,
                hasCertificates: pendingImport.entries.contains { !$0.isIdentity }))
    }

    /// Adds the displayed contents: they are neither read nor fetched again, and the form contains their fingerprints.
    private func confirm(_ keychain: UnlockedKeychain, _ context: WebContext) async throws -> Response {
        let pendingImport = try await self.keychain.takePendingImport(
            named: context.parameters.get("name"), confirming: context.form["fingerprints"])
        let setting = context.form["trust"].flatMap(TrustSettings.Setting.init)
        let changes = try await keychain.store(try pendingImport.items(setting))
        let effects = Set(changes.map(\.effect))
        return CredentialRoutes.list(
            effects.contains(.added) ? "added" : effects.contains(.changed) ? "changed" : "known")
    }
}
