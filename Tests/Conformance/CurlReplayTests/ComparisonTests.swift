// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import CurlReplay

@Suite
struct ComparisonTests {
    private static func comparison(
        _ expected: [String], _ received: [String], command: String = "-u u:p x", strip: String = ""
    ) throws -> Comparison {
        let heads = expected.map { $0 + "\n\n" }.joined()
        let file = """
            <client>
            <command>
            \(command)
            </command>
            </client>
            <verify>
            <strip>
            \(strip)
            </strip>
            <protocol>
            \(heads)
            </protocol>
            </verify>

            """
        let test = CurlTest(number: 1, file: TestFile(Array(file.utf8), macros: Macros([:])))
        let requests = try received.map { try #require(RequestHead(Array($0.utf8).lines)) }
        return Comparison(ReplayOutcome(test: test, received: [.origin: requests], errors: []))
    }

    private static let get = "GET / HTTP/1.1"
    private static let recordedMessage = "TlRMTVNTUAABAAAABoIIAAAAAAAAAAAAAAAAAAAAAAA="
    private static let ourMessage = "TlRMTVNTUAABAAAAl4II4gAAAAAAAAAAAAAAAAAAAAA="
    private static let lastMessage = "TlRMTVNTUAADAAAAAAAAAA=="
    @Test(
        "Credential fields are compared",
        arguments: [
            ("", "", true),
            ("Authorization: Basic dTpw", "authorization: Basic dTpw", true),
            ("Authorization: Basic dTpw", "Authorization: Basic dTpx", false),
            ("Authorization: Basic dTpw", "Proxy-Authorization: Basic dTpw", false),
            ("Accept: */*", "Accept: text/html", true),
            ("Cookie: a=b", "", true),
            ("Authorization: NTLM \(recordedMessage)", "Authorization: NTLM \(ourMessage)", true),
            ("Authorization: NTLM \(recordedMessage)", "Authorization: NTLM \(lastMessage)", false),
            ("Authorization: NTLM \(recordedMessage)", "", false),
        ])
    func fields(expected: String, received: String, isSame: Bool) throws {
        #expect(try Self.comparison([Self.get + "\n" + expected], [Self.get + "\n" + received]).isSame == isSame)
    }

    @Test(
        "Request lines are compared",
        arguments: [
            ("GET / HTTP/1.1", true), ("GET / HTTP/1.0", true), ("HEAD / HTTP/1.1", false), ("GET /a HTTP/1.1", false),
        ])
    func requestLines(received: String, isSame: Bool) throws {
        #expect(try Self.comparison([Self.get], [received]).isSame == isSame)
        #expect(try !Self.comparison([Self.get], [received, received]).isSame)
    }

    @Test("Cookies of the command line are compared") func cookies() throws {
        let with = Self.get + "\nCookie: a=b"
        #expect(try Self.comparison([with], [with], command: "-b a=b x").isSame)
        #expect(try !Self.comparison([with], [Self.get], command: "-b a=b x").isSame)
    }

    @Test("Stripped lines are not compared") func strippedLines() throws {
        let (one, other) = (Self.get + "\nAuthorization: Basic dTpw", Self.get + "\nAuthorization: Basic dTpx")
        #expect(try Self.comparison([one], [other], strip: "^Authorization: B.*").isSame)
        #expect(try !Self.comparison([one], [other], strip: "^Cookie.*").isSame)
    }

    @Test("A Digest response must be right") func digest() throws {
        let right = "f23121ca97143c6b358da620220c83b4"
        let field = #"Authorization: Digest username="u", realm="r", nonce="n", uri="/", response="\#(right)""#
        let recorded = Self.get + "\n" + field
        let reordered = Self.get + "\nAuthorization: Digest response=\(right), uri=\"/\", username=u, nonce=n, realm=r"
        #expect(try Self.comparison([recorded], [reordered]).isSame)
        let wrong = recorded.replacing(right, with: String(repeating: "0", count: 32))
        #expect(try !Self.comparison([recorded], [wrong]).isSame)
        #expect(try !Self.comparison([recorded], [recorded], command: "-u u:other x").isSame)
    }
}
