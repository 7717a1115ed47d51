// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

/// A separate program that does the same work.
///
/// It only works while it handles a request, so that neither side disturbs the other. It prints its name first. Then it
/// reads lines `PREFIX MODE COUNT`, does the mode's work COUNT times, and prints the processor time in nanoseconds.
package final class PeerProcess {
    private let process = Process()
    private let (requests, answers) = (Pipe(), Pipe())
    package let version: String

    package struct NoAnswer: Error {
        let program: String
    }

    /// Starts the program.
    package init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
        guard let line = Self.line(from: answers) else { throw NoAnswer(program: program) }
        version = line
    }

    /// Ends the program.
    package func end() throws {
        try requests.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Returns a contender that runs a mode on the files with a prefix, named after the program unless a name is given.
    package func contender(_ name: String? = nil, mode: String, prefix: String) -> Contender {
        Contender(name ?? version) { [requests, answers, version] count in
            try requests.fileHandleForWriting.write(contentsOf: Data("\(prefix) \(mode) \(count)\n".utf8))
            guard let time = Self.line(from: answers).flatMap(Int.init) else { throw NoAnswer(program: version) }
            return time
        }
    }

    private static func line(from pipe: Pipe) -> String? {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            guard let more = try? pipe.fileHandleForReading.read(upToCount: 1), !more.isEmpty else { return nil }
            line += more
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}
