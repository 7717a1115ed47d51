// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import ServerConnections
import Testing

@testable import HTTPServing

@Suite("A server's connections follow the rules of HTTP/1") struct ConnectionRuleTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let request: String
        let statuses: [Int]
        let suffix: String
        let closes: Bool
        var without: [String] = []
        var with: [String] = []
    }

    private static let get = "GET /text HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let get10 = "GET /text HTTP/1.0\r\n\r\n"
    private static let keepAlive10 = "GET /text HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"

    static let cases = [
        Case(testDescription: "1.1 keeps", request: get, statuses: [200], suffix: "\r\n\r\ntext", closes: false),
        Case(testDescription: "1.0 closes", request: get10, statuses: [200], suffix: "\r\n\r\ntext", closes: true),
        Case(
            testDescription: "1.0 keeps if asked to", request: keepAlive10, statuses: [200], suffix: "text",
            closes: false,
            with: ["connection: keep-alive"]),
        Case(
            testDescription: "1.0 keeps, then closes", request: keepAlive10 + get10, statuses: [200, 200],
            suffix: "text",
            closes: true),
        Case(
            testDescription: "1.0 without a length closes, without chunks",
            request: "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", statuses: [200],
            suffix: "\r\n\r\nonetwo", closes: true, without: ["chunked", "connection: keep-alive"]),
        Case(
            testDescription: "1.1 without a length has chunks", request: "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
            statuses: [200], suffix: "0\r\n\r\n", closes: false, with: ["chunked"]),
        Case(
            testDescription: "close in any case, among others",
            request: "GET /text HTTP/1.1\r\nHost: a\r\nConnection: TE, Close\r\n\r\n", statuses: [200],
            suffix: "text", closes: true, with: ["connection: close"]),
        Case(
            testDescription: "nothing after close is answered",
            request: get + "GET /text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + get, statuses: [200, 200],
            suffix: "text", closes: true),
        Case(
            testDescription: "HEAD has no body", request: "HEAD /text HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [200],
            suffix: "\r\n\r\n", closes: false, with: ["content-length: 4"]),
        Case(
            testDescription: "HEAD of a stream has no chunk", request: "HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n" + get,
            statuses: [200, 200], suffix: "text", closes: false, without: ["0\r\n\r\n"]),
        Case(
            testDescription: "HEAD over 1.0", request: "HEAD /text HTTP/1.0\r\n\r\n", statuses: [200],
            suffix: "\r\n\r\n", closes: true, with: ["content-length: 4"]),
        Case(
            testDescription: "a body is asked for",
            request: "POST /length HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n",
            statuses: [100], suffix: "HTTP/1.1 100 Continue\r\n\r\n", closes: false),
        Case(
            testDescription: "but not over 1.0",
            request: "POST /length HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
            statuses: [200], suffix: "\r\n\r\n3", closes: true),
        Case(
            testDescription: "a body in its turn is asked for in its turn",
            request: get + "POST /length HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n",
            statuses: [200, 100], suffix: "100 Continue\r\n\r\n", closes: false),
        Case(
            testDescription: "a refused long body is not waited for",
            request: "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n"
                + String(repeating: "a", count: 150_000), statuses: [413], suffix: "\r\n\r\n", closes: true),
        Case(
            testDescription: "what is not HTTP ends the connection", request: "GET / HTTP/1.1\r\nHost a\r\n\r\n" + get,
            statuses: [400], suffix: "\r\n\r\n", closes: true, with: ["connection: close"]),
    ]

    @Test("A response and its connection end according to the versions and the fields", arguments: cases)
    func ends(_ one: Case) async throws {
        try await ServedScene.run { scene in
            let client = try await scene.send(one.request)
            #expect(
                try await client.waits { $0.isClosed || !one.closes && $0.text.hasSuffix(one.suffix) }, "\(client.text)"
            )
            if !one.closes { try await Task.sleep(for: .milliseconds(50)) }
            #expect(client.statuses == one.statuses)
            #expect(client.text.hasSuffix(one.suffix), "\(client.text)")
            #expect(client.isClosed == one.closes)
            let text = client.text.lowercased()
            for word in one.with { #expect(text.contains(word), "\(text)") }
            for word in one.without { #expect(!text.contains(word), "\(text)") }
            try await client.close()
        }
    }

    // MARK: Time limits

    private static let short = TimeAmount.milliseconds(300)

    static var quick: HTTPServerConnection.Timeouts {
        var timeouts = HTTPServerConnection.Timeouts()
        (timeouts.head, timeouts.body, timeouts.idle, timeouts.send) = (short, short, short, short)
        timeouts.minimumBody = 1_000
        return timeouts
    }

    @Test(
        "A connection is closed if the client keeps the server waiting",
        arguments: [
            "", "GET / HTTP/1.1\r\nHos", "GET /text HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /text HTTP/1.1\r\nHost: a\r\n\r\nGET / HT",
            "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
            "POST /length HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ])
    func slowClient(_ bytes: String) async throws {
        try await ServedScene.run(Self.quick) { scene in
            let client = try await scene.send(bytes)
            #expect(try await client.waits { $0.isClosed })
        }
    }

    @Test(
        "Time limits apply to a head and a body that arrive byte by byte",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a", "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n",
        ])
    func trickle(_ start: String) async throws {
        try await ServedScene.run(Self.quick) { scene in
            let client = try await scene.send(start)
            for _ in 0..<200 where !client.isClosed {
                try? await client.send("a")
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(client.isClosed)
        }
    }

    @Test("A response may take longer than all time limits") func lateResponse() async throws {
        try await ServedScene.run(Self.quick) { scene in
            let client = try await scene.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.waits { $0.text.hasSuffix("late") || $0.isClosed })
            #expect(client.statuses == [200])
        }
    }

    @Test("A connection is closed if the client does not read") func noReader() async throws {
        try await ServedScene.run(Self.quick) { scene in
            _ = try await scene.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n", reads: false)
            #expect(try await holds { scene.openCount == 0 })
        }
    }

    @Test("A client that keeps reading gets the complete response, even beyond the time limit")
    func slowReader() async throws {
        var timeouts = Self.quick
        (timeouts.send, timeouts.idle) = (.seconds(15), .seconds(15))
        try await ServedScene.run(timeouts) { scene in
            let client = try await scene.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n", reads: false)
            let start = ContinuousClock.now
            // The count also includes the head.
            while client.count <= ServedScene.largeBody, !client.isClosed {
                client.read()
                // The pauses alone exceed the time limit, because each read returns 16 KiB. On a busy machine they are longer,
                // and the server's socket accepts more bytes only after many reads, so that a shorter limit would end.
                try await Task.sleep(for: .milliseconds(8))
            }
            #expect(client.count > ServedScene.largeBody)
            #expect(ContinuousClock.now - start > .seconds(15))
            try await client.close()
        }
    }

    @Test("Silent clients do not prevent other clients from connecting") func silentClients() async throws {
        try await ServedScene.run(maximum: 2) { scene in
            for bytes in ["GET / HTTP/1.1\r\nHos", "GET /text HTTP/1.1\r\nHost: a\r\n\r\n", "", "G", "GET"] {
                _ = try await scene.send(bytes)
            }
            let client = try await scene.send("GET /text HTTP/1.0\r\n\r\n")
            #expect(try await client.waits { $0.isClosed })
            #expect(client.statuses == [200])
        }
    }
}
