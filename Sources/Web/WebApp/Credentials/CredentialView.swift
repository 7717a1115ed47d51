// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import CommandSupport
import ErrorExplanations
import EssentialFoundation
import Keychains

/// The view of a keychain item on the page, without its secret.
struct CredentialView {
    /// The kind, by which the list can be filtered.
    enum Kind: String, CaseIterable {
        case identity
        case anchor
        case pin
        case distrusted
        case password

        var word: String {
            switch self {
            case .identity: "Identity"
            case .anchor: "Anchor"
            case .pin: "Pin"
            case .distrusted: "Distrusted"
            case .password: "Password"
            }
        }

        var plural: String {
            switch self {
            case .identity: "Identities"
            case .anchor: "Anchors"
            case .pin: "Pins"
            case .distrusted: "Distrusted"
            case .password: "Passwords"
            }
        }
    }

    /// The number of days before its expiry from which a credential is marked.
    private static let warningDays = 30.0

    let id: Int64
    let kind: Kind
    let kindWord: String
    let title: String
    /// The server, the hosts or the issuer.
    let place: String
    /// The end of a certificate's validity, as text; `nil` for a password.
    let validity: String?
    /// A short warning; `nil` if there is none.
    let mark: String?
    /// The tone of the warning, `bad` or `warning`.
    let tone: String
    let fingerprint: String?
    let label: String?
    let comment: String?
    let added: String

    /// Creates the view, or `nil` for a note, which is not a credential.
    init?(_ item: KeychainItem, at now: Date) {
        var facts: KeychainItem.CertificateFacts?
        switch item.kind {
        case .note: return nil
        case .genericPassword(let service, let account):
            (kind, title, place) = (.password, Self.user(account), service.printable)
        case .internetPassword(let space, let user):
            (kind, title) = (.password, user.map { Self.user($0) } ?? "Token")
            place = (space.role == .proxy ? "The proxy " : "") + "\(space.host):\(space.port)"
        case .identity(let certificate, let hosts):
            (kind, facts) = (.identity, certificate)
            (title, place) = (Self.shortName(certificate.subject), Self.place(certificate, hosts))
        case .certificate(let certificate, let setting, let hosts):
            kind =
                switch setting {
                case .anchor: .anchor
                case .pin: .pin
                case .distrusted: .distrusted
                }
            facts = certificate
            (title, place) = (Self.shortName(certificate.subject), Self.place(certificate, hosts))
        }
        (id, kindWord, label) = (item.id.number, kind.word, item.label.isEmpty ? nil : item.label.printable)
        comment = item.comment.isEmpty ? nil : item.comment
        added = CertificateText.day(item.created)
        fingerprint = facts?.fingerprint
        validity = facts.map { Self.validity($0.notAfter, at: now) }
        (mark, tone) = Self.mark(facts?.notAfter, isRejected: item.isRejected, at: now)
    }

    private static func user(_ name: String) -> String { name.isEmpty ? "(no user)" : name.printable }

    /// Returns whether a text occurs in the displayed properties, ignoring case.
    func contains(_ text: String) -> Bool {
        let text = text.lowercased()
        return [title, place, label ?? "", kindWord, fingerprint ?? ""].contains { $0.lowercased().contains(text) }
    }

    private static func validity(_ end: Date, at now: Date) -> String {
        let day = CertificateText.day(end)
        guard end >= now else { return "Expired on \(day)" }
        let days = Int(end.timeIntervalSince(now) / 86_400)
        guard Double(days) < warningDays else { return "Valid until \(day)" }
        return "Expires " + (days == 0 ? "today" : "in \(days) \(days == 1 ? "day" : "days")") + ", on \(day)"
    }

    private static func mark(_ end: Date?, isRejected: Bool, at now: Date) -> (String?, String) {
        if isRejected { return ("Rejected by the server", "bad") }
        guard let end else { return (nil, "") }
        if end < now { return ("Expired", "bad") }
        return end.timeIntervalSince(now) < warningDays * 86_400 ? ("Expires soon", "warning") : (nil, "")
    }

    private static func place(_ certificate: KeychainItem.CertificateFacts, _ hosts: [String]) -> String {
        if !hosts.isEmpty { return "for " + hosts.joined(separator: ", ").printable }
        if certificate.issuer == certificate.subject { return "issued by itself" }
        return "issued by " + shortName(certificate.issuer)
    }

    /// Returns the common name of a distinguished name (RFC 4514), or the complete name if it has none.
    private static func shortName(_ name: String) -> String {
        guard let start = name.firstRange(of: "CN=")?.upperBound else {
            return name.isEmpty ? "(no subject)" : name.printable
        }
        let rest = name[start...]
        guard !rest.contains("\\") else { return name.printable }
        return String(rest.prefix { $0 != "," && $0 != "+" }).printable
    }
}
