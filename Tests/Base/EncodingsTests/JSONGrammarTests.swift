// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import Testing

@Suite struct JSONGrammarTests {
    @Test(
        "JSON is accepted as RFC 8259 defines it",
        arguments: [
            "0", "-0.5e+10", "1E2", " null\n", "\"\"", #""\"\\\/\b\f\n\r\t\u00e9\uD800""#, "\"é😀\u{7f}\"", "[]", "{ }",
            "[ [ ] , { } ]", #"{"a":{"b":[1,{"c":true}]},"a":false}"#, "\t[\r\n1 , 2 ]\r\n",
            "123456789012345678901234567890",
            String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
        ])
    func accepted(text: String) {
        #expect(Self.problem(in: Array(text.utf8)) == nil)
    }

    @Test(
        "The offset of the first wrong byte is found",
        arguments: [
            ("", 0), (" ", 1), ("[1,]", 3), ("{\"a\":1,}", 7), ("[,1]", 1), ("[1 2]", 3), ("[1", 2), ("]", 0), ("{", 1),
            ("[}", 1),
            ("{\"a\"}", 4), ("{\"a\" 1}", 5), ("{a:1}", 1), ("{1:1}", 1), ("{} {}", 3), ("01", 1), ("-", 1), (".5", 0),
            ("1.", 2),
            ("1e", 2), ("+1", 0), ("0x1", 1), ("NaN", 0), ("Infinity", 0), ("nul", 3), ("True", 0), ("'a'", 0),
            ("\"a", 2),
            ("\"\t\"", 1), ("\"\\x\"", 2), ("\"\\u12g4\"", 5), ("[1]//", 3), ("/**/1", 0), ("\u{FEFF}1", 0),
            ("1\u{0}", 1),
            ("\u{a0}1", 0),
        ])
    func refused(text: String, offset: Int) {
        #expect(Self.problem(in: Array(text.utf8)) == offset)
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC3], [0x5B, 0, 0x5D, 0]] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        #expect(Self.problem(in: bytes) == 1)
    }

    /// Returns the offset of the first byte that is not valid JSON; `nil` if all bytes are valid.
    private static func problem(in bytes: [UInt8]) -> Int? {
        do throws(JSONSyntaxError) {
            var scanner = try JSONScanner(bytes)
            while try scanner.next() != nil {}
            return nil
        } catch {
            return error.offset
        }
    }
}
