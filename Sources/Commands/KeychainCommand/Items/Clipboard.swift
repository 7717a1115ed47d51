// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Foundation
import KeychainAgent
import Secrets

/// The clipboard of the desktop, by the program that reaches it.
struct Clipboard {
    private let copy: [String]
    private let paste: [String]

    /// `nil` where no program is found.
    init?(_ environment: [String: String]) {
        let wayland = ["wl-copy"]
        let known: [([String], [String], String?)] = [
            (wayland, ["wl-paste", "--no-newline"], "WAYLAND_DISPLAY"),
            (["xclip", "-selection", "clipboard"], ["xclip", "-selection", "clipboard", "-o"], "DISPLAY"),
            (["xsel", "--clipboard", "--input"], ["xsel", "--clipboard", "--output"], "DISPLAY"),
            (["pbcopy"], ["pbpaste"], nil),
        ]
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let path = { (name: String) in
            folders.lazy.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        }
        for (copy, paste, display) in known where display.map({ environment[$0] != nil }) ?? true {
            guard let copier = path(copy[0]), let paster = path(paste[0]) else { continue }
            (self.copy, self.paste) = ([copier] + copy.dropFirst(), [paster] + paste.dropFirst())
            return
        }
        return nil
    }

    /// Copies a secret, and starts a process that clears the clipboard later.
    ///
    /// - Throws: ``KeychainCommandError/noClipboard``, `KeychainAgentError` where the process cannot be started.
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

    /// Empty where there is no text.
    func read() throws -> [UInt8] { try ChildProgram.run(paste, reads: true) ?? [] }
}

/// `countersign keychain clear-clipboard SECONDS`: what `show --copy` starts.
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
