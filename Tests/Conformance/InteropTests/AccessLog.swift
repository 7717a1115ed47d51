// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// What a peer writes of the requests that it is sent, in the form that our configurations give it.
struct AccessLog {
    /// A request and its answer.
    struct Line: Hashable {
        let serverPort: Int
        /// One for each connection.
        let clientPort: Int
        let method: String
        let target: String
        let status: Int
        /// What the request was, in bytes; whether the head counts is the peer's affair.
        let length: Int

        init?(_ text: Substring) {
            let words = text.split(separator: " ")
            guard words.count == 6, let serverPort = Int(words[0]), let clientPort = Int(words[1]),
                let status = Int(words[4]), let length = Int(words[5])
            else { return nil }
            self.serverPort = serverPort
            self.clientPort = clientPort
            method = String(words[2])
            target = String(words[3])
            self.status = status
            self.length = length
        }
    }

    let path: String

    func lines(ofPort port: Int) throws -> [Line] {
        // A server that was asked nothing yet need not have made the file.
        guard let text = try? InteropValues.text(of: path) else { return [] }
        return text.split(separator: "\n").compactMap(Line.init).filter { $0.serverPort == port }
    }
}

/// A peer whose requests can be counted.
protocol LoggingPeer: InteropPeer {
    func log() throws -> AccessLog
}

extension LoggingPeer {
    /// What a server of the peer was asked during a closure.
    ///
    /// No other test may ask it anything meanwhile.
    ///
    /// - Parameters:
    ///   - server: The one that is asked.
    ///   - count: How many lines there should be: they are written after the response has been sent, and are waited for.
    ///   - body: What asks.
    /// - Returns: The lines, also those that should not be.
    /// - Throws: What the closure throws; an error of the file system.
    func requests(
        to server: Server, expecting count: Int, during body: () async throws -> Void
    ) async throws -> [AccessLog.Line] {
        let port = try #require(Int(try url(server, "").split(separator: ":").last ?? ""))
        let log = try log()
        let before = try log.lines(ofPort: port).count
        try await body()
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(10)
        while try log.lines(ofPort: port).count < before + count, clock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await Task.sleep(for: .milliseconds(200))
        return Array(try log.lines(ofPort: port).dropFirst(before))
    }
}

extension [AccessLog.Line] {
    var statuses: [Int] { map(\.status) }

    var connectionCount: Int { Set(map(\.clientPort)).count }
}
