// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSupport
import Keychains
import Secrets

/// `countersign keychain edit`.
struct EditCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an item; properties without an option stay.",
        discussion: """
            A new password is asked for with --ask-password, generated with --generate, or read.

            Example: countersign keychain edit intranet.example --ask-password
            """)

    @Argument(help: "The item's number, label, host, service or account.")
    var item: String

    @Option(help: "The account or user of a password or a login.")
    var account: String?

    @Flag(help: "Ask for the new password.")
    var askPassword = false

    @OptionGroup
    var password: PasswordOptions

    @Option(help: ArgumentHelp("A file with the note's new text, or - for standard input.", valueName: "file"))
    var textFile: String?

    @Option(
        help: ArgumentHelp(
            "A file to attach to the note, or to replace one of the same name; repeatable.", valueName: "file"))
    var attach: [String] = []

    @Option(help: ArgumentHelp("An attachment to remove from the note; repeatable.", valueName: "name"))
    var detach: [String] = []

    @Option(help: "The trust setting of the certificate.")
    var trust: TrustSettings.Setting?

    @Option(
        help: "A host for the certificate or the identity, which replaces the existing hosts; repeatable.",
        transform: HostArgument.read)
    var host: [String] = []

    @OptionGroup
    var changes: ItemOptions

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let old = try await keychain.item(called: item)
        try checkApplicableOptions(old)
        // Asks for input and reads files first, so that other programs do not have to wait for the keychain.
        let given = Given(
            password: try await newPassword(console), attachments: try Attachments.read(attach),
            text: try textFile.map { Secret(utf8: try InputFile.readArgument($0)) })
        let item = try await keychain.edit(old.id) { contents in
            try checkApplicableOptions(contents.item)
            return try changed(contents, given)
        }
        if json { try console.print(json: ItemReport(item)) } else { try console.print("Changed item \(item.id).") }
        return .done
    }

    private struct Given: Sendable {
        let password: Secret?
        let attachments: [NewItem.Attachment]
        let text: Secret?
    }

    /// Refuses options that do not apply to items of this class.
    private func checkApplicableOptions(_ item: KeychainItem) throws {
        let itemClass = item.kind.itemClass
        let isPassword = [.genericPassword, .internetPassword].contains(itemClass)
        let hasHosts = [.certificate, .identity].contains(itemClass)
        let foreign: [(Bool, String)] = [
            (!isPassword && (password.isGiven || askPassword), "password"), (!isPassword && account != nil, "account"),
            (itemClass != .note && textFile != nil, "text"),
            (itemClass != .note && !(attach + detach).isEmpty, "attachments"),
            (itemClass != .certificate && trust != nil, "trust setting"), (!hasHosts && !host.isEmpty, "hosts"),
        ]
        if let (_, what) = foreign.first(where: \.0) {
            throw KeychainCommandError.notApplicable(what, itemClass: itemClass)
        }
    }

    private func changed(_ contents: ItemContents, _ given: Given) throws -> NewItem {
        let old = contents.item
        let label = changes.label ?? old.label
        let comment = changes.comment ?? old.comment
        let accessibility =
            changes.readable == nil && !changes.thisDeviceOnly ? old.accessibility : changes.accessibility
        switch (old.kind, try contents.secret) {
        case (.genericPassword(let service, let user), .password(let known)):
            return .genericPassword(
                given.password ?? known, service: service, account: account ?? user, label: label,
                comment: comment, accessibility: accessibility)
        case (.internetPassword(let space, let user), .password(let known)):
            var new = NewItem.internetPassword(
                given.password ?? known, user: account ?? user, space: space, label: label, comment: comment,
                accessibility: accessibility)
            new.isRejected = old.isRejected && given.password == nil && account == nil
            return new
        case (.certificate(_, let setting, let hosts), .certificate(let certificate)):
            return try .certificate(
                certificate, trust: trust ?? setting, hosts: host.isEmpty ? hosts : host, label: label,
                comment: comment)
        case (.identity(_, let hosts), .identity(let identity)):
            return try .identity(
                identity, hosts: host.isEmpty ? hosts : host, label: label, comment: comment,
                accessibility: accessibility)
        case (.note, .note(let text, let attachments)):
            if let name = detach.first(where: { name in !attachments.contains { $0.name == name } }) {
                throw KeychainError.noAttachment(name)
            }
            var retained: [NewItem.Attachment] = []
            for attachment in attachments
            where !detach.contains(attachment.name)
                && !given.attachments.contains(where: { $0.name == attachment.name })
            {
                retained.append(
                    NewItem.Attachment(
                        name: attachment.name, mediaType: attachment.mediaType,
                        bytes: try contents.attachment(attachment.name)))
            }
            return .note(
                given.text ?? text, attachments: retained + given.attachments, label: label, comment: comment,
                accessibility: accessibility)
        default: throw KeychainError.damaged(.record)
        }
    }

    private func newPassword(_ console: Console) async throws -> Secret? {
        askPassword || password.isGiven ? try await password.read("New password", on: console) : nil
    }
}

/// `countersign keychain rm`.
struct RemoveCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove items, all of them or none.",
        discussion: "Example: countersign keychain rm 12 13")

    @Argument(help: "The items' numbers, labels, hosts, services or accounts.")
    var items: [String]

    @Flag(help: "Remove without asking.")
    var yes = false

    @OptionGroup
    var options: KeychainOptions

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        var found: [KeychainItem.ID] = []
        for name in items {
            do {
                let item = try await keychain.item(called: name)
                found.append(item.id)
                try ItemReport(item).lines.forEach(console.print)
            } catch KeychainError.damagedItem(let id) where Int64(name) == id.number {
                found.append(id)
                try console.print("Item:        \(id), damaged: it cannot be opened")
            }
            try console.print("")
        }
        let what = found.count == 1 ? "this item" : "these \(found.count) items"
        try await console.confirm("Remove \(what) permanently?", unless: yes, otherwise: "Nothing was removed.")
        try await keychain.remove(found)
        try console.print("Removed.")
        return .done
    }
}
