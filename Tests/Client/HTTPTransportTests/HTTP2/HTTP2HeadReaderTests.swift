// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOHPACK
import Testing

@testable import HTTPTransport

/// A reader caches the fields of the last head, which must not affect the next result.
@Suite struct HTTP2HeadReaderTests {
    private static let heads: [[(String, String)]] = [
        [(":status", "200"), ("server", "a"), ("content-length", "1")],
        [(":status", "200"), ("server", "b"), ("content-length", "1")],
        [(":status", "404"), ("content-length", "1"), ("server", "a")],
        [(":status", "200"), ("server", "a")],
        [(":status", "200"), ("server", "a"), ("set-cookie", "x"), ("set-cookie", "y")],
        [(":status", "103")],
        // Malformed heads.
        [(":status", "200"), ("server", "a"), ("Server", "a")],
        [(":status", "200"), ("server", "a"), (":status", "200")],
        [("server", "a")],
    ]

    private static func read(_ head: [(String, String)], with reader: inout HTTP2HeadReader) -> HTTPResponse? {
        try? reader.read(HPACKHeaders(head))
    }

    @Test("Reading a head does not depend on earlier heads", arguments: heads.indices, heads.indices)
    func secondHead(first: Int, second: Int) {
        var fresh = HTTP2HeadReader()
        var used = HTTP2HeadReader()
        let firstRead = Self.read(Self.heads[first], with: &used)
        #expect(Self.read(Self.heads[second], with: &used) == Self.read(Self.heads[second], with: &fresh))
        #expect(Self.read(Self.heads[first], with: &used) == firstRead)
    }

    @Test("A value that is only canonically equivalent to the last one is read unchanged")
    func canonicallyEquivalent() {
        var reader = HTTP2HeadReader()
        // The two values are canonically equivalent in Unicode, but differ in their bytes.
        for value in ["caf\u{e9}", "cafe\u{301}"] {
            let response = Self.read([(":status", "200"), ("x", value)], with: &reader)
            #expect(response?.headerFields.map { Array($0.value.utf8) } == [Array(value.utf8)])
        }
    }
}
