// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import Hummingbird
import Identities
import Keychains

/// The settings page.
struct SettingsRoutes: Sendable {
    let fetcher: Fetcher
    let keychain: WebKeychain
    let pages: Pages

    /// A choice on the page.
    struct Choice {
        let name: String
        let value: String
        let label: String
        let help: String?
        let isChosen: Bool
    }

    private struct SettingsPage {
        let frame: Pages.Frame
        let credentials: [Choice]
        let history: [Choice]
        let trust: [Choice]
        let showsEvents: Bool
        let idle: [Choice]
        /// The subject of the identity that is presented without a question.
        let identity: String?
        /// The identities of the keychain to choose from.
        let stored: [StoredIdentity]
        let isSaved: Bool
    }

    func add(to router: Router<WebContext>) {
        router.get("/settings") { request, context in
            await page(context, isSaved: request.uri.queryParameters["saved"] != nil)
        }
        router.post("/settings") { _, context in
            let form = context.form
            var settings = await fetcher.settings
            settings.credentials = form["credentials"].flatMap(WebSettings.Persistence.init) ?? settings.credentials
            settings.history = form["history"].flatMap(WebSettings.Persistence.init) ?? settings.history
            settings.trust = form["trust"].flatMap(WebSettings.Trust.init) ?? settings.trust
            settings.idleMinutes =
                form["idle"].flatMap { Int($0) }.flatMap { WebSettings.idleMinuteChoices.contains($0) ? $0 : nil }
                ?? settings.idleMinutes
            settings.showsEvents = form["events"] != nil
            try await fetcher.change(to: settings)
            return Self.saved
        }
        router.post("/settings/identity") { _, context in
            await fetcher.setEarlyIdentity(try await identity(context.form))
            return Self.saved
        }
        router.post("/settings/identity/remove") { _, _ in
            await fetcher.setEarlyIdentity(nil)
            return Self.saved
        }
        router.post("/settings/forget") { _, _ in
            await fetcher.forgetCredentials()
            return Self.saved
        }
    }

    /// Returns an identity from the keychain or from a file.
    private func identity(_ form: WebForm) async throws -> Identity {
        guard let id = form["kept"].flatMap({ Int64($0) }) else { return try IdentityForm.identity(form) }
        guard let stored = try await keychain.identities() else { throw KeychainError.unlockNeeded }
        guard let one = stored.first(where: { $0.id == id }) else { throw CredentialsError.noItem }
        return one.identity
    }

    private static var saved: Response { .redirect(to: "/settings?saved") }

    private func page(_ context: WebContext, isSaved: Bool) async -> Response {
        let settings = await fetcher.settings
        var frame = Pages.Frame("Settings", in: .settings, for: context.session, settings)
        let stored = (try? await keychain.identities()) ?? []
        // A page that shows identities of the keychain is locked together with it.
        if !stored.isEmpty { frame.unlocked = .init(section: .credentials, idleLimit: settings.idleLimit) }
        return pages.page(
            "settings",
            SettingsPage(
                frame: frame, credentials: Self.credentials(settings), history: Self.history(settings),
                trust: Self.trust(settings), showsEvents: settings.showsEvents, idle: Self.idle(settings),
                identity: await fetcher.earlyIdentity.map { CertificateSummary($0.certificate).shortName },
                stored: stored, isSaved: isSaved))
    }

    private static func credentials(_ settings: WebSettings) -> [Choice] {
        let help: [WebSettings.Persistence: String] = [
            .none: "Each request asks again.",
            .session: "Kept in memory until the program ends.",
            .permanent:
                "Passwords that a server accepted go into the keychain, while it is unlocked on the page of credentials.",
        ]
        return choices("credentials", settings.credentials, help)
    }

    private static func history(_ settings: WebSettings) -> [Choice] {
        let help: [WebSettings.Persistence: String] = [
            .none: "No URL is kept.", .session: "Kept in memory until the program ends.",
            .permanent: "Kept in the configuration folder, without URLs that hold a secret.",
        ]
        return choices("history", settings.history, help)
    }

    private static func choices(
        _ name: String, _ chosen: WebSettings.Persistence, _ help: [WebSettings.Persistence: String]
    ) -> [Choice] {
        WebSettings.Persistence.allCases.map {
            Choice(name: name, value: $0.rawValue, label: $0.label, help: help[$0] ?? "", isChosen: $0 == chosen)
        }
    }

    private static func idle(_ settings: WebSettings) -> [Choice] {
        WebSettings.idleMinuteChoices.map { minutes in
            Choice(
                name: "idle", value: String(minutes), label: minutes == 1 ? "1 minute" : "\(minutes) minutes",
                help: nil,
                isChosen: settings.idleLimit == .seconds(60 * minutes))
        }
    }

    private static func trust(_ settings: WebSettings) -> [Choice] {
        let words: [WebSettings.Trust: (String, String)] = [
            .default: ("Default", "The anchors of the operating system."),
            .imported: (
                "Imported",
                "Also the anchors that 'countersign trust import' added, and the keychain's anchors, pins and distrusted certificates. While the keychain is locked, a fetch asks you to unlock it first."
            ),
            .disabled: (
                "Disabled",
                "Any certificate for any host is accepted: anyone on the network path can read and change everything. It ends with the program."
            ),
        ]
        return WebSettings.Trust.allCases.map {
            Choice(
                name: "trust", value: $0.rawValue, label: words[$0]?.0 ?? "", help: words[$0]?.1 ?? "",
                isChosen: settings.trust == $0)
        }
    }
}

extension WebSettings.Persistence {
    fileprivate var label: String {
        switch self {
        case .none: "None"
        case .session: "Session"
        case .permanent: "Permanent"
        }
    }
}
