// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import Identities
import Keychains
import Secrets
import X509

/// `countersign keychain add`.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an item.",
        discussion: """
            Use 'import' for certificates, identities and password lists. One item is stored for a user at a server or \
            for an account of a program: adding it again changes it.

            Example: countersign keychain add note "Presents 2026" --text-file list.txt --attach drawing.png
            """,
        subcommands: [AddPasswordCommand.self, AddLoginCommand.self, AddTokenCommand.self, AddNoteCommand.self])
}

/// The option that decides about an item that is in the keychain already.
struct ReplacementOption: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Replace an existing item without asking; --no-replace refuses to replace it.",
            discussion: """
                Without either, the question is asked on a terminal. Elsewhere and with --json the item is replaced, but a password \
                of --generate never replaces another.
                """))
    var replace: Bool?

    init() {}

    /// Stores an item, and prints the effect.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - keychain: The keychain.
    ///   - isGenerated: Whether the secret is new, and known to no server.
    ///   - json: Whether the item is printed as JSON.
    ///   - console: The console.
    /// - Returns: The exit status.
    /// - Throws: `KeychainError.itemExists(_:)` if an existing item must not be replaced, ``CommandError``, and other
    ///   `KeychainError`.
    func store(
        _ item: NewItem, in keychain: UnlockedKeychain, isGenerated: Bool = false, json: Bool, _ console: Console
    ) async throws -> CommandStatus {
        let expected = try await keychain.effects(ofStoring: [item]).first
        if let stored = expected?.item, expected?.effect == .changed, replace != true {
            let canAsk = !json && console.prompter != nil
            if replace == false || isGenerated && !canAsk { throw KeychainError.itemExists(stored.id) }
            try await console.confirm(
                "Item \(stored.id) (\(ItemReport(stored).title)) has other contents. Replace them?", unless: !canAsk,
                otherwise: "Nothing was changed.")
        }
        guard let change = try await keychain.store([item]).first else { return .done }
        try change.print(asJSON: json, on: console)
        return console.printError(of: change.damage)
    }
}

extension ItemChange {
    /// Prints the item and the effect; prints nothing if there is no item.
    fileprivate func print(asJSON json: Bool, on console: Console) throws {
        guard let item else { return }
        switch effect {
        case _ where json: try console.print(json: ItemReport(item, effect))
        case .added: try console.print("Added item \(item.id).")
        case .changed: try console.print("Changed item \(item.id).")
        case .equal, .retained, .superseded: try console.print("Item \(item.id) has the same contents already.")
        }
    }
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
    var replacement: ReplacementOption

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let secret = try await password.read("Password", on: console)
        var new = NewItem.genericPassword(
            secret, service: service, account: account, label: item.label ?? "", comment: item.comment ?? "",
            accessibility: item.accessibility)
        new.keepsStoredAccessibility = !item.namesAccessibility
        return try await replacement.store(new, in: keychain, isGenerated: password.generate, json: json, console)
    }
}

/// `countersign keychain add login`.
struct AddLoginCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Add a user and a password of a server or a proxy.",
        discussion: """
            Without --realm and --method it is used for every challenge of the server at the URL's host and port.

            Example: countersign keychain add login https://intranet.example --user mary
            """)

    @Argument(help: "The URL of the server; its path is ignored.")
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
    var replacement: ReplacementOption

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let space = try LoginSpace.space(url, realm: realm, method: method, isProxy: proxy)
        let keychain = try await options.unlocked(on: console)
        let secret = try await password.read("Password for \(user.printable)", on: console)
        var new = NewItem.internetPassword(
            secret, user: user, space: space, label: item.label ?? "", comment: item.comment ?? "",
            accessibility: item.accessibility)
        new.keepsStoredAccessibility = !item.namesAccessibility
        return try await replacement.store(new, in: keychain, isGenerated: password.generate, json: json, console)
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

    @Argument(help: "The URL of the server; its path is ignored.")
    var url: String

    @OptionGroup
    var token: SecretOptions<ItemToken>

    @OptionGroup
    var item: ItemOptions

    @OptionGroup
    var replacement: ReplacementOption

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let space = try LoginSpace.space(url, realm: nil, method: nil, isProxy: false)
        let keychain = try await options.unlocked(on: console)
        let secret = try await NewSecret.read(token, "Token", on: console)
        var new = NewItem.internetPassword(
            secret, user: nil, space: space, label: item.label ?? "", comment: item.comment ?? "",
            accessibility: item.accessibility)
        new.keepsStoredAccessibility = !item.namesAccessibility
        return try await replacement.store(new, in: keychain, json: json, console)
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

    @Option(help: "A comment.")
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
        guard let change = try await keychain.store([new]).first, let stored = change.item else { return .done }
        try change.print(asJSON: json, on: console)
        if !json, change.effect == .added {
            var query = KeychainQuery(.note)
            query.label = title
            for other in try await keychain.listing(query).items where other.id != stored.id {
                console.printError("Item \(other.id) is another note of this title.")
            }
        }
        return console.printError(of: change.damage)
    }
}

/// The files of `--attach`.
enum Attachments {
    /// The maximum size of an attachment, in bytes, because it is encrypted in memory.
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
