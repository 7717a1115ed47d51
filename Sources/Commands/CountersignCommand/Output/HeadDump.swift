// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import NIOConcurrencyHelpers

/// Gathers what `-D` writes: the head of each URL's response, in the order of the URLs.
final class HeadDump: Sendable {
    private let place: OutputPlace?
    private let console: Console
    private let heads = NIOLockedValueBox<[Int: String]>([:])

    init(_ place: OutputPlace?, on console: Console) {
        (self.place, self.console) = (place, console)
    }

    /// Notes a head; to standard output it goes at once, before the body.
    ///
    /// - Parameters:
    ///   - head: The status line and the fields, a line each.
    ///   - number: The URL's place on the command line.
    /// - Throws: ``FileError``.
    func add(_ head: String, of number: Int) throws {
        guard let place else { return }
        if place == .standardOutput {
            try place.write(head + "\n", on: console)
        } else {
            heads.withLockedValue { $0[number] = head + "\n" }
        }
    }

    /// Writes the file, also where no response came, so that an old one is not taken for the new.
    func finish() throws {
        guard let place, place != .standardOutput else { return }
        let text = heads.withLockedValue { heads in heads.sorted { $0.key < $1.key }.map(\.value).joined() }
        try place.write(text, on: console)
    }
}
