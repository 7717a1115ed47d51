// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Turns

/// Another program that signs and verifies, running beside.
///
/// It only works while it is asked, so that neither side disturbs the other.
final class PeerProcess {
    private let process = Process()
    private let (requests, answers) = (Pipe(), Pipe())
    let version: String

    struct NoAnswer: Error {
        let program: String
    }

    /// Starts it.
    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
        guard let line = Self.line(from: answers) else { throw NoAnswer(program: program) }
        version = line
    }

    /// Ends it.
    func end() throws {
        try requests.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Its work on the files of a prefix.
    func contender(_ mode: String, prefix: String) -> Contender {
        Contender(version) { [requests, answers, version] count in
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
