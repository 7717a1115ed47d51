// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import TestServer

/// A server that answers each connection with the next of its responses and records the requests.
struct DownloadScene: Sendable {
    /// The lines of a response, followed by its body.
    struct Answer: Sendable {
        let lines: [String]
        let body: String
        /// Whether the connection then waits until the client closes it.
        var waits = false

        init(_ lines: String..., body: String = "", waits: Bool = false) {
            (self.lines, self.body, self.waits) = (lines, body, waits)
        }
    }

    private let server: TestServer
    let folder: String

    var path: String { file.path }
    var file: URL { URL(filePath: folder).appending(path: "file") }

    func url(_ path: String = "/") -> String { server.url(path) }

    /// The request of each connection, as text.
    var requests: [String] { server.received.map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the value of a field in each request, or an empty string if the field is missing.
    func fields(_ name: String) -> [String] {
        requests.map { head in
            let line = head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
            return line.map { String($0.dropFirst(name.count + 2)) } ?? ""
        }
    }

    static func run(
        _ answers: [Answer], _ body: (DownloadScene) async throws -> Void
    ) async throws {
        try await withFolder { folder async throws in
            let connections = answers.map { answer -> [TestServer.Behavior] in
                let text = (answer.lines + ["Connection: close", "", ""]).joined(separator: "\r\n") + answer.body
                return [.receiveHead, .send(Array(text.utf8)), answer.waits ? .receiveRest : .close]
            }
            try await TestServer.with(connections) { server in
                try await body(DownloadScene(server: server, folder: folder))
            }
        }
    }
}
