// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// A server of one resource that answers each connection with the next of some responses, and keeps what it was asked.
struct DownloadScene: Sendable {
    /// What is answered, line by line; the last line is the body's.
    struct Answer: Sendable {
        let lines: [String]
        let body: String
        /// Whether the connection then waits for the client to go.
        var waits = false

        init(_ lines: String..., body: String = "", waits: Bool = false) {
            (self.lines, self.body, self.waits) = (lines, body, waits)
        }
    }

    let server: WireServer
    let folder: String
    private let heads: NIOLockedValueBox<[String]>

    var path: String { "\(folder)/file" }
    var asked: [String] { heads.withLockedValue { $0 } }

    /// The value of a field of each request; empty where there was none.
    func fields(_ name: String) -> [String] {
        asked.map { head in
            let line = head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
            return line.map { String($0.dropFirst(name.count + 2)) } ?? ""
        }
    }

    static func run(
        _ answers: [Answer], _ body: (DownloadScene) async throws -> Void
    ) async throws {
        try await withFolder { folder async throws in
            let heads = NIOLockedValueBox<[String]>([])
            let server = try await WireServer.start(
                answers.map { answer in
                    { wire in
                        let head = try await wire.head()
                        heads.withLockedValue { $0.append(head) }
                        let text =
                            (answer.lines + ["Connection: close", "", ""]).joined(separator: "\r\n") + answer.body
                        try await wire.send(bytes: Array(text.utf8))
                        if answer.waits { _ = try await wire.rest() }
                    }
                })
            do {
                try await body(DownloadScene(server: server, folder: folder, heads: heads))
                await server.stop()
            } catch {
                await server.stop()
                throw error
            }
        }
    }
}
