// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ArgumentParser
public import CertificateTrust
import Challenges
import CommandSupport
import ErrorExplanations
import EssentialFoundation
public import Keychains
import Secrets

/// An item as JSON and as text, without its secret unless that is requested.
struct ItemReport: Encodable {
    struct Attachment: Encodable {
        let name: String
        let mediaType: String
        let bytes: Int
    }

    let id: Int64
    let itemClass: String
    /// The effect of a command that stores the item: `added`, `changed` or `equal`; `nil` for other commands.
    private(set) var effect: String?
    let label: String
    let comment: String
    let created: Date
    let modified: Date
    let accessibility: String
    let isThisDeviceOnly: Bool
    private(set) var service: String?
    private(set) var account: String?
    private(set) var url: String?
    private(set) var realm: String?
    private(set) var method: String?
    private(set) var isProxy: Bool?
    private(set) var isRejected: Bool?
    private(set) var trust: String?
    private(set) var hosts: [String]?
    private(set) var subject: String?
    private(set) var issuer: String?
    private(set) var fingerprint: String?
    private(set) var notAfter: Date?
    /// A password, or the text of a note.
    private(set) var secret: String?
    private(set) var attachments: [Attachment]?

    private enum CodingKeys: String, CodingKey {
        case id
        case itemClass = "class"
        case effect, label, comment, created, modified, accessibility, isThisDeviceOnly, service, account, url, realm,
            method
        case isProxy, isRejected, trust, hosts, subject, issuer, fingerprint, notAfter, secret, attachments
    }

    init(_ item: KeychainItem, _ effect: ItemChange.Effect) {
        self.init(item)
        self.effect = effect.name
    }

    init(_ item: KeychainItem) {
        (id, itemClass, label, comment) = (item.id.number, item.kind.itemClass.name, item.label, item.comment)
        (created, modified) = (item.created, item.modified)
        accessibility = item.accessibility.availability.name
        isThisDeviceOnly = item.accessibility.isThisDeviceOnly
        switch item.kind {
        case .genericPassword(let service, let account): (self.service, self.account) = (service, account)
        case .internetPassword(let space, let user):
            account = user
            url = space.url
            (realm, isProxy, isRejected) = (space.realm, space.role == .proxy, item.isRejected)
            method = space.method == .any ? nil : space.method.description
        case .certificate(let facts, let setting, let hosts):
            take(facts)
            (trust, self.hosts) = (setting.rawValue, hosts)
        case .identity(let facts, let hosts):
            take(facts)
            self.hosts = hosts
        case .note: break
        }
    }

    private mutating func take(_ facts: KeychainItem.CertificateFacts) {
        (subject, issuer, fingerprint, notAfter) = (facts.subject, facts.issuer, facts.fingerprint, facts.notAfter)
    }

    /// Adds a password or the text of a note if it is to be shown, and the attachments.
    mutating func take(_ secret: ItemSecret, reveals: Bool) {
        if reveals, let text = secret.text {
            self.secret = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        guard case .note(_, let attachments) = secret else { return }
        self.attachments = attachments.map { Attachment(name: $0.name, mediaType: $0.mediaType, bytes: $0.size) }
    }

    /// A short text that distinguishes the item from others.
    var place: String { url ?? service ?? subject ?? "" }

    var lines: [String] {
        let hostNames = (hosts ?? []).joined(separator: ", ")
        let rows: [(String, String?)] = [
            ("Item", "\(id), \(itemClass)"), ("Label", label), ("Service", service), ("URL", url), ("Realm", realm),
            ("Method", method), ("Account", account), ("Subject", subject), ("Issuer", issuer),
            ("Fingerprint", fingerprint.map { "\($0) (SHA-256)" }),
            ("Expires", notAfter.map { $0.formatted(.iso8601) }), ("Trust", trust), ("Hosts", hostNames),
            ("Comment", comment), ("Created", created.formatted(.iso8601)),
            ("Changed", modified.formatted(.iso8601)),
            ("Readable", accessibility + (isThisDeviceOnly ? ", on this device only" : "")),
            ("Rejected", isRejected == true ? "by the server; it is not offered until it is changed" : nil),
        ]
        var lines = rows.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : (name + ":").column(13) + $0.printable }
        }
        for attachment in attachments ?? [] {
            let type = attachment.mediaType.isEmpty ? "" : ", \(attachment.mediaType)"
            lines.append("Attachment:  " + "\(attachment.name), \(attachment.bytes) bytes\(type)".printable)
        }
        return lines
    }
}

extension ItemSecret {
    /// A password, or the text of a note.
    var text: Secret? {
        switch self {
        case .password(let password): password
        case .note(let text, _): text
        default: nil
        }
    }
}

// The words for kinds, effects and findings of items, as printed and in JSON.

extension KeychainItem.Class: ExpressibleByArgument {
    /// Reads a name.
    public init?(argument: String) {
        guard let named = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = named
    }

    /// The names.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    var name: String { self == .genericPassword ? "password" : words }
}

extension ItemChange.Effect {
    var name: String {
        switch self {
        case .added: "added"
        case .changed: "changed"
        case .equal: "equal"
        case .retained: "retained"
        case .superseded: "superseded"
        }
    }
}

extension TrustSettings.Setting: ExpressibleByArgument {}

extension KeychainItem.Accessibility.Availability: ExpressibleByArgument {
    /// Reads a name.
    public init?(argument: String) {
        guard let named = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = named
    }

    /// The names.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    var name: String {
        switch self {
        case .whenUnlocked: "when-unlocked"
        case .afterFirstUnlock: "after-first-unlock"
        }
    }
}

extension ProtectionSpace {
    /// The URL, such as `https://intranet.example:8443`.
    var url: String {
        let name = host.description.contains(":") ? "[\(host)]" : "\(host)"
        let usual = ["http": 80, "https": 443][scheme]
        return "\(scheme)://\(name)" + (port == usual ? "" : ":\(port)")
    }
}
