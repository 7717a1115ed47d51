// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes
import NIOConcurrencyHelpers

/// The destination of an option's text, such as that of `--trace`: a file, or standard output for `-`.
enum OutputDestination: Hashable, Sendable {
    case standardOutput
    case file(String)

    init(_ text: String) {
        self = text == "-" ? .standardOutput : .file(text)
    }

    /// Writes a complete text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - console: The console with the standard output.
    ///   - mode: The permissions of a new file.
    /// - Throws: ``FileError``, ``OutputClosed``.
    func write(_ text: String, on console: Console, mode: UInt32 = 0o666) throws {
        switch self {
        case .standardOutput: try console.write(Array(text.utf8))
        case .file(let path):
            if !(try OutputFile.write(text, to: path, mode: mode)) { console.warnAboutOwner(of: path) }
        }
    }
}

extension Console {
    /// Warns that a file that replaced another user's now belongs to this user.
    func warnAboutOwner(of path: String) {
        printError("countersign: \(path.printable) belonged to another user and is yours now")
    }
}

/// Collects the output of `-D`: the head of each URL's response, in the order of the URLs.
final class HeaderDump: Sendable {
    private let place: OutputDestination?
    private let console: Console
    private let heads = NIOLockedValueBox<[Int: String]>([:])

    init(_ place: OutputDestination?, on console: Console) {
        (self.place, self.console) = (place, console)
    }

    /// Adds a head; standard output receives it immediately, before the body.
    ///
    /// - Parameters:
    ///   - head: The status line and the fields, each on a line.
    ///   - number: The position of the URL on the command line.
    /// - Throws: ``FileError``.
    func add(_ head: String, of number: Int) throws {
        guard let place else { return }
        if place == .standardOutput {
            try place.write(head + "\n", on: console)
        } else {
            heads.withLockedValue { $0[number] = head + "\n" }
        }
    }

    /// Writes the file, even without a response, so that an old file is not mistaken for the new one.
    func finish() throws {
        guard let place, place != .standardOutput else { return }
        let text = heads.withLockedValue { heads in heads.sorted { $0.key < $1.key }.map(\.value).joined() }
        try place.write(text, on: console)
    }
}

extension SessionResponse {
    /// The status line and the fields, each on a line, as `head`, `-i` and `-D` show them.
    var headText: String {
        ([connection.httpVersion.text + " " + status.text] + headerFields.lines).map { $0.printable + "\n" }.joined()
    }
}
