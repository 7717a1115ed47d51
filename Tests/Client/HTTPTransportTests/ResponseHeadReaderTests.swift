// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Testing

@testable import HTTPTransport

/// A reader caches the lines of the last head, which must not affect the next result.
@Suite struct ResponseHeadReaderTests {
    private static let heads = [
        "HTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: b\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nServer: a\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: a\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 1\r\nSet-Cookie: x\r\nSet-Cookie: y\r\n\r\n",
        "HTTP/1.0 404 Not Found\r\nServer: a\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: \r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 8_192) + "\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: a\r\n b\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer:\r\n a\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: a b\r\n\r\n",
        // Malformed heads.
        "HTTP/1.1 200 OK\r\nServer: a\r\nContent Length: 1\r\n\r\n",
        "HTTP/1.1 2000 OK\r\nServer: a\r\n\r\n",
    ]

    private static func read(_ head: String, with reader: inout ResponseHeadReader) -> ResponseHead? {
        Array(head.utf8).withUnsafeBytes { try? reader.read($0, .carriageReturnLineFeed) }
    }

    @Test("Reading a head does not depend on earlier heads", arguments: heads, heads)
    func secondHead(first: String, second: String) {
        var fresh = ResponseHeadReader()
        var used = ResponseHeadReader()
        let firstRead = Self.read(first, with: &used)
        #expect(Self.read(second, with: &used) == Self.read(second, with: &fresh))
        #expect(Self.read(first, with: &used) == firstRead)
    }

    @Test(
        "Each line break of a folded field is read as one space",
        arguments: [
            ("X: a\r\n b", "a b"), ("X: a\r\n\tb", "a b"), ("X: a \t\r\n \t b", "a b"), ("X:\r\n a", "a"),
            ("X: a\r\n b\r\n c", "a b c"), ("X: a\r\n \r\n c", "a c"), ("X: a\r\n ", "a"), ("X: a\r\n b: c", "a b: c"),
            ("X: \"a\r\n b\"", "\"a b\""), ("X:\r\n \r\n\t", ""),
        ])
    func folded(lines: String, value: String) {
        var reader = ResponseHeadReader()
        let head = Self.read("HTTP/1.1 200 OK\r\n\(lines)\r\nServer: a\r\n\r\n", with: &reader)
        #expect(head?.fields.map(\.value) == [value, "a"])
    }

    @Test("A head does not change when the next one is read")
    func storedHead() {
        var reader = ResponseHeadReader()
        let firstHead = Self.read(Self.heads[0], with: &reader)
        _ = Self.read(Self.heads[1], with: &reader)
        #expect(firstHead?.fields[.server] == "a")
    }

    @Test("A head without a status line is malformed")
    func noStatusLine() {
        var reader = ResponseHeadReader()
        #expect(Self.read("\r\nServer: a\r\n\r\n", with: &reader) == nil)
    }
}
