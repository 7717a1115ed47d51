// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import CurlReplay

@Suite
struct ServerTests {
    private static func head(_ text: String) throws -> RequestHead {
        try #require(RequestHead(Array(text.utf8).lines))
    }

    private static func test(_ replies: String) -> CurlTest {
        CurlTest(number: 7, file: TestFile(Array("<reply>\n\(replies)</reply>\n".utf8), macros: Macros([:])))
    }

    private static func section(_ name: String, _ content: String) -> String { "<\(name)>\n\(content)\n</\(name)>\n" }

    @Test(
        "A request gets the reply of its part",
        arguments: [
            ("GET /7 HTTP/1.1", "plain"),
            ("GET /70002 HTTP/1.1", "second"),
            ("GET http://a/7 HTTP/1.1\nAuthorization: Digest a", "digest"),
            ("GET /7 HTTP/1.1\nProxy-Authorization: NTLM TlRMTVNTUAABAAAA", "first message"),
            ("GET /7 HTTP/1.1\nAuthorization: NTLM TlRMTVNTUAADAAAA", "last message"),
            ("GET /7 HTTP/1.1\nAuthorization: Basic YQ==", "plain"),
            ("GET http://other/ HTTP/1.1", "plain"),
            ("CONNECT a.7:80 HTTP/1.1", "tunnel"),
        ])
    func parts(request: String, reply: String) throws {
        let replies = [
            ("data", "plain"), ("data2", "second"), ("data1000", "digest"), ("data1001", "first message"),
            ("data1002", "last message"), ("connect", "tunnel"),
        ]
        var script = ReplyScript(Self.test(replies.map(Self.section).joined()))
        #expect(script.reply(to: try Self.head(request)).bytes == Array((reply + "\n").utf8))
    }

    @Test("A Basic credential selects the part after the target's") func basicPart() throws {
        var script = ReplyScript(Self.test(Self.section("data1000", "ask") + Self.section("data1001", "fine")))
        let request = "GET /71000 HTTP/1.1"
        _ = script.reply(to: try Self.head(request))
        let replies = try [request, request + "\nAuthorization: Basic YQ=="].map {
            script.reply(to: try Self.head($0)).bytes
        }
        // A number above 10,000 contains the test and the part: test 7, part 1000.
        #expect(replies == [Array("ask\n".utf8), Array("fine\n".utf8)])
    }

    @Test("The reply swsbounce selects the next part once") func bounce() throws {
        let replies = [("data", "HTTP/1.1 401 swsbounce"), ("data1", "HTTP/1.1 200 swsclose")].map(Self.section)
            .joined()
        var script = ReplyScript(Self.test(replies))
        let request = try Self.head("GET /7 HTTP/1.1")
        #expect(!script.reply(to: request).closes)
        let second = script.reply(to: request)
        #expect(second.bytes == Array("HTTP/1.1 200 swsclose\r\n".utf8))
        #expect(second.closes)
        #expect(script.reply(to: try Self.head("GET /79 HTTP/1.1")).bytes == Array("HTTP/1.1 401 swsbounce\r\n".utf8))
    }

    @Test(
        "A request is complete with its body unless a server command says otherwise",
        arguments: [
            ([], ["POST /1"], ["GET /2"]),
            ([.requiresAuthorization], ["POST /1"], ["GET /2"]),
            ([.skips(4)], ["POST /1"], ["GET /2"]),
        ] as [(Set<ServerCommand>, [String], [String])])
    func bodies(commands: Set<ServerCommand>, early: [String], late: [String]) {
        var reader = RequestReader(commands)
        reader.append("POST /1 HTTP/1.1\r\nContent-Length: 4\r\n\r\n".utf8)
        #expect((reader.next().map { ["\($0.method) \($0.target)"] } ?? []) == (commands.isEmpty ? [] : early))
        reader.append("bodyGET /2 HTTP/1.1\r\n\r\n".utf8)
        if commands.isEmpty { #expect(reader.next()?.target == "/1") }
        #expect(reader.next().map { ["\($0.method) \($0.target)"] } == late)
        #expect(reader.next() == nil)
    }

    @Test("A chunked body ends with the last chunk") func chunks() {
        var reader = RequestReader([])
        reader.append("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n".utf8)
        #expect(reader.next() == nil)
        reader.append("\r\nGET /b HTTP/1.1\r\n\r\n".utf8)
        #expect(reader.next()?.target == "/")
        #expect(reader.next()?.target == "/b")
    }
}
