// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import ErrorExplanations
import HTTPTypes
import TestServer
import Testing
import TrustRecipes

/// Server-sent events (HTML, section 9.2), with the cases that the suite `eventsource` of web-platform-tests covers.
@Suite struct ServerSentEventTests {
    /// A stream, and its events as type, data and last event ID.
    struct Row: Sendable {
        let stream: String
        let events: [[String?]]

        init(_ stream: String, _ events: [String?]...) { (self.stream, self.events) = (stream, events) }
    }

    private static let rows = [
        // The examples of section 9.2.6.
        Row("data: ACME\ndata: +2\ndata: 10\n\n", ["message", "ACME\n+2\n10", nil]),
        Row(
            ": a comment\n\ndata: first\nid: 1\n\ndata:second\nid\n\ndata:  third\n\n",
            ["message", "first", "1"], ["message", "second", ""], ["message", " third", ""]),
        Row("data\n\ndata\ndata\n\ndata:", ["message", "", nil], ["message", "\n", nil]),
        Row("data:x\n\ndata: x\n\n", ["message", "x", nil], ["message", "x", nil]),
        // Terminators, also mixed.
        Row(
            "data:a\r\rdata:b\r\n\r\ndata:c\n\n", ["message", "a", nil], ["message", "b", nil], ["message", "c", nil]),
        Row("data:a\r\ndata:b\r\rdata:c\n\r\n", ["message", "a\nb", nil], ["message", "c", nil]),
        Row("\n\r\n\r\n\ndata:a\n\n\n\n", ["message", "a", nil]),
        // The byte order mark is skipped at the start only, and only once.
        Row("\u{FEFF}data:a\n\n\u{FEFF}data:b\n\ndata:c\n\n", ["message", "a", nil], ["message", "c", nil]),
        Row("\u{FEFF}\u{FEFF}data:a\n\ndata:b\n\n", ["message", "b", nil]),
        Row("\u{FEFF}\ndata:a\n\n", ["message", "a", nil]),
        // Comments do not interrupt an event.
        Row(
            ":\r:x\ndata:1\r:\0\n:\r\ndata:2\n:data:3\n: \(String(repeating: "x", count: 3000))\n\n",
            ["message", "1\n2", nil]),
        // The names are exact; unknown fields are ignored.
        Row(
            "data:a\n data:b\nData:c\ndata\0:d\nda-ta:e\ndata :f\ndata_\nother:g\n:data\ndata:h\n\n",
            ["message", "a\nh", nil]),
        // Only one space after the colon is removed, and no other character.
        Row("data:\ta\ndata:  b \ndata::c\n\n", ["message", "\ta\n b \n:c", nil]),
        Row("data:a\0b\n\n", ["message", "a\0b", nil]),
        Row("data:é€😀\n\n", ["message", "é€😀", nil]),
        // The type belongs to one event, even if that event has no data.
        Row(
            "event:a\nevent: b\ndata:1\n\ndata:2\n\nevent:c\n\ndata:3\n\nevent:d\nevent\ndata:4\n\n",
            ["b", "1", nil], ["message", "2", nil], ["message", "3", nil], ["message", "4", nil]),
        Row("event:  a \ndata:1\n\n", [" a ", "1", nil]),
        // The ID persists until another one, also one of an event without data.
        Row(
            "id: 1\ndata:a\n\ndata:b\n\nid:2\n\ndata:c\n\nid\ndata:d\n\ndata:e\n\n", ["message", "a", "1"],
            ["message", "b", "1"], ["message", "c", "2"], ["message", "d", ""], ["message", "e", ""]),
        Row("id:1\ndata:a\n\nid:2\0\ndata:b\n\n", ["message", "a", "1"], ["message", "b", "1"]),
        Row("id:…\nid: é\ndata:a\n\n", ["message", "a", "é"]),
        // An incomplete event is discarded.
        Row("data:a\n\nid:2\ndata:b\n", ["message", "a", nil]),
        Row("data:a"),
        Row("retry:1\ndata:a\n\n", ["message", "a", nil]),
        Row(""),
    ]

    @Test("Events are parsed as the standard says", arguments: rows, [1, 2, 7, 100_000])
    func events(row: Row, portion: Int) async throws {
        let events = try await SessionResponseBody.parts(of: row.stream.utf8, portion).events.collected
        #expect(events.map { [$0.type, $0.data, $0.lastEventID] } == row.events)
    }

    @Test("Invalid UTF-8 is replaced") func invalidText() async throws {
        let bytes = Array("data:a".utf8) + [0xE9] + Array("\nid:".utf8) + [0xFF] + Array("\n\n".utf8)
        let events = try await SessionResponseBody.parts(of: bytes, 1).events.collected
        #expect(events.map(\.data) == ["a\u{FFFD}"])
        #expect(events.map(\.lastEventID) == ["\u{FFFD}"])
    }

    @Test(
        "The state for the next request is that of the complete events",
        arguments: [
            ("", nil, nil),
            ("id: 7\nretry: 1500\n\n", "7", .milliseconds(1500)),
            ("id: 7\n\nid: 8\nretry: 10\ndata: x\n", "7", .milliseconds(10)),
            ("retry:2000\nretry:1000x\n", nil, .milliseconds(2000)),
            ("retry\nretry:\nretry: -1\nretry:+1\nretry: 1.5\nretry:１\nretry:  1\n", nil, nil),
            ("retry: 99999999999999999999\n", nil, nil),
            ("retry: 10", nil, nil),
            ("retry: 00010\n", nil, .milliseconds(10)),
        ] as [(String, String?, Duration?)])
    func state(stream: String, lastEventID: String?, reconnectionTime: Duration?) async throws {
        var iterator = SessionResponseBody.parts(of: stream.utf8, 1).events.makeAsyncIterator()
        while try await iterator.next() != nil {}
        #expect(iterator.lastEventID == lastEventID)
        #expect(iterator.reconnectionTime == reconnectionTime)
    }

    @Test(
        "A line or an event over the limit is an error, and ends the events",
        arguments: [
            ("data:abc\ndata:def\ndata:ghi\n\n", "limit.event-size"),
            ("data\ndata:abc\ndata\ndata:d\n\ndata:1\n" + String(repeating: "data\n", count: 12), "limit.event-size"),
            ("data:abcdefgh\n\n", "limit.line-length"),
            (":abcdefghijklm", "limit.line-length"),
        ], [1, 100])
    func limits(row: (stream: String, code: String), portion: Int) async throws {
        let limit = row.code == "limit.event-size" ? 10 : 12
        var events = SessionResponseBody.parts(of: "data:1\n\n\(row.stream)".utf8, portion).events(upTo: limit)
            .makeAsyncIterator()
        #expect(try await events.next()?.data == "1")
        let error = await #expect(throws: SessionError.self) { while try await events.next() != nil {} }
        #expect(error?.code == row.code)
        #expect(try await events.next() == nil)
    }

    @Test("An event of very many parts is read") func smallParts() async throws {
        let data = String(repeating: "x", count: 99)
        let stream = String(repeating: "data:\(data)\n", count: 2_000) + "\n"
        let events = try await SessionResponseBody.parts(of: stream.utf8, 1).events.collected
        #expect(events.map(\.data) == [repeatElement(data, count: 2_000).joined(separator: "\n")])
    }

    @Test("A new request continues after the last event") func reconnect() async throws {
        let head = ["HTTP/1.1 200 OK", "Content-Type: text/event-stream;charset=x", "Connection: close", ""]
        func script(_ stream: String) -> TestServer.Behavior {
            .script { connection in
                _ = try await connection.head()
                for line in head { try await connection.send(line) }
                try await connection.send(bytes: Array(stream.utf8))
            }
        }
        let first = script("id: ä1\ndata: a\n\nid: 2\nretry: 5\n\ndata: incomplete\n")
        try await TestServer.with([[first], [script("data: b\n\n")]]) { server in
            try await withSession(HTTPSession.Configuration()) { session in
                var (lastEventID, received): (String?, [String]) = (nil, [])
                for _ in 1...2 {
                    let request = SessionRequest.get(server.url()).eventStream(after: lastEventID)
                    let response = try await session.send(request).expecting(.ok).expecting(type: "text/event-stream")
                    var events = response.body.events.makeAsyncIterator()
                    while let event = try await events.next() { received.append(event.data) }
                    lastEventID = events.lastEventID ?? lastEventID
                }
                #expect(received == ["a", "b"])
                #expect(lastEventID == "2")
            }
            let requests = server.received.map { String(decoding: $0, as: UTF8.self).lowercased() }
            #expect(requests.map { $0.contains("\r\nlast-event-id: 2\r\n") } == [false, true])
            #expect(requests.allSatisfy { $0.contains("\r\naccept: text/event-stream\r\n") })
            #expect(requests.allSatisfy { $0.contains("\r\ncache-control: no-cache\r\n") })
        }
    }

    @Test("An empty ID is not sent") func emptyID() {
        #expect(SessionRequest.get("http://a.example/").eventStream(after: "").headerFields.count == 2)
    }

    @Test(
        "A response of another media type is refused",
        arguments: [
            ("text/event-stream", true), ("Text/Event-Stream; charset=windows-1252", true),
            ("text/event-stream;", true),
            ("text/event-stream-x", false), ("text/html", false), ("", false), (nil, false),
        ] as [(String?, Bool)])
    func mediaType(field: String?, isAccepted: Bool) async throws {
        let response = try await StandIn(type: field, text: "data:x\n\n").get("http://a.example/")
        guard !isAccepted else {
            #expect(try await response.expecting(type: "text/event-stream").body.events.collected.count == 1)
            return
        }
        let error = await #expect(throws: SessionError.self) { try await response.expecting(type: "text/event-stream") }
        #expect(error?.code == "response.unexpected-content-type")
    }
}

/// Event streams of random bytes, compared with a parser that reads the complete text as the standard describes it.
@Suite struct ServerSentEventPropertyTests {
    /// Parses a complete stream by the steps of the standard (HTML, section 9.2.6).
    private static func events(in bytes: [UInt8]) -> [[String?]] {
        var text = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
        if text.first == "\u{FEFF}" { text.removeFirst() }
        var (events, data, type): ([[String?]], [String], String) = ([], [], "")
        var id: String?
        while let end = text.firstIndex(where: { $0 == "\n" || $0 == "\r" }) {
            let line = text[..<end]
            let isPair = text[end...].starts(with: "\r\n".unicodeScalars)
            text = text[end...].dropFirst(isPair ? 2 : 1)
            guard !line.isEmpty else {
                if !data.isEmpty {
                    events.append([type.isEmpty ? "message" : type, data.joined(separator: "\n"), id])
                }
                (data, type) = ([], "")
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            var field = parts.dropFirst().first ?? Substring.UnicodeScalarView()
            if field.first == " " { field.removeFirst() }
            let value = String(String.UnicodeScalarView(field))
            switch String(String.UnicodeScalarView(parts[0])) {
            case "data": data.append(value)
            case "event": type = value
            case "id" where !field.contains("\0"): id = value
            default: break
            }
        }
        return events
    }

    @Test("Any bytes in parts of any size give the events of the standard", arguments: UInt64(0)..<200) func streams(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "data", "event", "id", ":", ":", " ", "\n", "\n", "\n", "\r", "\r", "\r\n", "\n\n", "\0", "\u{FEFF}", "é",
            "x",
        ]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...200, using: &random) {
            if Int.random(in: 0..<30, using: &random) == 0 {
                bytes.append(UInt8.random(in: 0x80...0xFF, using: &random))
            } else {
                bytes += Array((pieces.randomElement(using: &random) ?? "").utf8)
            }
        }
        let portion = Int.random(in: 1...20, using: &random)
        let events = try await SessionResponseBody.parts(of: bytes, portion).events.collected
        #expect(events.map { [$0.type, $0.data, $0.lastEventID] } == Self.events(in: bytes), "\(bytes)")
    }
}
