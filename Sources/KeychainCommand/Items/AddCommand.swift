// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import Identities
import Keychain
import Secrets
import X509

/// `countersign keychain add`.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an item.",
        discussion: """
            Certificates, identities and lists of passwords come in with 'import'.

            Example: countersign keychain add note "Presents 2026" --text-file list.txt --attach drawing.png
            """,
        subcommands: [AddPasswordCommand.self, AddLoginCommand.self, AddTokenCommand.self, AddNoteCommand.self])
}

/// Adds an item and says which number it has.
private func add(_ item: NewItem, to keychain: UnlockedKeychain, json: Bool, _ console: Console) async throws {
    let added = try await keychain.add(item)
    if json { try console.print(json: ItemReport(added)) } else { try console.print("Added item \(added.id).") }
}

/// `countersign keychain add password`.
struct AddPasswordCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Add a password of a program.",
        discussion: "Example: countersign keychain add password backup root --generate")

    @Argument(help: "The program or service.")
    var service: String

    @Argument(help: "The account.")
    var account: String

    @OptionGroup
    var password: PasswordOptions

    @OptionGroup
    var item: ItemOptions

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let secret = try await password.read("Password", on: console)
        let new = NewItem.genericPassword(
            secret, service: service, account: account, label: item.label ?? "", comment: item.comment ?? "",
            accessibility: item.accessibility)
        try await add(new, to: keychain, json: json, console)
        return .done
    }
}

/// `countersign keychain add login`.
struct AddLoginCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Add a user and a password of a server or a proxy.",
        discussion: """
            Without --realm and --method it answers whatever the server at the URL's host and port asks.

            Example: countersign keychain add login https://intranet.example --user mary
            """)

    @Argument(help: "The URL of the server, whose path does not count.")
    var url: String

    @Option(help: "The user.")
    var user: String

    @Option(help: "The realm that the server names.")
    var realm: String?

    @Option(help: "The authentication method, such as digest.")
    var method: String?

    @Flag(help: "The URL is that of a proxy.")
    var proxy = false

    @OptionGroup
    var password: PasswordOptions

    @OptionGroup
    var item: ItemOptions

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let space = try LoginPlace.space(url, realm: realm, method: method, isProxy: proxy)
        let keychain = try await options.unlocked(on: console)
        let secret = try await password.read("Password for \(user.printable)", on: console)
        let new = NewItem.internetPassword(
            secret, user: user, space: space, label: item.label ?? "", comment: item.comment ?? "",
            accessibility: item.accessibility)
        try await add(new, to: keychain, json: json, console)
        return .done
    }
}

/// A bearer token.
enum ItemToken: SecretPurpose {
    static let option = "token"
    static let subject = "the token"
}

/// `countersign keychain add token`.
struct AddTokenCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Add a bearer token of a server.",
        discussion: "Example: countersign keychain add token https://api.example --token-file token.txt")

    @Argument(help: "The URL of the server, whose path does not count.")
    var url: String

    @OptionGroup
    var token: SecretOptions<ItemToken>

    @OptionGroup
    var item: ItemOptions

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let space = try LoginPlace.space(url, realm: nil, method: nil, isProxy: false)
        let keychain = try await options.unlocked(on: console)
        let secret = try await NewSecret.read(token, "Token", on: console)
        let new = NewItem.internetPassword(
            secret, user: nil, space: space, label: item.label ?? "", comment: item.comment ?? "",
            accessibility: item.accessibility)
        try await add(new, to: keychain, json: json, console)
        return .done
    }
}

/// `countersign keychain add note`.
struct AddNoteCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Add a note: a title, a text, and files or pictures.",
        discussion: "Example: countersign keychain add note \"Presents 2026\" --text-file list.txt --attach drawing.png"
    )

    @Argument(help: "The note's title.")
    var title: String

    @Option(help: ArgumentHelp("A file with the text, or - for standard input.", valueName: "file"))
    var textFile: String?

    @Option(help: ArgumentHelp("A file or a picture to attach; repeatable.", valueName: "file"))
    var attach: [String] = []

    @Option(help: "What you want to say of it.")
    var comment: String?

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let text = Secret(utf8: try textFile.map { try InputFile.readArgument($0) } ?? [])
        let attachments = try Attachments.read(attach)
        let keychain = try await options.unlocked(on: console)
        let new = NewItem.note(text, attachments: attachments, label: title, comment: comment ?? "")
        try await add(new, to: keychain, json: json, console)
        return .done
    }
}

/// The files of `--attach`.
enum Attachments {
    /// Largest file that is attached, in bytes: it is sealed in memory.
    private static let limit = 1 << 30

    /// - Throws: `FileError`, ``UsageError``.
    static func read(_ paths: [String]) throws -> [NewItem.Attachment] {
        var names: Set<String> = []
        return try paths.map { path in
            let name = path.split(separator: "/").last.map(String.init) ?? path
            guard names.insert(name).inserted else {
                throw UsageError.value("--attach", "two files are called \(name.printable)")
            }
            let bytes = try InputFile.read(path, limit: limit)
            return NewItem.Attachment(name: name, mediaType: mediaType(of: name), bytes: bytes)
        }
    }

    private static func mediaType(of name: String) -> String {
        let types = [
            "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
            "heic": "image/heic", "svg": "image/svg+xml", "pdf": "application/pdf", "txt": "text/plain",
        ]
        return name.split(separator: ".").last.flatMap { types[$0.lowercased()] } ?? ""
    }
}
