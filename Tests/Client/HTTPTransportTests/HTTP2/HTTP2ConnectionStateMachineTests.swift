// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import Testing

@testable import HTTPTransport

@Suite("HTTP/2 connection state machine")
struct HTTP2ConnectionStateMachineTests {
    typealias Machine = HTTP2ConnectionStateMachine

    /// A connection under test.
    struct Scene {
        var machine: Machine

        /// Opens a connection whose server has sent its settings.
        init(settings: [UInt8] = FrameBytes.settings(), firstStreamID: HTTP2StreamID = 1) throws {
            machine = Machine(firstStreamID: firstStreamID)
            _ = try receive(settings)
            _ = written()
        }

        mutating func receive(_ bytes: [UInt8]...) throws(HTTP2ConnectionError) -> [Machine.Event] {
            machine.receive(ByteBuffer(bytes: bytes.flatMap { $0 }))
            var events: [Machine.Event] = []
            while let event = try machine.next() { events.append(event) }
            return events
        }

        mutating func written() -> [WrittenFrame] {
            WrittenFrame.all(in: machine.takeOutbound())
        }

        @discardableResult
        mutating func open(_ method: HTTPRequest.Method = .get, endStream: Bool = true) throws -> HTTP2StreamID {
            let request = HTTPRequest(method: method, scheme: "https", authority: "a.test", path: "/")
            let id = try machine.open(request, endStream: endStream)
            _ = written()
            return id
        }

        mutating func send(_ count: Int, on id: HTTP2StreamID, endStream: Bool = false) -> (isComplete: Bool, left: Int)
        {
            var part = ByteBuffer(repeating: 1, count: count)
            let isComplete = machine.send(&part, on: id, endStream: endStream)
            return (isComplete, part.readableBytes)
        }
    }

    private static let response = HTTPResponse(status: .ok)

    // MARK: The connection

    @Test("The client starts with the preface, its settings and its window")
    func preface() {
        var machine = Machine()
        let bytes = machine.takeOutbound()
        #expect(bytes.map { String(buffer: $0).hasPrefix("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") } == true)
        let settings = [0, 2, 0, 0, 0, 0, 0, 4, 0, 16, 0, 0, 0, 6, 0, 4, 0, 0] as [UInt8]
        let window = FrameBytes.bytes(UInt32((8 << 20) - 65_535))
        #expect(
            WrittenFrame.all(in: bytes) == [WrittenFrame(4, 0, on: 0, settings), WrittenFrame(8, 0, on: 0, window)])
    }

    @Test("The server's settings are acknowledged, and a PING is answered")
    func answers() throws {
        var scene = try Scene()
        #expect(try scene.receive(FrameBytes.settings((3, 7)), FrameBytes.ping()) == [.settings])
        #expect(scene.machine.streamLimit == 7)
        #expect(scene.written() == [WrittenFrame(4, 1), WrittenFrame(6, 1, on: 0, [0, 1, 2, 3, 4, 5, 6, 7])])
    }

    @Test(
        "If the first frame is not SETTINGS, the connection ends",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n", HTTP2ConnectionError.notHTTP2),
            ("\0\0\0\u{6}", .violation(.frameSizeError)),
        ])
    func wrongPreface(text: String, error: HTTP2ConnectionError) {
        var machine = Machine()
        machine.receive(ByteBuffer(bytes: Array(text.utf8) + [0, 0, 0, 0, 0]))
        #expect(throws: error) { try machine.next() }
        #expect(throws: Never.self) { try machine.next() }
        #expect(machine.isDraining)
    }

    @Test("A response before the settings ends the connection")
    func noSettings() throws {
        var machine = Machine()
        machine.receive(ByteBuffer(bytes: FrameBytes.headers()))
        #expect(throws: HTTP2ConnectionError.violation(.protocolError)) { try machine.next() }
    }

    struct Violation: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let code: HTTPTransport.HTTP2ErrorCode

        init(_ name: String, _ bytes: [[UInt8]], _ code: HTTPTransport.HTTP2ErrorCode = .protocolError) {
            (testDescription, self.bytes, self.code) = (name, bytes.flatMap { $0 }, code)
        }
    }

    static let violations: [Violation] = [
        Violation("HEADERS on an even stream", [FrameBytes.headers(on: 2)]),
        Violation("HEADERS on an idle stream", [FrameBytes.headers(on: 101)]),
        Violation("DATA on an idle stream", [FrameBytes.data("a", on: 3)]),
        Violation("RST_STREAM on an idle stream", [FrameBytes.reset(0, on: 3)]),
        Violation("WINDOW_UPDATE on an idle stream", [FrameBytes.windowUpdate(1, on: 3)]),
        Violation("a WINDOW_UPDATE of zero for the connection", [FrameBytes.windowUpdate(0)]),
        Violation(
            "an overflow of the connection's window", [FrameBytes.windowUpdate(0x7fff_ffff)], .flowControlError),
        Violation(
            "an overflow of a stream's window by settings",
            [FrameBytes.windowUpdate(0x7fff_0000, on: 1), FrameBytes.settings((4, 0x7fff_ffff))], .flowControlError),
        Violation(
            "DATA beyond the window of a stream",
            [FrameBytes.headers()]
                + Array(repeating: FrameBytes.data(String(repeating: "a", count: 16_384)), count: 65),
            .flowControlError),
    ]

    @Test("A connection error ends the connection with GOAWAY", arguments: violations)
    func violating(row: Violation) throws {
        var scene = try Scene()
        try scene.open(.post, endStream: false)
        #expect(throws: HTTP2ConnectionError.violation(row.code)) { try scene.receive(row.bytes) }
        #expect(scene.written().last == WrittenFrame(7, 0, on: 0, [0, 0, 0, 0] + FrameBytes.bytes(row.code.rawValue)))
        #expect(!scene.machine.canOpenStream)
        #expect(try scene.receive(FrameBytes.headers()) == [])
    }

    static let floods: [(name: String, frame: [UInt8])] = [
        ("SETTINGS", FrameBytes.settings()), ("PING", FrameBytes.ping()), ("empty DATA", FrameBytes.data("")),
        ("padding", FrameBytes.frame(0, 8, on: 1, [1, 0])),
        ("PRIORITY", FrameBytes.frame(2, 0, on: 9, [0, 0, 0, 0, 0])),
        ("WINDOW_UPDATE", FrameBytes.windowUpdate(1, on: 1)), ("RST_STREAM", FrameBytes.reset(8, on: 3)),
        ("HEADERS of a stream that has ended", FrameBytes.headers(on: 3)), ("GOAWAY", FrameBytes.goAway(1)),
        ("unknown frames", FrameBytes.frame(0xfa)),
    ]

    @Test("A flood ends the connection", arguments: floods)
    func flooding(name: String, frame: [UInt8]) throws {
        var scene = try Scene()
        try scene.open()
        scene.machine.reset(try scene.open(), .cancel)
        _ = try scene.receive(FrameBytes.headers())
        let flood = Array(repeating: frame, count: HTTP2FloodGuard.frameLimit / 2).flatMap { $0 }
        _ = try scene.receive(flood)
        // A part of a response between the frames means that they are no flood.
        _ = try scene.receive(FrameBytes.data("a"))
        _ = scene.written()
        _ = try scene.receive(flood)
        _ = scene.written()
        #expect(throws: HTTP2ConnectionError.violation(.enhanceYourCalm)) { try scene.receive(flood, frame) }
    }

    @Test("The queued answers to a server that does not read are limited")
    func unreadAnswers() throws {
        var scene = try Scene()
        try scene.open()
        _ = try scene.receive(FrameBytes.headers())
        #expect(throws: HTTP2ConnectionError.violation(.enhanceYourCalm)) {
            for _ in 0..<20 {
                _ = try scene.receive(FrameBytes.data("a"))
                for _ in 0..<1_000 { _ = try scene.receive(FrameBytes.ping()) }
            }
        }
    }

    @Test("DATA for a stream that was reset is ignored up to the stream's window")
    func lateData() throws {
        var scene = try Scene()
        let id = try scene.open()
        _ = try scene.receive(FrameBytes.headers())
        scene.machine.reset(id, .cancel)
        #expect(scene.written() == [WrittenFrame(3, 0, on: 1, [0, 0, 0, 8])])
        let data = FrameBytes.data(String(repeating: "a", count: 16_384))
        for _ in 0..<64 { #expect(try scene.receive(data) == []) }
        #expect(throws: HTTP2ConnectionError.violation(.flowControlError)) {
            for _ in 0..<4 { _ = try scene.receive(data) }
        }
    }

    // MARK: Streams

    @Test("Streams have odd identifiers, up to the largest one, and then the connection drains")
    func identifiers() throws {
        var scene = try Scene(firstStreamID: 0x7fff_fffd)
        #expect(try scene.open() == 0x7fff_fffd)
        #expect(!scene.machine.isDraining)
        #expect(try scene.open() == 0x7fff_ffff)
        #expect(scene.machine.isDraining)
        #expect(
            try scene.receive(FrameBytes.headers(on: 0x7fff_ffff, endStream: true))
                == [.head(0x7fff_ffff, Self.response, endStream: true)])
    }

    @Test("The number of open streams does not exceed the server's limit")
    func streamLimit() throws {
        var scene = try Scene(settings: FrameBytes.settings((3, 2)))
        try scene.open()
        #expect(scene.machine.canOpenStream)
        try scene.open()
        #expect(!scene.machine.canOpenStream)
        _ = try scene.receive(FrameBytes.headers(endStream: true))
        #expect(scene.machine.canOpenStream)
        _ = try scene.receive(FrameBytes.settings((3, 0)))
        #expect(!scene.machine.canOpenStream)
    }

    @Test("After GOAWAY, later streams count as unprocessed, and a second GOAWAY can only lower the last stream")
    func goAway() throws {
        var scene = try Scene()
        for _ in 0..<3 { try scene.open() }
        #expect(try scene.receive(FrameBytes.goAway(3)) == [.goAway(notProcessed: [5], GoAway(code: 0))])
        #expect(!scene.machine.canOpenStream)
        #expect(try scene.receive(FrameBytes.goAway(5, 11)) == [.goAway(notProcessed: [], GoAway(code: 11))])
        #expect(try scene.receive(FrameBytes.goAway(1)) == [.goAway(notProcessed: [3], GoAway(code: 0))])
        #expect(try scene.receive(FrameBytes.headers()) == [.head(1, Self.response, endStream: false)])
    }

    @Test("A reset ends its stream only, and a reset after the response is ignored", arguments: [0, 7, 8, 13])
    func reset(code: UInt32) throws {
        var scene = try Scene()
        try scene.open()
        let error = HTTP2StreamError.reset(StreamReset(code: code))
        #expect(try scene.receive(FrameBytes.reset(code)) == [.streamFailed(1, error)])
        #expect(try scene.receive(FrameBytes.reset(code)) == [])
        let id = try scene.open()
        #expect(
            try scene.receive(FrameBytes.headers(on: id, endStream: true), FrameBytes.reset(0, on: id))
                == [.head(id, Self.response, endStream: true)])
    }

    // MARK: Responses

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let events: [Machine.Event]

        init(_ name: String, _ bytes: [[UInt8]], _ events: Machine.Event...) {
            (testDescription, self.bytes, self.events) = (name, bytes.flatMap { $0 }, events)
        }
    }

    private static func head(_ fields: HTTPFields = [:], status: HTTPResponse.Status = .ok, endStream: Bool = false)
        -> Machine.Event
    {
        .head(1, HTTPResponse(status: status, headerFields: fields), endStream: endStream)
    }

    private static func data(_ text: String, endStream: Bool = false) -> Machine.Event {
        .data(1, ByteBuffer(string: text), endStream: endStream)
    }

    static let responses: [Row] = [
        Row(
            "a head and a body", [FrameBytes.headers(), FrameBytes.data("a"), FrameBytes.data("b", endStream: true)],
            head(), data("a"), data("b", endStream: true)),
        Row(
            "a body that ends in an empty frame", [FrameBytes.headers(), FrameBytes.data("", endStream: true)],
            head(), data("", endStream: true)),
        Row(
            "an announced length",
            [
                FrameBytes.headers([(":status", "200"), ("content-length", "2")]),
                FrameBytes.data("ab", endStream: true),
            ],
            head([.contentLength: "2"]), data("ab", endStream: true)),
        Row(
            "whitespace around values, which is removed",
            [
                FrameBytes.headers(
                    [(":status", "200"), ("etag", " a b\t"), ("server", " \t")], endStream: true)
            ],
            head([.eTag: "a b", .server: ""], endStream: true)),
        Row(
            "304 with the length of the unmodified resource",
            [FrameBytes.headers([(":status", "304"), ("content-length", "2")], endStream: true)],
            head([.contentLength: "2"], status: .notModified, endStream: true)),
        Row(
            "interim responses", [FrameBytes.headers([(":status", "100")]), FrameBytes.headers(endStream: true)],
            .information(1, .continue), head(endStream: true)),
        Row(
            "101, which the exchange refuses", [FrameBytes.headers([(":status", "101")], endStream: true)],
            .information(1, .switchingProtocols)),
        Row(
            "trailers", [FrameBytes.headers(), FrameBytes.headers([("a", "b")], endStream: true)],
            head(), .trailers(1)),
        Row(
            "an invalid status code", [FrameBytes.headers([(":status", "999")], endStream: true)],
            head(status: 999, endStream: true)),
    ]

    @Test("The frames of a response become events", arguments: responses)
    func responding(row: Row) throws {
        var scene = try Scene()
        try scene.open()
        #expect(try scene.receive(row.bytes) == row.events)
    }

    private static func malformed(_ fields: (String, String)..., endStream: Bool = false) -> [[UInt8]] {
        [FrameBytes.headers(fields, endStream: endStream)]
    }

    static let malformed: [(name: String, bytes: [[UInt8]])] = [
        ("no status", malformed(("x", "y"))),
        ("two statuses", malformed((":status", "200"), (":status", "200"))),
        ("a status after a field", malformed(("x", "y"), (":status", "200"))),
        ("a pseudo-field of a request", malformed((":status", "200"), (":path", "/"))),
        ("an unknown pseudo-field", malformed((":status", "200"), (":x", "y"))),
        ("an uppercase name", malformed((":status", "200"), ("X", "y"))),
        ("a name with a space", malformed((":status", "200"), ("x y", "z"))),
        ("Connection", malformed((":status", "200"), ("connection", "close"))),
        ("Transfer-Encoding", malformed((":status", "200"), ("transfer-encoding", "chunked"))),
        ("Upgrade", malformed((":status", "200"), ("upgrade", "h3"))),
        ("NUL in a value", malformed((":status", "200"), ("x", "a\u{0}b"))),
        ("LF in a value", malformed((":status", "200"), ("x", "a\nb"))),
        ("CR in a value", malformed((":status", "200"), ("x", "a\rb"))),
        ("a length that is not a number", malformed((":status", "200"), ("content-length", "-1"))),
        ("two lengths", malformed((":status", "200"), ("content-length", "1"), ("content-length", "2"))),
        ("a length without a body", malformed((":status", "200"), ("content-length", "1"), endStream: true)),
        ("100 that ends the stream", malformed((":status", "100"), endStream: true)),
        ("DATA before a head", [FrameBytes.data("a")]),
        (
            "a body that is too long",
            malformed((":status", "200"), ("content-length", "1")) + [FrameBytes.data("ab")]
        ),
        (
            "a body that is too short",
            malformed((":status", "200"), ("content-length", "3")) + [FrameBytes.data("ab", endStream: true)]
        ),
        (
            "trailers after a body that is too short",
            malformed((":status", "200"), ("content-length", "3")) + [FrameBytes.headers([("a", "b")], endStream: true)]
        ),
        ("trailers that do not end the stream", [FrameBytes.headers(), FrameBytes.headers([("a", "b")])]),
        ("a status in trailers", [FrameBytes.headers(), FrameBytes.headers(endStream: true)]),
        ("a WINDOW_UPDATE of zero", [FrameBytes.windowUpdate(0, on: 1)]),
    ]

    @Test("A malformed response fails its stream, and the connection continues", arguments: malformed)
    func malformedResponse(name: String, bytes: [[UInt8]]) throws {
        var scene = try Scene()
        try scene.open()
        #expect(try scene.receive(bytes.flatMap { $0 }).last == .streamFailed(1, .malformed))
        #expect(scene.written() == [WrittenFrame(3, 0, on: 1, [0, 0, 0, 1])])
        let id = try scene.open()
        #expect(
            try scene.receive(FrameBytes.headers(on: id, endStream: true))
                == [.head(id, Self.response, endStream: true)])
    }

    @Test("A status is three digits", arguments: ["000", "099", "1000", "2x0", "+20", "", "٢٠٠"])
    func malformedStatus(status: String) throws {
        var scene = try Scene()
        try scene.open()
        #expect(
            try scene.receive(FrameBytes.headers([(":status", status)])) == [.streamFailed(1, .malformedStatus)])
    }

    @Test("A response to HEAD has no body, whatever its Content-Length")
    func responseToHead() throws {
        var scene = try Scene()
        try scene.open(.head)
        let fields = [(":status", "200"), ("content-length", "5")]
        #expect(
            try scene.receive(FrameBytes.headers(fields, endStream: true))
                == [Self.head([.contentLength: "5"], endStream: true)])
    }
}
