// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import Hummingbird
import Keychains
import Secrets

/// The changes of a credential's form.
struct CredentialEdit: Sendable {
    private let label: String
    private let comment: String
    /// The hosts to which a certificate applies, or an identity may be presented; empty for all.
    private let hosts: [String]
    private let trust: TrustSettings.Setting?
    private let user: String
    /// The new password; `nil` to leave it unchanged.
    private let password: Secret?

    /// - Throws: ``CredentialsError/malformedHost(_:)``.
    init(_ form: WebForm) throws(CredentialsError) {
        label = (form["label"] ?? "").trimmed
        comment = (form["comment"] ?? "").trimmed
        var hosts: [String] = []
        for host in (form["hosts"] ?? "").split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
            guard let name = try? HostName(String(host)) else { throw .malformedHost(String(host)) }
            hosts.append(name.description)
        }
        self.hosts = hosts
        trust = form["trust"].flatMap(TrustSettings.Setting.init)
        user = form["user"] ?? ""
        password = form.secret("password")
    }

    /// Returns the item that replaces another; the form has the fields of the item's kind.
    ///
    /// - Throws: `KeychainError`, ``CredentialsError/noItem`` for a note.
    func changed(_ item: KeychainItem, _ secret: ItemSecret) throws -> NewItem {
        switch (item.kind, secret) {
        case (.genericPassword(let service, _), .password(let stored)):
            return .genericPassword(
                password ?? stored, service: service, account: user, label: label, comment: comment,
                accessibility: item.accessibility)
        case (.internetPassword(let space, let earlier), .password(let stored)):
            // A token has no user.
            let user = earlier == nil ? nil : user
            var new = NewItem.internetPassword(
                password ?? stored, user: user, space: space, label: label, comment: comment,
                accessibility: item.accessibility)
            new.isRejected = item.isRejected && password == nil && user == earlier
            return new
        case (.certificate(_, let setting, _), .certificate(let certificate)):
            return try .certificate(certificate, trust: trust ?? setting, hosts: hosts, label: label, comment: comment)
        case (.identity, .identity(let identity)):
            return try .identity(
                identity, hosts: hosts, label: label, comment: comment, accessibility: item.accessibility)
        default: throw CredentialsError.noItem
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// The routes that change a credential's label, hosts, trust setting, user and password.
struct CredentialEditRoutes: Sendable {
    let gate: KeychainGate
    let pages: Pages

    private struct EditPage {
        struct Setting {
            let value: String
            let word: String
            let isChosen: Bool
        }

        let frame: Pages.Frame
        let credential: CredentialView
        let label: String
        let comment: String
        let hasHosts: Bool
        /// The hosts, one on each line.
        let hosts: String
        /// The trust settings of a certificate; empty for other items.
        let settings: [Setting]
        let hasSettings: Bool
        let isPassword: Bool
        /// Whether the credential has a user, unlike a token.
        let hasUser: Bool
        let user: String
        let problem: ErrorExplanation?
    }

    func add(to router: Router<WebContext>) {
        let place = router.group("/credentials/item/:item/edit")
        place.get("", gate) { try await page(of: try await $0.credential($1), nil, $1) }
        place.post("", gate) { keychain, context in
            let (item, view) = try await keychain.credential(context)
            do {
                let edit = try CredentialEdit(context.form)
                try await keychain.edit(item.id) { try edit.changed($0.item, try $0.secret) }
                return .redirect(to: "/credentials/item/\(item.id.number)")
            } catch let error as CredentialsError {
                return try await page(of: (item, view), error.explanation, context)
            } catch KeychainError.itemExists(let other) {
                let error = KeychainError.itemExists(other)
                return try await page(of: (item, view), error.explanation, context)
            }
        }
    }

    private func page(
        of credential: (item: KeychainItem, view: CredentialView), _ problem: ErrorExplanation?, _ context: WebContext
    ) async throws -> Response {
        let (item, view) = credential
        var (hosts, user) = ([String]?.none, String?.none)
        var settings: [EditPage.Setting] = []
        let form = problem == nil ? nil : context.form
        switch item.kind {
        case .genericPassword(_, let account): user = account
        case .internetPassword(_, let account): user = account
        case .identity(_, let names): hosts = names
        case .certificate(_, let setting, let names):
            hosts = names
            let chosen = form?["trust"] ?? setting.rawValue
            let words: [(TrustSettings.Setting, String)] = [
                (.anchor, "Anchor: a chain may end at it"), (.pin, "Pin: a chain must have its key"),
                (.distrusted, "Distrusted: no chain may have it"),
            ]
            settings = words.map { EditPage.Setting(value: $0.rawValue, word: $1, isChosen: $0.rawValue == chosen) }
        case .note: throw CredentialsError.noItem
        }
        return pages.page(
            "credential-edit",
            EditPage(
                frame: await gate.frame("Edit a credential", in: .credentials, context), credential: view,
                label: form?["label"] ?? item.label, comment: form?["comment"] ?? item.comment,
                hasHosts: hosts != nil, hosts: form?["hosts"] ?? (hosts ?? []).joined(separator: "\n"),
                settings: settings, hasSettings: !settings.isEmpty, isPassword: view.kind == .password,
                hasUser: user != nil,
                user: form?["user"] ?? user ?? "", problem: problem),
            status: problem == nil ? .ok : .badRequest)
    }
}
