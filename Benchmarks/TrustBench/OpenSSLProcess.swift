// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Turns

/// The program of `openssl/verify.c`, running beside.
///
/// It only works while it is asked, so that neither side disturbs the other.
final class OpenSSLProcess {
    private let process = Process()
    private let (requests, answers) = (Pipe(), Pipe())
    private let folder: URL
    let version: String

    /// Starts it.
    ///
    /// - Parameters:
    ///   - program: The path of the compiled program.
    ///   - folder: Where it finds the chain.
    /// - Throws: `BenchError/noAnswer(from:)`, and what `Process` throws where the program does not start.
    init(program: String, chainIn folder: URL) throws {
        self.folder = folder
        process.executableURL = URL(filePath: program)
        process.arguments = [BenchChain.host]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
        guard let line = Self.line(from: answers) else { throw BenchError.noAnswer(from: program) }
        version = line
    }

    /// Ends it.
    func end() throws {
        try requests.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// All that it can do.
    var contenders: [Contender] {
        [
            contender("the two signatures (OpenSSL)", mode: "signatures"),
            contender("OpenSSL, parsed", mode: "parsed"),
            contender("OpenSSL, from bytes", mode: "bytes"),
        ]
    }

    private func contender(_ name: String, mode: String) -> Contender {
        let prefix = folder.appending(path: "chain").path
        return Contender(name) { [requests, answers] count in
            try requests.fileHandleForWriting.write(contentsOf: Data("\(prefix) \(mode) \(count)\n".utf8))
            guard let time = Self.line(from: answers).flatMap(Int.init) else { throw BenchError.noAnswer(from: name) }
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
