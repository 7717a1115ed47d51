// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import CurlReplay

/// Complete replays of small tests, with a session and sockets.
@Suite
struct ReplayTests {
    private struct Example {
        var replies: [(name: String, content: String)]
        var command: String
        var atOrigin: [String]
        var atProxy: [String] = []

        var file: [UInt8] {
            let replies = replies.map { "<\($0.name) crlf=\"headers\">\n\($0.content)\n</\($0.name)>\n" }.joined()
            let origin = "<protocol crlf=\"headers\">\n\(Self.requests(atOrigin))</protocol>\n"
            let proxy = atProxy.isEmpty ? "" : "<proxy crlf=\"headers\">\n\(Self.requests(atProxy))</proxy>\n"
            return Array(
                """
                <reply>
                \(replies)</reply>
                <client>
                <command>
                \(command)
                </command>
                <file name="%LOGDIR/netrc">
                machine %HOSTIP login u password p
                </file>
                </client>
                <verify>
                \(origin)\(proxy)</verify>

                """.utf8)
        }

        private static func requests(_ heads: [String]) -> String { heads.map { $0 + "\n\n" }.joined() }
    }

    private static let (asking, fine) = (
        "HTTP/1.1 401 Who?\nWWW-Authenticate: Basic realm=\"r\"\nContent-Length: 0\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n"
    )
    private static let answer = "Authorization: Basic %b64[u:p]b64%"
    private static let examples: [String: Example] = [
        "unasked": Example(
            replies: [("data", fine)], command: "http://%HOSTIP:%HTTPPORT/%TESTNUMBER -u u:p",
            atOrigin: ["GET /%TESTNUMBER HTTP/1.1\n\(answer)"]),
        "asked": Example(
            replies: [("data1000", asking), ("data1001", fine)],
            command: "http://%HOSTIP:%HTTPPORT/%TESTNUMBER1000 -u u:p --anyauth -d x",
            atOrigin: ["POST /%TESTNUMBER1000 HTTP/1.1", "POST /%TESTNUMBER1000 HTTP/1.1\n\(answer)"]),
        "netrc": Example(
            replies: [("data", fine)],
            command: "--netrc-file %LOGDIR/netrc http://%HOSTIP:%HTTPPORT/ --next -I http://%HOSTIP:%HTTPPORT/",
            atOrigin: ["GET / HTTP/1.1\n\(answer)", "HEAD / HTTP/1.1"]),
        "tunnel": Example(
            replies: [("connect", "HTTP/1.1 200 OK\n"), ("data", fine)],
            command: "http://a.%TESTNUMBER/%TESTNUMBER -p -x %HOSTIP:%PROXYPORT -U u:p",
            atOrigin: ["GET /%TESTNUMBER HTTP/1.1"],
            atProxy: ["CONNECT a.%TESTNUMBER:80 HTTP/1.1\nProxy-\(answer)"]),
        "closing": Example(
            replies: [("data", "")], command: "http://%HOSTIP:%HTTPPORT/ http://%HOSTIP:%HTTPPORT/%TESTNUMBER0009",
            atOrigin: ["GET / HTTP/1.1", "GET /%TESTNUMBER0009 HTTP/1.1"]),
    ]

    @Test("Each example sends the expected requests", arguments: examples.keys.sorted())
    func replay(name: String) async throws {
        let example = try #require(Self.examples[name])
        let outcome = try await Replay(number: 9, file: example.file).run()
        #expect(Comparison(outcome).isSame, "\(Comparison(outcome).differences) \(outcome.errors)")
    }

    @Test("An expected request that is not sent is a difference", arguments: examples.keys.sorted())
    func missingRequest(name: String) async throws {
        var example = try #require(Self.examples[name])
        example.atOrigin.append("GET /never HTTP/1.1")
        let outcome = try await Replay(number: 9, file: example.file).run()
        #expect(!Comparison(outcome).isSame)
        #expect(Comparison(outcome).differences.contains("  expected GET /never"))
    }

    @Test("An unlisted divergence fails, and so does a listed one that no longer occurs")
    func divergences() async throws {
        var example = try #require(Self.examples["unasked"])
        func result() async throws -> CurlScore.Result {
            let outcome = try await Replay(number: 9, file: example.file).run()
            return .init(number: 9, theme: "basic", comparison: Comparison(outcome), errors: outcome.errors)
        }
        let same = try await result()
        example.command += "x"
        let divergent = try await result()
        let listed = [9: CurlDivergences.Divergence(reason: "why", received: divergent.comparison.received)]
        let other = [9: CurlDivergences.Divergence(reason: "why", received: same.comparison.received)]
        #expect(CurlScore([same], divergences: [:]).isAsListed)
        #expect(!CurlScore([same], divergences: listed).isAsListed)
        #expect(!CurlScore([divergent], divergences: [:]).isAsListed)
        #expect(!CurlScore([divergent], divergences: other).isAsListed)
        #expect(CurlScore([divergent], divergences: listed).isAsListed)
    }
}
