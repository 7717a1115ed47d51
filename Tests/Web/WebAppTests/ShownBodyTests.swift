// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import TestServer
import Testing

@testable import WebApp

/// Tests that the page shows a body exactly as the server sent it.
@Suite("Shown bodies") struct ShownBodyTests {
    /// Returns the lines of the tree, each with the names of its enclosing lists.
    private static func lines(_ text: String) -> [String]? {
        func lines(_ node: JSONNode, under path: String) -> [String] {
            let place = path + (node.key.map { $0 + " " } ?? "")
            guard let value = node.value else {
                return [place + (node.count ?? "")] + node.children.flatMap { lines($0, under: place) }
            }
            return [place + value]
        }
        return JSONNode(Array(text.utf8)).map { lines($0, under: "") }
    }

    @Test(
        "JSON is shown as it was sent: names in order, each member, each number and each escape",
        arguments: [
            (#"{"b":1,"a":2}"#, ["{2}", "b 1", "a 2"]),
            (#"{"a":1,"a":2,"a":1}"#, ["{3}", "a 1", "a 2", "a 1"]),
            (
                "[10.00, 1e2, -0, -0.0, 0.1e-7, 1E+400]",
                ["[6]", "0 10.00", "1 1e2", "2 -0", "3 -0.0", "4 0.1e-7", "5 1E+400"]
            ),
            ("18446744073709551615", ["18446744073709551615"]),
            ("[123456789012345678901234567890.12345]", ["[1]", "0 123456789012345678901234567890.12345"]),
            (#"["\u00e9\/\n\ud83d\ude00", "é/"]"#, ["[2]", #"0 "\u00e9\/\n\ud83d\ude00""#, #"1 "é/""#]),
            (#"{"\u0061":true,"":null, "a\"b":false}"#, ["{3}", #"\u0061 true"#, "\"\" null", #"a\"b false"#]),
            (" \t\r\n[ ] \n", ["[0]"]), ("{ }", ["{0}"]), ("\"\"", ["\"\""]),
            (#"["\ud800"]"#, ["[1]", #"0 "\ud800""#]),
            ("[[],{}]", ["[2]", "0 [0]", "1 {0}"]), ("\"a\u{200B}b\"", [#""a\u{200b}b""#]),
        ])
    func json(text: String, lines: [String]) { #expect(Self.lines(text) == lines) }

    @Test(
        "A body that is not JSON is not shown as a tree",
        arguments: [
            "", " ", "[1,]", "{\"a\":1,}", "[,1]", "[1 2]", "{\"a\" 1}", "{a:1}", "{1:1}", "01", "+1", "1.", ".5", "1e",
            "-", "tru", "truex", "True", "NaN", "'a'", "\"a", "\"\t\"", "\"\\x\"", "\"\\u12g4\"", "[1", "{\"a\":",
            "[1]]",
            "[1] // x", "{\"a\":1 \"b\":2}", "\u{FEFF}{}", "]",
        ])
    func notJSON(text: String) { #expect(Self.lines(text) == nil) }

    @Test("Values beyond the limit are listed") func longJSON() throws {
        let text = "[" + [String](repeating: "0", count: 5_000).joined(separator: ",") + "]"
        let lines = try #require(Self.lines(text))
        #expect(lines.first == "[5000]" && lines.count > 1_000)
        #expect(lines.last == "… \(5_000 - (lines.count - 2)) more")
    }

    @Test("JSON that is nested too deeply for a tree is shown as text") func deep() {
        let text = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(Self.lines(text) == nil)
    }

    /// Fetches a body, and returns the page.
    private static func page(
        _ type: String, _ body: [UInt8], status: HTTPResponse.Status = .ok
    ) async throws -> String {
        let server = try await ScriptedServer.start { _ in .init(status, [.contentType: type], body: body) }
        let page = try await WebScene.run { scene in
            try await scene.submit("/fetch", ["url": "http://localhost:\(server.port)/"])
            return try await scene.page(of: 1, with: status == .ok ? ">Done<" : ">Failed<")
        }
        await server.stop()
        return page
    }

    /// A body, with texts that its page must contain or must not contain.
    struct Shown: Sendable {
        let type: String
        let body: [UInt8]
        let present: [String]
        var absent: [String] = []

        init(_ type: String, _ text: String, _ bytes: [UInt8] = [], present: [String], absent: [String] = []) {
            (self.type, body, self.present, self.absent) = (type, Array(text.utf8) + bytes, present, absent)
        }
    }

    static let shown: [Shown] = [
        Shown("text/plain", "caf\u{e9}", present: ["caf\u{e9}</pre>"], absent: ["bytes are not"]),
        Shown(
            "text/plain", "caf", [0xE9, 0x0A, 0xFF],
            present: ["caf\\x{e9}\n\\x{ff}</pre>", "2 bytes are not UTF-8, and shown as \\x{…} each."],
            absent: ["\u{FFFD}"]),
        Shown(
            "text/plain; charset=\"ISO-8859-1\"", "caf", [0xE9], present: ["caf\u{e9}</pre>"], absent: ["not UTF-8"]),
        Shown(
            "text/html; charset=utf-16be", "", [0, 0x3C, 0, 0x62], present: ["&lt;b</pre>"], absent: ["not UTF-16"]),
        Shown("text/xml", "", [0xFF, 0xFE, 0x61, 0, 0x62], present: ["a\\x{62}</pre>", "1 byte is not UTF-16"]),
        Shown(
            "text/plain; charset=koi8-r", "a", [0xC1],
            present: ["a\\x{c1}</pre>", "Its charset &quot;koi8-r&quot; is not known here"]),
        Shown(
            "application/json", "[\"", [0xE9, 0x22, 0x5D],
            present: ["[&quot;\\x{e9}&quot;]</pre>", "1 byte is not UTF-8"], absent: ["class=\"tree\""]),
        Shown("application/json", "{\"a\":01}", present: ["{&quot;a&quot;:01}</pre>"], absent: ["class=\"tree\""]),
        Shown(
            "application/json", "\u{FEFF}[1]", present: ["class=\"tree\"", "It begins with a byte order mark."]),
        Shown("text/plain", "", present: ["The body is empty."], absent: ["not shown here"]),
        Shown("image/png", "", present: ["The body is empty."], absent: ["<img src=\"/fetch/1/content\""]),
        Shown(
            "text/plain", String(repeating: "a", count: (256 << 10) - 1) + "\u{e9}b",
            present: ["Only the beginning is shown.", "262 kB (262146 bytes)"],
            absent: ["bytes are not", "byte is not"]),
    ]

    @Test("Text is shown as it was sent, and each invalid byte is reported", arguments: shown)
    func text(_ shown: Shown) async throws {
        let page = try await Self.page(shown.type, shown.body)
        for text in shown.present { #expect(page.contains(text)) }
        for text in shown.absent { #expect(!page.contains(text)) }
    }

    @Test("A JSON number is shown as it was sent, next to hidden values") func tree() async throws {
        let body = "{\"z\":10.00,\"list\":[" + [String](repeating: "1", count: 2_500).joined(separator: ",") + "]}"
        let page = try await Self.page("application/json", Array(body.utf8))
        #expect(page.contains("<span class=\"key\">z</span> <span class=\"number\">10.00</span>"))
        #expect(page.contains("<li><span class=\"word\">… "))
    }

    @Test("The body of an error is shown as it was sent") func errorBody() async throws {
        let page = try await Self.page("text/plain", Array("no ".utf8) + [0xE9], status: .notFound)
        #expect(page.contains("no \\x{e9}</pre>") && page.contains("1 byte is not UTF-8"))
    }
}
