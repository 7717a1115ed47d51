// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Dispatch
import ErrorExplanations
import NIOConcurrencyHelpers
import POSIX

/// Asks the user questions.
package protocol Prompter: Sendable {
    /// Shows a question and reads a line, without echo if it is secret; returns `nil` without an answer.
    func ask(_ question: String, isSecret: Bool) async -> String?

    /// Restores the original terminal settings.
    func restore()
}

extension Prompter {
    /// Asks a yes-or-no question, whose default is no.
    package func confirm(_ question: String) async -> Bool {
        let answer = await ask(question + " [y/N] ", isSecret: false)
        return ["y", "yes"].contains(answer?.lowercased() ?? "")
    }
}

/// The prompter at the controlling terminal.
package struct TerminalPrompter: Prompter {
    private let original: termios?

    package init() {
        var settings = termios()
        // Standard input may be a pipe from another program.
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        original = tcgetattr(terminal, &settings) == 0 ? settings : nil
        close(terminal)
    }

    package func ask(_ question: String, isSecret: Bool) async -> String? {
        let isWithdrawn = NIOLockedValueBox(false)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    let answer = readAnswer(to: question, isSecret: isSecret) { isWithdrawn.withLockedValue { $0 } }
                    continuation.resume(returning: answer)
                }
            }
        } onCancel: {
            isWithdrawn.withLockedValue { $0 = true }
        }
    }

    package func restore() {
        guard let original else { return }
        Self.set(original)
    }

    private func readAnswer(to question: String, isSecret: Bool, isWithdrawn: () -> Bool) -> String? {
        // A question after Ctrl-C would disable the echo in the shell that takes over.
        guard !isWithdrawn() else { return nil }
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        let output = FileDescriptorOutput(descriptor: terminal, path: "/dev/tty")
        try? output.write(Array(question.printableLines.utf8)[...])
        if isSecret { hideTyping() }
        defer {
            if isSecret {
                restore()
                try? output.write([0x0A])
            }
        }
        return readLine(from: terminal, isWithdrawn: isWithdrawn)
    }

    private func hideTyping() {
        guard var settings = original else { return }
        settings.c_lflag &= ~tcflag_t(ECHO)
        Self.set(settings)
    }

    private static func set(_ settings: termios) {
        var settings = settings
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        tcsetattr(terminal, TCSAFLUSH, &settings)
        close(terminal)
    }

    private func readLine(from terminal: Int32, isWithdrawn: () -> Bool) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 4_096 {
            var readiness = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            if poll(&readiness, 1, 100) == 0 {
                if isWithdrawn() { return nil }
                continue
            }
            let count = read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
