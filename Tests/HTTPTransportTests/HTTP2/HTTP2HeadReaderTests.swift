// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOHPACK
import Testing

@testable import HTTPTransport

/// A reader keeps the fields of the last head; what it reads must not depend on them.
@Suite struct HTTP2HeadReaderTests {
    private static let heads: [[(String, String)]] = [
        [(":status", "200"), ("server", "a"), ("content-length", "1")],
        [(":status", "200"), ("server", "b"), ("content-length", "1")],
        [(":status", "404"), ("content-length", "1"), ("server", "a")],
        [(":status", "200"), ("server", "a")],
        [(":status", "200"), ("server", "a"), ("set-cookie", "x"), ("set-cookie", "y")],
        [(":status", "103")],
        // Malformed.
        [(":status", "200"), ("server", "a"), ("Server", "a")],
        [(":status", "200"), ("server", "a"), (":status", "200")],
        [("server", "a")],
    ]

    private static func read(_ head: [(String, String)], with reader: inout HTTP2HeadReader) -> HTTPResponse? {
        try? reader.read(HPACKHeaders(head))
    }

    @Test("A head is read as if no other had come before it", arguments: heads.indices, heads.indices)
    func secondHead(first: Int, second: Int) {
        var fresh = HTTP2HeadReader()
        var used = HTTP2HeadReader()
        let firstRead = Self.read(Self.heads[first], with: &used)
        #expect(Self.read(Self.heads[second], with: &used) == Self.read(Self.heads[second], with: &fresh))
        #expect(Self.read(Self.heads[first], with: &used) == firstRead)
    }
}
