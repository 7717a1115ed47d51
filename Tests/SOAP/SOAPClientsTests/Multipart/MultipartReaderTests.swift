// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore
import Testing

@testable import SOAPClients

@Suite struct MultipartReaderTests {
    /// The fields and the content of a part.
    struct Part: Hashable {
        var fields: [String: String] = [:]
        var content: [UInt8] = []

        init(_ fields: [String: String] = [:], _ content: String = "") {
            (self.fields, self.content) = (fields, Array(content.utf8))
        }
    }

    private func read(
        _ pieces: [[UInt8]], boundary: String = "b", limits: MultipartLimits = MultipartLimits()
    ) throws -> [Part] {
        var reader = try MultipartReader(boundary: boundary, limits: limits)
        var parts: [Part] = []
        for piece in pieces {
            reader.append(ByteBuffer(bytes: piece))
            while let event = try reader.next() {
                switch event {
                case .head(let head): parts.append(Part(head.fields))
                case .content(let bytes): parts[parts.count - 1].content += Array(bytes.readableBytesView)
                case .partEnd, .end: break
                }
            }
        }
        try reader.finish()
        return parts
    }

    private func read(_ text: String, limits: MultipartLimits = MultipartLimits()) throws -> [Part] {
        try read([Array(text.utf8)], limits: limits)
    }

    static let message = """
        preamble\r
        --b\r
        Content-Type: text/xml\r
        Content-ID: <one@x>\r
        \r
        first\r
        --bc is content\r
        \r
        --b \t\r
        X: y\r
        \r
        \r
        --b\r
        \r
        -\r--b\n--b\r
        --b--\r
        epilogue
        """
    static let parts = [
        Part(["content-type": "text/xml", "content-id": "<one@x>"], "first\r\n--bc is content\r\n"),
        Part(["x": "y"], ""), Part([:], "-\r--b\n--b"),
    ]

    @Test("A message split in two parts at any position is read equally") func everyOffset() throws {
        let bytes = Array(Self.message.utf8)
        for offset in 0...bytes.count {
            #expect(try read([Array(bytes[..<offset]), Array(bytes[offset...])]) == Self.parts, "cut at \(offset)")
        }
    }

    @Test("A message in parts of any size is read equally", arguments: [1, 2, 3, 5, 7, 64])
    func pieces(size: Int) throws {
        let bytes = Array(Self.message.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        #expect(try read(pieces) == Self.parts)
    }

    @Test("A message whose first boundary ends with LF must use LF everywhere") func lineFeeds() throws {
        let text = "--b\nA: b\n\none\r\ntwo\r\n--b\n\nthree\n--b--"
        #expect(try read(text) == [Part(["a": "b"], "one\r\ntwo\r"), Part([:], "three")])
    }

    @Test("A message truncated at any position is an error") func cut() throws {
        let bytes = Array(Self.message.utf8)
        let last = try #require(Self.message.firstRange(of: "--b--"))
        let end = Self.message.utf8.distance(from: Self.message.startIndex, to: last.upperBound)
        for offset in 0..<end {
            #expect(throws: MultipartError.noFinalBoundary, "cut at \(offset)") { try read([Array(bytes[..<offset])]) }
        }
    }

    @Test("A message without parts, and a boundary right after a head, are read") func emptiness() throws {
        #expect(try read("--b--") == [])
        #expect(try read("--b\r\nA: b\r\n\r\n--b--") == [Part(["a": "b"], "")])
    }

    @Test("A folded line continues the previous one, and the first of two equal fields is used") func heads() throws {
        let text = "--b\r\nContent-Type: a/b;\r\n  c=d\r\nX: 1\r\nx: 2\r\n\r\n--b--"
        #expect(try read(text) == [Part(["content-type": "a/b; c=d", "x": "1"])])
    }

    @Test(
        "Parts that are too large or malformed are refused with their error",
        arguments: [
            (String(repeating: "x\r\n", count: 100) + "--b--", MultipartError.longPreamble(maximumByteCount: 64)),
            (String(repeating: "x", count: 100), .longPreamble(maximumByteCount: 64)),
            ("--b\r\nno colon\r\n\r\n--b--", .malformedHead(part: 1)),
            ("--b\r\n: x\r\n\r\n--b--", .malformedHead(part: 1)),
            (
                "--b\r\nA: \(String(repeating: "x", count: 80))",
                .longHead(part: 1, maximumLineCount: 3, maximumByteCount: 64)
            ),
            ("--b\r\na:\r\nb:\r\nc:\r\nd:\r\n\r\n--b--", .longHead(part: 1, maximumLineCount: 3, maximumByteCount: 64)),
            ("--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--", .tooManyParts(limit: 2)),
        ])
    func limits(text: String, problem: MultipartError) {
        var limits = MultipartLimits()
        (limits.maximumHeadSize, limits.maximumHeadLineCount, limits.maximumPartCount) = (64, 3, 2)
        #expect(throws: problem) { try read(text, limits: limits) }
    }

    @Test(
        "An invalid boundary is refused", arguments: ["", "a\rb", String(repeating: "x", count: 201)])
    func boundaries(boundary: String) {
        #expect(throws: MultipartError.noBoundary) { try MultipartReader(boundary: boundary) }
    }

    @Test(
        "Transfer encodings are decoded, in parts of every size",
        arguments: [
            ("base64", "aGVsbG8g\r\nd29ybGQ=", "hello world"), ("base64", "", ""), ("base64", "aA==", "h"),
            ("7bit", "a=3D", "a=3D"), ("binary", "\r\n", "\r\n"), ("8bit", "ü", "ü"),
            ("quoted-printable", "a=3Db=\r\nc=C3=BC=", "a=bcü"),
        ])
    func transferEncodings(name: String, encoded: String, content: String) throws {
        for size in 1...8 {
            var decoder = try TransferDecoder(name, part: 1)
            let bytes = Array(encoded.utf8)
            var decoded: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)])
                decoded += Array(try decoder.decode(piece).readableBytesView)
            }
            decoded += Array(try decoder.finish().readableBytesView)
            #expect(String(decoding: decoded, as: UTF8.self) == content)
        }
    }

    @Test(
        "Content that does not match its transfer encoding is refused",
        arguments: [
            ("base64", "a"), ("base64", "aA=A"), ("base64", "aA==aA=="), ("base64", "a!=="), ("base64", "=aaa"),
            ("quoted-printable", "=x"), ("quoted-printable", "=3"), ("quoted-printable", "= x\r\n"),
        ])
    func malformedContent(name: String, encoded: String) {
        #expect(throws: MultipartError.malformedContent(part: 1, encoding: name)) {
            var decoder = try TransferDecoder(name, part: 1)
            _ = try decoder.decode(ByteBuffer(string: encoded))
            _ = try decoder.finish()
        }
        #expect(throws: MultipartError.unknownTransferEncoding(part: 1, "x")) { try TransferDecoder("x", part: 1) }
    }

    @Test("A media type's parameters are read with and without quotes") func mediaType() throws {
        let type = try #require(MediaType(field: "Multipart/Related; type=\"a/b; c\";Start=<x@y> ; boundary=\"q\\\"\""))
        #expect(type.essence == "multipart/related")
        #expect(type["type"] == "a/b; c")
        #expect(type["start"] == "<x@y>")
        #expect(type["boundary"] == "q\"")
        #expect(MediaType(field: "text") == nil)
        #expect(MediaType(field: MediaType.field("a/b", [("c", "d\"\\e")]))?["c"] == "d\"\\e")
    }
}
