// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import Testing

@Suite struct JSONTests {
    @Test("Numbers, order and escapes are retained by reading and writing")
    func value() throws {
        let text = #"{"b":[1.50,-0,1e400,true,null,{}],"a":"\u00e4\ud83d\ude00\n\/","":[]}"#
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(value["a"] == .string("ä😀\n/"))
        #expect(
            value["b"] == .array([.number("1.50"), .number("-0"), .number("1e400"), .bool(true), .null, .object([])]))
        #expect(try JSONValue(parsing: Array(value.text.utf8)) == value)
        #expect(value.text.hasPrefix("{\n  \"b\": [\n    1.50,"))
        #expect(JSONValue.string("\u{2028}\u{7F}\u{1}").text == #""\u2028\u007f\u0001""#)
    }

    @Test(
        "The position of an error is reported",
        arguments: [
            ("", 0), ("{", 1), ("[1,]", 3), ("[1 2]", 3), ("{\"a\" 1}", 5), ("{\"a\":1,}", 7), ("01", 1), ("-", 1),
            ("1.", 2),
            ("1e+", 3), ("\"\n\"", 1), ("\"\\x\"", 2), ("\"\\u12g4\"", 5), ("tru", 3), ("nul1", 3), ("[]]", 2),
            ("{1:2}", 1),
            ("[", 1), ("\"a", 2), ("\u{FEFF}1", 0), ("'a'", 0), ("[1}", 2), ("1 ,", 2),
        ])
    func mistakes(text: String, offset: Int) throws {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error?.offset == offset)
    }

    @Test("Lines and columns count from one, in characters")
    func places() {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array("{\n \"ä\": x}".utf8)) }
        #expect(error?.line == 2 && error?.column == 7)
        let invalid = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x5B, 0xFF, 0x5D]) }
        #expect(invalid?.offset == 1)
    }

    @Test("Repeated members, unpaired surrogates and deep nesting are refused")
    func refused() throws {
        for text in [#"{"a":1,"\u0061":2}"#, #""\ud83d""#, #""\ud83dx""#, #""\udc00""#, #""\ud83d\u0041""#] {
            #expect(throws: JSONSyntaxError.self, "\(text)") { try JSONValue(parsing: Array(text.utf8)) }
        }
        let deep = { (count: Int) in
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        _ = try JSONValue(parsing: deep(200))
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: deep(201)) }
        // The scanner itself has no limit.
        var (scanner, tokens) = (try JSONScanner(deep(100_000)), 0)
        while try scanner.next() != nil { tokens += 1 }
        #expect(tokens == 200_000)
    }

    @Test("A scanner returns names, strings and numbers unchanged")
    func tokens() throws {
        var scanner = try JSONScanner(Array(#" { "\u0061" : [ "x\n" , 1.0e2 , false ] } "#.utf8))
        var seen: [String] = []
        while let token = try scanner.next() {
            switch token {
            case .name(let range): seen.append("name " + scanner.text(range))
            case .string(let range): seen.append("string " + (scanner.decoded(range) ?? ""))
            case .number(let range), .literal(let range): seen.append(scanner.text(range))
            default: seen.append("\(token)")
            }
        }
        #expect(seen == ["beginObject", #"name \u0061"#, "beginArray", "string x\n", "1.0e2", "false", "end", "end"])
    }
}
