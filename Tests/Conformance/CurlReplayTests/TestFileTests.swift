// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import CurlReplay

@Suite
struct TestFileTests {
    private static let text = """
        <testcase>
        <reply>
        # a comment
        <data crlf="headers" nocheck="yes">
        HTTP/1.1 401 Who?
        Content-Length: 3

        a: b
        <data>
        </data>
        <data1000 nonewline="yes">
        HTTP/1.1 200 OK
        </data1000>
        <servercmd>
        auth_required
        skip: 12
        connection-monitor
        </servercmd>
        </reply>
        <client>
        <file name="/tmp/one">
        one
        </file>
        <file1 name="/tmp/two">
        two
        </file1>
        <command>
        http://a/ -u me:you
        </command>
        </client>
        <verify>
        <protocol>
        POST /a HTTP/1.1
        Authorization: Basic bWU6eW91
        Content-Length: 4

        textGET /b HTTP/1.0
        X: y

        [DISCONNECT]
        </protocol>
        </verify>
        </testcase>
        """
    private static let test = CurlTest(number: 1, file: TestFile(Array(text.utf8), macros: Macros([:])))

    @Test("The lines of a reply's head end in CR LF") func replies() throws {
        let reply = String(decoding: try #require(Self.test.reply("data")), as: UTF8.self)
        #expect(reply == "HTTP/1.1 401 Who?\r\nContent-Length: 3\r\n\r\na: b\r\n<data>\n")
        #expect(Self.test.reply("data1000") == Array("HTTP/1.1 200 OK".utf8))
        #expect(Self.test.reply("connect") == nil)
    }

    @Test("Files and server commands are read") func files() {
        #expect(Self.test.files.map(\.path) == ["/tmp/one", "/tmp/two"])
        #expect(Self.test.serverCommands == [.requiresAuthorization, .skips(12)])
        #expect(Self.test.command == "http://a/ -u me:you\n")
    }

    @Test("Expected requests are split where a body lacks a line break") func requests() throws {
        let heads = try #require(Self.test.expectedRequests(at: .origin)).heads
        #expect(heads.map(\.method) == ["POST", "GET"])
        #expect(heads.map(\.target) == ["/a", "/b"])
        #expect(heads.first?["authorization"] == ["Basic bWU6eW91"])
        #expect(Self.test.expectedRequests(at: .proxy) == nil)
    }
}
