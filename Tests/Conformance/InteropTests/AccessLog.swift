// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// A peer's access log, in the format that the test configurations set.
struct AccessLog {
    /// A request and the status of its response.
    struct Line: Hashable {
        let serverPort: Int
        /// The client's port, which identifies the connection.
        let clientPort: Int
        let method: String
        let target: String
        let status: Int
        /// The length of the request in bytes; some peers include the head.
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
        // A server without requests may not have created the file yet.
        guard let text = try? InteropValues.text(of: path) else { return [] }
        return text.split(separator: "\n").compactMap(Line.init).filter { $0.serverPort == port }
    }
}

/// A peer that logs its requests.
protocol LoggingPeer: InteropPeer {
    func log() throws -> AccessLog
}

extension LoggingPeer {
    /// Returns the requests that a server of the peer received during a closure.
    ///
    /// No other test may send requests to the server at the same time.
    ///
    /// - Parameters:
    ///   - server: The server that receives the requests.
    ///   - count: The expected number of lines; the peer writes
    ///     them after its responses, so the function waits for them.
    ///   - body: The closure that sends the requests.
    /// - Returns: All lines, including unexpected ones.
    /// - Throws: The error of the closure or of the file system.
    func requests(
        to server: Server, expecting count: Int, during body: () async throws -> Void
    ) async throws -> [AccessLog.Line] {
        let port = try #require(Int(try url(server, "").split(separator: ":").last ?? ""))
        let log = try log()
        let before = try log.lines(ofPort: port).count
        try await body()
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(60)
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
