// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import Testing

@testable import Countersign
@testable import HTTPTransport

/// The parser returns the same parts however the bytes of a response are divided.
@Suite struct ResponseParserTests {
    enum Read: Hashable {
        case head(Int, HTTPFields, ResponseFraming)
        case end
    }

    /// The heads and ends, the complete body, and the error if there is one.
    struct Result: Hashable {
        var parts: [Read] = []
        var body = ""
        var error: ResponseSyntaxError?
    }

    private static func read(
        _ pieces: [ArraySlice<UInt8>], _ request: ResponseFraming.Request,
        _ lineTerminator: HeadLineTerminator = .carriageReturnLineFeed
    ) -> Result {
        var (parser, result) = (ResponseParser(headLimit: 4_096, lineTerminator: lineTerminator), Result())
        parser.expect(request)
        do throws(ResponseSyntaxError) {
            for piece in pieces {
                parser.append(ByteBuffer(bytes: piece))
                while let part = try parser.next() { result.note(part) }
            }
            if let part = parser.close() { result.note(part) }
        } catch {
            result.error = error
        }
        return result
    }

    @Test(
        "A well-formed response is parsed, in pieces of any size",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", "good"),
            ("HTTP/1.1 200\r\nContent-Length: 4, 4\r\nContent-Length:  4 \r\n\r\ngood", "good"),
            ("HTTP/1.0 200 OK\r\nX:\r\n\r\ngood until it ends", "good until it ends"),
            ("HTTP/1.1 999 \u{fc}\r\nX: a b\tc\r\nContent-Length: 0\r\n\r\n", ""),
            ("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", "good"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n002;a=\"b\" ; c\r\ngo\r\n2 \r\nod\r\n0\r\n\r\n",
                "good"
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0;x\r\nA: b\r\nC: d\r\n\r\n",
                "0123456789"
            ),
            ("HTTP/1.1 204 No\r\nX: y\r\n\r\n", ""),
        ])
    func complete(text: String, body: String) {
        let complete = Self.read([Array(text.utf8)[...]], .init())
        #expect(complete.error == nil && complete.body == body && complete.parts.last == .end)
        expectTheSameInPieces(text, .init(), complete)
    }

    @Test(
        "A malformed response is refused with its reason, in pieces of any size",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngoodH", ResponseSyntaxError.unsolicited),
            ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood\r\n", .unsolicited),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\ngood", .unsolicited),
            ("HTTP/1.1 200 OK\nContent-Length: 0\n\n", .malformed(.bareLineFeed)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\n\r\n", .malformed(.bareLineFeed)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n", .malformed(.bareLineFeed)),
            ("HTTP/1.1 +20 OK\r\n\r\n", .malformed(.statusLine)),
            ("HTTP/1.1 099 OK\r\n\r\n", .malformed(.statusLine)),
            ("HTTP/1.1 200 OK\r\n X: y\r\n\r\n", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\r\nX: y\r\n z\rw\r\n\r\n", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\r\nX: y\r\r\n z\r\n\r\n", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\r\nX: y\r\n z\n\r\n", .malformed(.bareLineFeed)),
            ("HTTP/1.1 200 OK\r\nX\r\n : y\r\n\r\n", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\r\nContent-Length:\r\n 4\r\n 5\r\n\r\n", .malformed(.headerField)),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n z\r\n\r\n",
                .malformed(.headerField)
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\n", .malformed(.chunk)),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngoodXX", .malformed(.chunk)),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno field\r\n\r\n", .malformed(.headerField)),
        ])
    func broken(text: String, error: ResponseSyntaxError) {
        let complete = Self.read([Array(text.utf8)[...]], .init())
        #expect(complete.error == error)
        expectTheSameInPieces(text, .init(), complete)
    }

    @Test(
        "A folded field is read with one space for each line break (RFC 9112 section 5.2), in pieces of any size",
        arguments: [
            "Content-Length:\r\n 4\r\n\r\ngood",
            "Content-Length: 4\r\n \r\n\r\ngood",
            "Content-Length: \t\r\n\t \r\n  4 \r\n\t\r\n\r\ngood",
            "X: y\r\n Content-Length: 5\r\nContent-Length: 4\r\n\r\ngood",
            "Transfer-Encoding:\r\n chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n",
        ])
    func folded(rest: String) {
        let text = "HTTP/1.1 200 OK\r\n" + rest
        let complete = Self.read([Array(text.utf8)[...]], .init())
        #expect(complete.error == nil && complete.body == "good" && complete.parts.last == .end)
        expectTheSameInPieces(text, .init(), complete)
    }

    @Test("A head of many folded lines is read within the limit of its size") func manyFolds() throws {
        let start = "HTTP/1.1 204 No\r\nX: y"
        var parser = ResponseParser(headLimit: 64 * 1_024)
        parser.expect(.init())
        parser.append(ByteBuffer(string: start + String(repeating: "\r\n y", count: 16_000) + "\r\n\r\n"))
        guard case .head(let head, _)? = try parser.next() else {
            Issue.record("no head")
            return
        }
        #expect(head.fields.map(\.value) == [String(repeating: "y ", count: 16_000) + "y"])
        var limited = ResponseParser(headLimit: 64 * 1_024)
        limited.expect(.init())
        limited.append(ByteBuffer(string: start + String(repeating: "\r\n y", count: 17_000)))
        #expect(throws: ResponseSyntaxError.headTooLarge) { try limited.next() }
    }

    @Test(
        "If allowed, LF ends the lines of a head, even mixed with CR LF",
        arguments: [
            "HTTP/1.1 200 OK\nContent-Length: 4\n\ngood",
            "HTTP/1.1 200 OK\r\nContent-Length: 4\n\r\ngood",
            "HTTP/1.1 200 OK\nContent-Length: 4\r\n\ngood",
            "HTTP/1.1 200\nX:\nContent-Length: 4\n\r\ngood",
            "HTTP/1.1 200 OK\nX: y\r\n z\n w\nContent-Length:\n 4\n\ngood",
            "HTTP/1.1 103 Early Hints\nX: y\n\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\r\ngood\r\n0\r\nA: b\r\n\r\n",
        ])
    func bareLineFeeds(text: String) {
        let complete = Self.read([Array(text.utf8)[...]], .init(), .lineFeed)
        #expect(complete.error == nil && complete.body == "good" && complete.parts.last == .end)
        expectTheSameInPieces(text, .init(), complete, .lineFeed)
        #expect(Self.read([Array(text.utf8)[...]], .init()).error == .malformed(.bareLineFeed))
    }

    @Test(
        "A CR alone, and LF in chunks and trailers are always refused",
        arguments: [
            ("HTTP/1.1 200 O\rK\n\n", ResponseSyntaxError.malformed(.statusLine)),
            ("HTTP/1.1 200 OK\nX: a\rb\n\n", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\nX: a\r\r\n\n", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\n\r\r\n\n", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\nX: y\n z\r\r\n\n", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\nContent-Length: 4\nContent-Length: 5\n\ngood", .malformed(.headerField)),
            ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\ngood\r\n", .malformed(.bareLineFeedInChunk)),
            ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\r\ngood\n0", .malformed(.bareLineFeedInChunk)),
            ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n0\r\nA: b\n\r\n", .malformed(.bareLineFeedInChunk)),
            ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n0\r\n\n", .malformed(.bareLineFeedInChunk)),
            ("HTTP/1.1 200 OK\nContent-Length: 4\n\ngood\n", .unsolicited),
        ])
    func strictInAnyCase(text: String, error: ResponseSyntaxError) {
        let complete = Self.read([Array(text.utf8)[...]], .init(), .lineFeed)
        #expect(complete.error == error)
        expectTheSameInPieces(text, .init(), complete, .lineFeed)
    }

    @Test(
        "A successful CONNECT response opens a tunnel despite length fields, and further bytes belong to the tunnel",
        arguments: [
            "Content-Length: 4", "Content-Length: 4\r\nContent-Length: 5", "Content-Length: none",
            "Transfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 4", "Transfer-Encoding: gzip",
        ])
    func tunnel(fields: String) throws {
        var parser = ResponseParser(headLimit: 4_096)
        parser.expect(.init(isConnect: true))
        parser.append(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\ngood"))
        guard case .head(let head, .tunnel)? = try parser.next() else {
            Issue.record("no tunnel")
            return
        }
        #expect(head.status == 200 && parser.isTunnel)
        #expect(try parser.next() == nil)
        #expect(parser.takeRemainingBytes() == ByteBuffer(string: "good"))
    }

    @Test("Responses to HEAD and CONNECT have no body") func withoutBody() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
        #expect(Self.read([Array(text.utf8)[...]], .init(isHead: true)).parts.last == .end)
        #expect(Self.read([Array((text + "good").utf8)[...]], .init(isHead: true)).error == .unsolicited)
        let tunnel = Self.read([Array((text + "good").utf8)[...]], .init(isConnect: true))
        #expect(tunnel.error == nil && tunnel.body == "" && tunnel.parts.count == 1)
        let refusal = Self.read(
            [Array("HTTP/1.1 407 No\r\nContent-Length: 4\r\n\r\nwhom".utf8)[...]], .init(isConnect: true))
        #expect(refusal.body == "whom" && refusal.parts.last == .end)
    }

    private func expectTheSameInPieces(
        _ text: String, _ request: ResponseFraming.Request, _ complete: Result,
        _ lineTerminator: HeadLineTerminator = .carriageReturnLineFeed
    ) {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            let pieces = Self.read([bytes[..<index], bytes[index...]], request, lineTerminator)
            #expect(pieces == complete, "after \(index)")
        }
        #expect(Self.read(bytes.indices.map { bytes[$0...$0] }, request, lineTerminator) == complete)
    }
}

extension ResponseParserTests.Result {
    fileprivate mutating func note(_ part: ResponseParser.Part) {
        switch part {
        case .head(let head, let framing): parts.append(.head(head.status, head.fields, framing))
        case .body(let buffer): body += String(buffer: buffer)
        case .end: parts.append(.end)
        }
    }
}
