// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import NIOConcurrencyHelpers
import NIOSSL
import TestServer

/// An HTTP/1.1 server that answers each request with the next reply of a transcript.
struct ReplyServer: Sendable {
    struct Reply: Sendable {
        let bytes: [UInt8]
        let closes: Bool

        /// - Parameters:
        ///   - lines: The head, an empty line and the body.
        ///   - lineEnd: The terminator of each head line.
        init(_ lines: [String], lineEnd: String) {
            var lines = lines
            closes = lines.last == "close"
            if closes { lines.removeLast() }
            let end = lines.firstIndex(of: "") ?? lines.endIndex
            let body = Self.unescaped(lines[end...].dropFirst().joined(separator: "\n"))
            let head = lines[..<end].map { line in
                Self.unescaped(line.replacing("Content-Length: *", with: "Content-Length: \(body.count)") + lineEnd)
            }
            bytes = Array(head.joined()) + Array(lineEnd.utf8) + body
        }

        /// Returns the text's bytes, with `\xNN` replaced by the byte NN.
        private static func unescaped(_ text: String) -> [UInt8] {
            var parts = text.components(separatedBy: "\\x")[...]
            var bytes = Array((parts.popFirst() ?? "").utf8)
            for part in parts {
                bytes.append(UInt8(part.prefix(2), radix: 16) ?? UInt8(ascii: "?"))
                bytes += Array(part.dropFirst(2).utf8)
            }
            return bytes
        }
    }

    private let server: TestServer
    private let record: NIOLockedValueBox<Record>

    private struct Record {
        var replies: ArraySlice<Reply>
        var requests: [[String]] = []

        /// Returns the next reply, and repeats the last one.
        mutating func next() -> Reply? { replies.count > 1 ? replies.popFirst() : replies.first }
    }

    var port: Int { server.port }

    static func start(_ replies: [Reply], tls: NIOSSLContext?) async throws -> ReplyServer {
        let record = NIOLockedValueBox(Record(replies: replies[...]))
        let answering = TestServer.Behavior.script { connection in
            while true {
                let request = lines(of: try await connection.request())
                let reply = record.withLockedValue { record in
                    record.requests.append(request)
                    return record.next()
                }
                guard let reply else { continue }
                try await connection.send(bytes: reply.bytes)
                if reply.closes { return }
            }
        }
        return ReplyServer(server: try await TestServer.start(tls: tls, repeating: [answering]), record: record)
    }

    private static func lines(of request: TestConnection.Request) -> [String] {
        let body = String(decoding: request.body, as: UTF8.self).components(separatedBy: "\n")
        return request.head.components(separatedBy: "\r\n")
            + (request.body.isEmpty ? [] : [""] + body.map { $0.replacing("\r", with: "") })
    }

    /// Returns the requests received since the last call: head, an empty line and any body, separated by `---`.
    func takeRequests() -> [String] {
        record.withLockedValue { record in
            defer { record.requests = [] }
            return Array(record.requests.joined(separator: ["---"]))
        }
    }

    func stop() async { await server.stop() }
}
