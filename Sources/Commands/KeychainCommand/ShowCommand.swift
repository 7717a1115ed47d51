// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Foundation
import Keychains
import KeychainAgents
import Secrets

/// `countersign keychain show`.
struct ShowCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print an item, without its secret unless --reveal is given.",
        discussion: """
            With --copy the secret goes to the clipboard, which is cleared after --clear-after seconds unless something else \
            was copied. Use 'export' for the files of notes.

            Example: countersign keychain show intranet.example --copy
            """)

    @Argument(help: "The item's number, label, host, service or account.")
    var item: String

    @Flag(help: "Print the password, or the text of the note.")
    var reveal = false

    @Flag(help: "Copy the password, or the text of the note, to the clipboard.")
    var copy = false

    @Option(help: ArgumentHelp("The time until the clipboard is cleared, in seconds.", valueName: "seconds"))
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
            console.printError("Copied. The clipboard is cleared in \(clearAfter) s.")
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

    /// Returns the item and its secret, read in one transaction; unlocks again if the last unlock is too long ago.
    ///
    /// A note's secret is read even if it is not needed, because it contains the attachments.
    ///
    /// - Returns: The item and its secret; the secret is `nil` if it is not needed or cannot be read.
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
            return try await options.unlockedWithoutAgent(on: console).contents(of: id, read)
        }
    }
}

/// The clipboard of the desktop, accessed through another program.
struct Clipboard {
    private let copy: [String]
    private let paste: [String]

    /// Finds the clipboard program, or returns `nil` if there is none.
    init?(_ environment: [String: String]) {
        let wayland = ["wl-copy"]
        let known: [([String], [String], String?)] = [
            (wayland, ["wl-paste", "--no-newline"], "WAYLAND_DISPLAY"),
            (["xclip", "-selection", "clipboard"], ["xclip", "-selection", "clipboard", "-o"], "DISPLAY"),
            (["xsel", "--clipboard", "--input"], ["xsel", "--clipboard", "--output"], "DISPLAY"),
            (["pbcopy"], ["pbpaste"], nil),
        ]
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        for (copy, paste, display) in known where display.map({ environment[$0] != nil }) ?? true {
            guard let copier = ExecutablePath.find(copy[0], in: folders),
                let paster = ExecutablePath.find(paste[0], in: folders)
            else { continue }
            (self.copy, self.paste) = ([copier] + copy.dropFirst(), [paster] + paste.dropFirst())
            return
        }
        return nil
    }

    /// Copies a secret, and starts a process that clears the clipboard later.
    ///
    /// - Throws: ``KeychainCommandError/noClipboard``, `KeychainAgentError` if the process cannot be started.
    static func copy(_ secret: Secret, clearAfter seconds: Int, environment: [String: String]) throws {
        guard let clipboard = Clipboard(environment) else { throw KeychainCommandError.noClipboard }
        try clipboard.write(secret.withUnsafeBytes { Array($0) })
        try DetachedProcess.start([
            ExecutablePath.current ?? "countersign-keychain", "clear-clipboard", String(seconds),
        ])
    }

    func write(_ bytes: [UInt8]) throws {
        guard try ChildProgram.run(copy, input: bytes, reads: false) != nil else {
            throw KeychainCommandError.noClipboard
        }
    }

    /// Returns the text of the clipboard, which is empty if there is none.
    func read() throws -> [UInt8] { try ChildProgram.run(paste, reads: true) ?? [] }
}

/// `countersign keychain clear-clipboard SECONDS`, which `show --copy` starts.
struct ClearClipboardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear-clipboard", abstract: "Clear the clipboard unless something else is copied.",
        shouldDisplay: false)

    @Argument
    var seconds: Int

    func run() throws {
        guard let clipboard = Clipboard(ProcessInfo.processInfo.environment) else { return }
        let copied = try clipboard.read()
        Thread.sleep(forTimeInterval: Double(seconds))
        if try clipboard.read() == copied { try clipboard.write([]) }
    }
}
