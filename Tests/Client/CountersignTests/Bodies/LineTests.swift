// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations
import Foundation
import NIOCore
import TestServer
import Testing

/// Reading the lines of a body, as text or as JSON values.
@Suite struct LineTests {
    @Test(
        "A line ends in LF, CR or CR LF; the last one may have no terminator",
        arguments: [
            ("", []),
            ("a", ["a"]),
            ("a\n", ["a"]),
            ("a\nb", ["a", "b"]),
            ("\n", [""]),
            ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
            ("a\r\n\r\nb\r\r", ["a", "", "b", ""]),
            ("\r\n\n\r\r\n", ["", "", "", ""]),
            ("a\n\rb", ["a", "", "b"]),
            ("a\u{85}b\u{2028}c\u{B}d\u{C}e\n", ["a\u{85}b\u{2028}c\u{B}d\u{C}e"]),
            ("é€😀\n\u{FEFF}x", ["é€😀", "\u{FEFF}x"]),
        ] as [(String, [String])], [1, 2, 3, 1000])
    func lines(row: (text: String, lines: [String]), portion: Int) async throws {
        #expect(try await SessionResponseBody.parts(of: row.text.utf8, portion).lines.collected == row.lines)
    }

    @Test("Invalid UTF-8 is replaced, and the next line is intact", arguments: [1, 2, 1000])
    func invalidText(portion: Int) async throws {
        let bytes: [UInt8] = [0x61, 0xE9, 0x0A, 0xF0, 0x9F, 0x98, 0x0D, 0x62]
        #expect(
            try await SessionResponseBody.parts(of: bytes, portion).lines.collected == ["a\u{FFFD}", "\u{FFFD}", "b"])
    }

    @Test(
        "A line over the limit is an error with its number, and ends the lines",
        arguments: [("abc\r\ndefg\nh\n", ["abc"], 2), ("abcd", [], 1), ("abc\n\nabc\rabcde", ["abc", "", "abc"], 4)],
        [1, 4, 1000])
    func limit(row: (text: String, read: [String], number: Int), portion: Int) async throws {
        var iterator = SessionResponseBody.parts(of: row.text.utf8, portion).lines(upTo: 3).makeAsyncIterator()
        for line in row.read { #expect(try await iterator.next() == line) }
        let error = await #expect(throws: SessionError.self) { _ = try await iterator.next() }
        #expect(error?.code == "limit.line-length")
        #expect(
            error?.explanation.message == "Line \(row.number) of the body is longer than the 3 bytes that are allowed.")
        #expect(try await iterator.next() == nil)
    }

    /// The time would be quadratic if a part were searched or copied again for each later part.
    @Test("A line of very many parts is read", arguments: [1, 100]) func smallParts(lineCount: Int) async throws {
        let line = String(repeating: "x", count: 200_000 / lineCount)
        let text = Array(String(repeating: line + "\n", count: lineCount).utf8)
        var iterator = SessionResponseBody.parts(of: text, 1).lines.makeAsyncIterator()
        for _ in 0..<lineCount { #expect(try await iterator.next() == line) }
        #expect(try await iterator.next() == nil)
    }

    @Test("A line is delivered before the next one arrives, also after a CR") func promptness() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let script: TestConnection.Script = { connection in
            _ = try await connection.head()
            try await connection.send("HTTP/1.1 200 OK", "Connection: close", "")
            try await connection.send(bytes: Array("one\r".utf8))
            for await _ in gate { break }
            try await connection.send(bytes: Array("\ntwo".utf8))
        }
        try await TestServer.with([[.script(script)]]) { server in
            try await withSession(HTTPSession.Configuration()) { session in
                var lines = try await session.get(server.url()).body.lines.makeAsyncIterator()
                #expect(try await lines.next() == "one")
                opener.yield()
                #expect(try await lines.next() == "two")
                #expect(try await lines.next() == nil)
            }
        }
    }

    /// The ways in which a reader can stop before the end of a body.
    enum Leaving: CaseIterable, Sendable { case breaking, cancelling, exceedingLimit, undecodable }

    @Test("A reader that stops ends the request", arguments: Leaving.allCases)
    func leaving(way: Leaving) async throws {
        let server = try await TestServer.start([
            [
                .receiveHead, .send("HTTP/1.1 200 OK", "Connection: close", "", "one"), .receiveRest,
            ]
        ])
        try await server.stop {
            try await withSession(HTTPSession.Configuration()) { session in
                let (arrival, arrived) = AsyncStream<String>.makeStream()
                let task = Task { [way] in
                    let body = try await session.get(server.url()).body
                    switch way {
                    case .exceedingLimit: for try await _ in body.lines(upTo: 2) {}
                    case .undecodable: for try await _ in body.jsonLines(as: Int.self) {}
                    case .breaking, .cancelling:
                        for try await line in body.lines {
                            arrived.yield(line)
                            if way == .breaking { break }
                        }
                    }
                }
                if way == .cancelling {
                    for await line in arrival {
                        #expect(line == "one")
                        break
                    }
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                } else {
                    _ = await task.result
                }
                #expect(await eventually { server.openConnectionCount == 0 })
            }
        }
    }

    @Test("A server waits while its lines are not read") func backpressure() async throws {
        let line = [UInt8](repeating: 0x78, count: 999) + [0x0A]
        let part = Array(repeatElement(line, count: 1000).joined())
        let script: TestConnection.Script = { connection in
            _ = try await connection.head()
            try await connection.send("HTTP/1.1 200 OK", "Connection: close", "")
            while true { try await connection.send(bytes: part) }
        }
        try await TestServer.with([[.script(script)]]) { server in
            try await withSession(HTTPSession.Configuration()) { session in
                var lines = try await session.get(server.url()).body.lines.makeAsyncIterator()
                for _ in 0..<10 { #expect(try await lines.next()?.utf8.count == 999) }
                // The server is stopped if the number of sent bytes does not change for a while.
                var (sent, repetitions) = (-1, 0)
                #expect(
                    await eventually {
                        let now = server.records.first?.sent.count ?? 0
                        (sent, repetitions) = (now, now == sent ? repetitions + 1 : 0)
                        return repetitions == 10
                    })
                #expect(sent < 32 << 20)
                #expect(try await lines.next()?.utf8.count == 999)
            }
        }
    }
}

/// One JSON value in each line.
@Suite struct JSONLinesTests {
    private struct Row: Codable, Equatable {
        let n: Int
    }

    @Test(
        "Each line is a value, and blank lines are skipped",
        arguments: [
            ("", []), ("\n \t\r\n", []), (#"{"n":1}"#, [1]), ("{\"n\":1}\r\n\n \t\n{ \"n\" : 2 }\n", [1, 2]),
            ("\u{FEFF}{\"n\":1}\n{\"n\":2}", [1, 2]),
        ] as [(String, [Int])], [1, 1000])
    func values(row: (text: String, values: [Int]), portion: Int) async throws {
        let rows = try await SessionResponseBody.parts(of: row.text.utf8, portion).jsonLines(as: Row.self).collected
        #expect(rows.map(\.n) == row.values)
    }

    @Test(
        "An error names the line, the type and the place, and ends the values",
        arguments: [
            (
                "\n{\"n\":1}\n{\"n\":\"x\"}\n{\"n\":2}",
                "Line 3 of the body cannot be decoded as Row: Int expected at n."
            ),
            ("{\"n\":1}\n{\"m\":1}\n", "Line 2 of the body cannot be decoded as Row: the key n is missing."),
            (
                "{\"n\":1}\n{\"n\":",
                "Line 2 of the body cannot be decoded as Row: it is not valid JSON, or a value does not fit its type."
            ),
        ])
    func errors(text: String, message: String) async throws {
        var iterator = SessionResponseBody.text(text).jsonLines(as: Row.self).makeAsyncIterator()
        #expect(try await iterator.next() == Row(n: 1))
        let error = await #expect(throws: SessionError.self) { _ = try await iterator.next() }
        #expect(error?.explanation.message == message)
        #expect(error?.code == "body.undecodable-line")
        #expect(try await iterator.next() == nil)
    }

    @Test("The caller chooses the decoder and the limit") func decoder() async throws {
        struct Bolt: Decodable, Equatable {
            let threadPitch: Double
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let text = "{\"thread_pitch\":0.7}\n"
        let bolts = try await SessionResponseBody.text(text).jsonLines(as: Bolt.self, decoder: decoder).collected
        #expect(bolts == [Bolt(threadPitch: 0.7)])
        let error = await #expect(throws: SessionError.self) {
            _ = try await SessionResponseBody.text(text).jsonLines(as: Bolt.self, upTo: 5).collected
        }
        #expect(error?.code == "limit.line-length")
    }
}

extension SessionResponseBody {
    /// Makes a body that arrives in parts of a size.
    static func parts(of bytes: some Collection<UInt8>, _ size: Int) -> SessionResponseBody {
        let bytes = Array(bytes)
        let (parts, next) = AsyncStream<ByteBuffer>.makeStream()
        for start in stride(from: 0, to: bytes.count, by: size) {
            next.yield(ByteBuffer(bytes: bytes[start..<Swift.min(start + size, bytes.count)]))
        }
        next.finish()
        return .stream(parts)
    }
}

extension AsyncSequence {
    /// All elements.
    var collected: [Element] {
        get async throws {
            var elements: [Element] = []
            for try await element in self { elements.append(element) }
            return elements
        }
    }
}
