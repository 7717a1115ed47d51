// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Keychain
import Secrets

/// What the form of a credential says of it.
struct CredentialEdit: Sendable {
    private let label: String
    private let comment: String
    /// The hosts that a certificate counts for, or that get an identity; all where there are none.
    private let hosts: [String]
    private let trust: TrustSettings.Setting?
    private let user: String
    /// `nil` for the one that is kept.
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
        password = form["password"].flatMap { $0.isEmpty ? nil : Secret($0) }
    }

    /// What takes the place of an item; its form has fields for what an item of its kind has.
    ///
    /// - Throws: `KeychainError`, ``CredentialsError/noItem`` for a note.
    func changed(_ item: KeychainItem, _ secret: ItemSecret) throws -> NewItem {
        switch (item.kind, secret) {
        case (.genericPassword(let service, _), .password(let kept)):
            return .genericPassword(
                password ?? kept, service: service, account: user, label: label, comment: comment,
                accessibility: item.accessibility)
        case (.internetPassword(let space, let earlier), .password(let kept)):
            // A token has no user.
            let user = earlier == nil ? nil : user
            var new = NewItem.internetPassword(
                password ?? kept, user: user, space: space, label: label, comment: comment,
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
