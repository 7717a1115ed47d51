// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Keychain

/// `countersign keychain show`.
struct ShowCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print an item, without its secret unless --reveal is given.",
        discussion: """
            With --copy the secret goes to the clipboard, which is cleared after --clear-after seconds unless something else \
            was copied. Files of notes come out with 'export'.

            Example: countersign keychain show intranet.example --copy
            """)

    @Argument(help: "The item's number, label, host, service or account.")
    var item: String

    @Flag(help: "Print the password, or the text of the note.")
    var reveal = false

    @Flag(help: "Copy the password, or the text of the note, to the clipboard.")
    var copy = false

    @Option(help: ArgumentHelp("When the clipboard is cleared, in seconds.", valueName: "seconds"))
    var clearAfter = 45

    @OptionGroup
    var options: KeychainOptions

    @Flag(help: "Print the item as JSON.")
    var json = false

    func validate() throws {
        guard (1...3600).contains(clearAfter) else { throw ValidationError("--clear-after takes 1 to 3600 seconds.") }
    }

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        let keychain = try await options.unlocked(on: console)
        let id = try await keychain.item(called: item).id
        let needsSecret = reveal || copy
        let (found, secret) = try await read(id, needsSecret, keychain, console)
        var report = ItemReport(found)
        guard let secret else { return try print(report, nil, console) }
        if needsSecret, secret.text == nil {
            throw KeychainCommandError.notApplicable("password", itemClass: found.kind.itemClass)
        }
        report.take(secret, reveals: reveal)
        if copy, let text = secret.text {
            try Clipboard.copy(text, clearAfter: clearAfter, environment: console.environment)
            console.complain("Copied. The clipboard is cleared in \(clearAfter) s.")
        }
        return try print(report, reveal ? report.secret : nil, console)
    }

    private func print(_ report: ItemReport, _ secret: String?, _ console: Console) throws -> CommandStatus {
        if json {
            try console.print(json: report)
            return .done
        }
        try report.lines.forEach(console.print)
        if let secret {
            let isText = report.itemClass == "note"
            try console.print(isText ? "\n\(secret)" : "Password:    \(secret)")
        }
        return .done
    }

    /// The item and its secret at one moment, after another unlock where the last one is too long ago.
    ///
    /// - Returns: The secret of a note also where it is not needed, because its attachments are a part of it; `nil` where that cannot be read.
    private func read(
        _ id: KeychainItem.ID, _ needsSecret: Bool, _ keychain: UnlockedKeychain, _ console: Console
    ) async throws -> (KeychainItem, ItemSecret?) {
        let read: @Sendable (ItemContents) throws -> (KeychainItem, ItemSecret?) = { contents in
            do {
                return (contents.item, needsSecret || contents.item.kind == .note ? try contents.secret : nil)
            } catch KeychainError.unlockNeeded where !needsSecret {
                return (contents.item, nil)
            }
        }
        do {
            return try await keychain.contents(of: id, read)
        } catch KeychainError.unlockNeeded where console.prompter != nil {
            return try await options.unlockedAnew(on: console).contents(of: id, read)
        }
    }
}
