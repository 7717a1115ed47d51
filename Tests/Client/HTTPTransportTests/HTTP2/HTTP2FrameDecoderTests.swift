// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHPACK
import Testing

@testable import HTTPTransport

@Suite("HTTP/2 frame decoder")
struct HTTP2FrameDecoderTests {
    private static let status = FrameBytes.block([(":status", "200")])

    private static func decode(_ bytes: [UInt8], portion: Int = .max) throws(HTTP2ConnectionError) -> [HTTPTransport
        .HTTP2Frame]
    {
        var decoder = HTTP2FrameDecoder(headLimit: 1 << 16)
        var (frames, rest) = ([HTTPTransport.HTTP2Frame](), bytes[...])
        while !rest.isEmpty {
            decoder.append(ByteBuffer(bytes: rest.prefix(portion)))
            rest = rest.dropFirst(portion)
            while let (frame, _) = try decoder.next() { frames.append(frame) }
        }
        return frames
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let frames: [HTTPTransport.HTTP2Frame]

        init(_ name: String, _ bytes: [UInt8], _ frames: HTTPTransport.HTTP2Frame...) {
            (testDescription, self.bytes, self.frames) = (name, bytes, frames)
        }
    }

    static let rows: [Row] = [
        Row(
            "DATA", FrameBytes.data("good", endStream: true),
            .data(1, ByteBuffer(string: "good"), size: 4, endStream: true)),
        Row(
            "DATA with padding", FrameBytes.frame(0, 8, on: 1, [2, 0x61, 0, 0]),
            .data(1, ByteBuffer(string: "a"), size: 4, endStream: false)),
        Row(
            "DATA of padding only", FrameBytes.frame(0, 8, on: 1, [1, 0]),
            .data(1, ByteBuffer(), size: 2, endStream: false)),
        Row("HEADERS", FrameBytes.headers(), .headers(1, [":status": "200"], endStream: false)),
        Row(
            "HEADERS with a priority and padding", FrameBytes.frame(1, 0x2d, on: 1, [1, 0, 0, 0, 0, 9] + status + [0]),
            .headers(1, [":status": "200"], endStream: true)),
        Row(
            "a header block in three frames",
            FrameBytes.frame(1, 1, on: 1, Array(status.prefix(3))) + FrameBytes.frame(9, 0, on: 1)
                + FrameBytes.frame(9, 4, on: 1, Array(status.dropFirst(3))),
            .ignored, .ignored, .headers(1, [":status": "200"], endStream: true)),
        Row("PRIORITY", FrameBytes.frame(2, 0, on: 3, [0, 0, 0, 0, 1]), .priority),
        Row("RST_STREAM", FrameBytes.reset(8), .reset(1, .cancel)),
        Row("the acknowledgement of SETTINGS", FrameBytes.frame(4, 1), .settingsAcknowledgement),
        Row("PING", FrameBytes.ping(), .ping(0x0001_0203_0405_0607)),
        Row("the answer to a PING", FrameBytes.ping(1), .pingAcknowledgement),
        Row(
            "GOAWAY with a reserved bit", FrameBytes.goAway(0x8000_0005, 11),
            .goAway(lastStreamID: 5, GoAway(code: 11))),
        Row(
            "GOAWAY with debug data", FrameBytes.frame(7, 0, on: 0, [0, 0, 0, 1, 0, 0, 0, 0, 0x61]),
            .goAway(lastStreamID: 1, GoAway(code: 0, debugData: "a"))),
        Row(
            "GOAWAY with more debug data than is stored",
            FrameBytes.frame(7, 0, on: 0, [0, 0, 0, 1, 0, 0, 0, 2] + Array(repeating: 0x61, count: 300)),
            .goAway(lastStreamID: 1, GoAway(code: 2, debugData: String(repeating: "a", count: 200)))),
        Row("WINDOW_UPDATE", FrameBytes.windowUpdate(7, on: 3), .windowUpdate(3, increment: 7)),
        Row("an unknown type", FrameBytes.frame(0xfa, 0xff, on: 9, [1, 2, 3]), .ignored),
        Row(
            "a stream identifier with the reserved bit", FrameBytes.reset(7, on: 0x8000_0001), .reset(1, .refusedStream)
        ),
    ]

    @Test("A frame is decoded from portions of any size", arguments: rows, [1, 2, 7, Int.max])
    func reading(row: Row, portion: Int) throws {
        #expect(try Self.decode(row.bytes, portion: portion) == row.frames)
    }

    @Test("The last value of a repeated setting applies, and unknown settings are ignored")
    func settings() throws {
        let bytes = FrameBytes.settings((1, 0), (1, 100), (2, 0), (3, 5), (3, 7), (4, 9), (5, 20_000), (0x99, 1))
        guard case .settings(let settings)? = try Self.decode(bytes).first else {
            Issue.record("no settings")
            return
        }
        #expect(settings.headerTableSize == 100)
        #expect(settings.minimumHeaderTableSize == 0)
        #expect(settings.maxConcurrentStreams == 7)
        #expect(settings.initialWindowSize == 9)
        #expect(settings.maxFrameSize == 20_000)
    }

    struct Violation: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let code: HTTPTransport.HTTP2ErrorCode

        init(_ name: String, _ bytes: [UInt8], _ code: HTTPTransport.HTTP2ErrorCode = .protocolError) {
            (testDescription, self.bytes, self.code) = (name, bytes, code)
        }
    }

    static let violations: [Violation] = [
        Violation("a frame larger than allowed", FrameBytes.frame(0, 0, on: 1, size: 16_385), .frameSizeError),
        Violation("DATA on the connection", FrameBytes.data("a", on: 0)),
        Violation("DATA with more padding than payload", FrameBytes.frame(0, 8, on: 1, [3, 1, 2])),
        Violation("DATA whose padding has no length", FrameBytes.frame(0, 8, on: 1), .frameSizeError),
        Violation("HEADERS on the connection", FrameBytes.headers(on: 0)),
        Violation("HEADERS with half a priority", FrameBytes.frame(1, 0x24, on: 1, [1, 2]), .frameSizeError),
        Violation(
            "a block with an undefined table reference", FrameBytes.frame(1, 4, on: 1, [0xfe]), .compressionError),
        Violation("a field without a name", FrameBytes.frame(1, 4, on: 1, [0, 0, 0]), .compressionError),
        Violation("PRIORITY on the connection", FrameBytes.frame(2, 0, on: 0, [0, 0, 0, 0, 1])),
        Violation("PRIORITY of a wrong size", FrameBytes.frame(2, 0, on: 1, [0, 0, 0, 0]), .frameSizeError),
        Violation("RST_STREAM on the connection", FrameBytes.reset(0, on: 0)),
        Violation("RST_STREAM of a wrong size", FrameBytes.frame(3, 0, on: 1, [0]), .frameSizeError),
        Violation("SETTINGS on a stream", FrameBytes.frame(4, 0, on: 1)),
        Violation("half a setting", FrameBytes.frame(4, 0, on: 0, [0, 3, 0]), .frameSizeError),
        Violation("an acknowledgement of SETTINGS with settings", FrameBytes.frame(4, 1, on: 0, [1]), .frameSizeError),
        Violation("a server that enables pushes", FrameBytes.settings((2, 1))),
        Violation("a window that is too large", FrameBytes.settings((4, 0x8000_0000)), .flowControlError),
        Violation("a frame size that is too small", FrameBytes.settings((5, 16_383))),
        Violation("a frame size that is too large", FrameBytes.settings((5, 0x100_0000))),
        Violation("PUSH_PROMISE", FrameBytes.frame(5, 4, on: 1, [0, 0, 0, 2])),
        Violation("PING on a stream", FrameBytes.frame(6, 0, on: 1, Array(repeating: 0, count: 8))),
        Violation("a short PING", FrameBytes.frame(6, 0, on: 0, [1, 2, 3]), .frameSizeError),
        Violation("GOAWAY on a stream", FrameBytes.frame(7, 0, on: 1, Array(repeating: 0, count: 8))),
        Violation("a short GOAWAY", FrameBytes.frame(7, 0, on: 0, [0, 0, 0, 0, 0]), .frameSizeError),
        Violation("WINDOW_UPDATE of a wrong size", FrameBytes.frame(8, 0, on: 0, [0, 0, 1]), .frameSizeError),
        Violation("CONTINUATION without a header block", FrameBytes.frame(9, 4, on: 1)),
        Violation(
            "CONTINUATION of another stream", FrameBytes.frame(1, 0, on: 1, status) + FrameBytes.frame(9, 4, on: 3)),
        Violation("PING in a header block", FrameBytes.frame(1, 0, on: 1, status) + FrameBytes.ping()),
        Violation("an unknown frame in a header block", FrameBytes.frame(1, 0, on: 1) + FrameBytes.frame(0xfa)),
        Violation(
            "more CONTINUATION frames than allowed",
            FrameBytes.frame(1, 0, on: 1)
                + Array(repeating: FrameBytes.frame(9, 0, on: 1), count: HTTP2FrameDecoder.continuationLimit + 1)
                .flatMap { $0 }, .enhanceYourCalm),
    ]

    @Test("A malformed frame ends the connection with the error of RFC 9113", arguments: violations, [1, Int.max])
    func violating(row: Violation, portion: Int) {
        #expect(throws: HTTP2ConnectionError.violation(row.code)) { try Self.decode(row.bytes, portion: portion) }
    }

    @Test(
        "A head over the size limit is refused with a specific error",
        arguments: [
            FrameBytes.frame(1, 0, on: 1)
                + Array(repeating: FrameBytes.frame(9, 0, on: 1, Array(repeating: 0, count: 16_384)), count: 5)
                .flatMap { $0 },
            FrameBytes.frame(
                1, 4, on: 1,
                [0x40, 1, 0x61, 100] + Array(repeating: 0x62, count: 100) + Array(repeating: 0x80 | 62, count: 1_000)),
        ])
    func hugeHead(bytes: [UInt8]) {
        #expect(throws: HTTP2ConnectionError.headTooLarge) { try Self.decode(bytes, portion: .max) }
    }

    @Test("A frame that is too large is refused before its payload arrives")
    func hugeFrame() {
        #expect(throws: HTTP2ConnectionError.violation(.frameSizeError)) {
            try Self.decode([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])
        }
    }

    @Test("The decoder buffers at most one frame and one header block")
    func buffered() throws {
        var decoder = HTTP2FrameDecoder(headLimit: 1 << 16)
        for byte in FrameBytes.data(String(repeating: "a", count: 16_384)).dropLast() {
            decoder.append(ByteBuffer(bytes: [byte]))
            #expect(try decoder.next() == nil)
        }
        #expect(decoder.bufferedSize == 9 + 16_383)
        decoder.append(ByteBuffer(string: "a"))
        #expect(try decoder.next() != nil)
        #expect(decoder.bufferedSize == 0)
    }

    // MARK: The dynamic table

    /// A table entry of 133 bytes (RFC 7541 section 4.1), whose value is not UTF-8.
    private static let entry = [0x40, 1, 0x61, 100] + [UInt8](repeating: 0xe9, count: 100)

    private static func entries(_ count: Int) -> [UInt8] { Array(repeatElement(entry, count: count).joined()) }

    struct Table: CustomTestStringConvertible {
        let testDescription: String
        let block: [UInt8]
        /// The expected number of fields, or `nil` for an error.
        let count: Int?

        init(_ name: String, _ block: [UInt8], _ count: Int?) {
            (testDescription, self.block, self.count) = (name, block, count)
        }
    }

    static let tables: [Table] = [
        Table("as many entries as the table holds", entries(30) + [0x80 | 91], 31),
        Table("a missing entry", entries(2) + [0x80 | 64], nil),
        Table("a table of half the size", [0x3f, 0xe1, 0x0f] + entries(15) + [0x80 | 76], 16),
        Table("a table that is emptied and grows again", [0x20, 0x3f, 0xe1, 0x1f] + entries(30) + [0x80 | 91], 31),
        Table("a table without entries", [0x20] + entries(1) + [0x80 | 62], nil),
        Table("a table larger than allowed", [0x3f, 0xe2, 0x1f], nil),
        Table("a truncated size update", [0x3f, 0xe1], nil),
        Table("an overflowing size update", [0x3f] + Array(repeating: 0xff, count: 10) + [1], nil),
        Table("three size updates", [0x20, 0x20, 0x20] + entries(1), nil),
        Table("a size update after a field", entries(1) + [0x20], nil),
    ]

    @Test("The dynamic table has the same size as the server's for values that are not UTF-8", arguments: tables)
    func dynamicTable(table: Table) throws {
        let bytes = FrameBytes.frame(1, 4, on: 1, table.block)
        guard let count = table.count else {
            #expect(throws: HTTP2ConnectionError.violation(.compressionError)) { try Self.decode(bytes) }
            return
        }
        guard case .headers(_, let headers, _)? = try Self.decode(bytes).first else {
            Issue.record("no header block")
            return
        }
        #expect(headers.count == count)
    }
}
