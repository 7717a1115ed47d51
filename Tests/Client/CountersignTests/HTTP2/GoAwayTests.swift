// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ErrorExplanations
import NIOCore
import NIOHTTP2
import NIOSSL
import TestServer
import Testing
@testable import ChallengeLab
@testable import Countersign
import EssentialFoundation

@Suite("HTTP/2 connections that the server ends with an error code") struct GoAwayTests {
    typealias Action = TestServer.StreamBehavior

    /// Calls a closure with a session and a server.
    ///
    /// The first connection uses HTTP/2, and all others echo bodies over HTTP/1.1.
    private static func withServer(
        change: (inout HTTPSession.Configuration) -> Void = { _ in }, _ actions: [Action],
        first: [TestServer.Behavior]? = nil,
        _ body: (TestServer, HTTPSession, String) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority(name: "GOAWAY Root", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        var tls = try LabTLS.configuration(presenting: identity)
        tls.applicationProtocols = ["h2", "http/1.1"]
        let echo = TestServer.Behavior.script { wire in
            while true {
                let request = try await wire.request()
                try await wire.send("HTTP/1.1 200 OK", "Content-Length: \(request.body.count)", "")
                try await wire.send(bytes: request.body)
            }
        }
        let server = try await TestServer.start(
            tls: NIOSSLContext(configuration: tls),
            [first ?? [.http2 { _ in actions }]] + Array(repeating: [echo], count: 8))
        var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only([authority.certificate])))
        change(&configuration)
        try await server.stop {
            try await withSession(configuration) { session in
                try await body(server, session, "https://localhost:\(server.port)/")
            }
        }
    }

    /// The frame by which the server requires HTTP/1.1, with or without closing the connection afterwards.
    private static let demands: [[Action]] = [
        [.reset(.http11Required)], [.reset(.http11Required), .close],
        [.goAway(.http11Required, isProcessed: false)], [.goAway(.http11Required, isProcessed: false), .close],
    ]

    @Test(
        "After HTTP_1_1_REQUIRED, an unprocessed request is sent again over HTTP/1.1, whatever its method",
        arguments: demands, [HTTPRequest.Method.get, .post])
    func fallback(actions: [Action], method: HTTPRequest.Method) async throws {
        try await Self.withServer(actions) { server, session, url async throws in
            for _ in 0..<2 {
                let request = SessionRequest(url: url, method: method, body: method == .get ? nil : .text("body"))
                let response = try await session.send(request)
                #expect(response.connection.httpVersion == .http1)
                #expect(try await response.text() == (method == .get ? "" : "body"))
            }
            // The second request uses HTTP/1.1 at once.
            #expect(server.requestCount == 1)
            #expect(server.connectionCount == 2)
        }
    }

    @Test(
        "After GOAWAY with HTTP_1_1_REQUIRED, a possibly processed request is repeated only if it is idempotent",
        arguments: [true, false])
    func processed(closes: Bool) async throws {
        let actions: [Action] = [.goAway(.http11Required, isProcessed: true)] + (closes ? [.close] : [])
        try await Self.withServer(actions) { server, session, url async throws in
            #expect(try await session.get(url).connection.httpVersion == .http1)
            #expect(server.requestCount == 1)
        }
        try await Self.withServer([.goAway(.http11Required, isProcessed: true), .close]) {
            server, session, url async throws in
            await #expect {
                _ = try await session.post(url, body: .text("body"))
            } throws: { error in
                (error as? SessionError)?.explanation.message.contains("HTTP_1_1_REQUIRED") == true
            }
            #expect(server.requestCount == 1)
            // The session still remembers that the origin requires HTTP/1.1.
            #expect(try await session.post(url, body: .text("body")).text() == "body")
        }
    }

    @Test("After an early HTTP_1_1_REQUIRED, the first request is sent over HTTP/1.1", arguments: [true, false])
    func inAdvance(closes: Bool) async throws {
        // SETTINGS, and GOAWAY with the last stream identifier 0.
        let frames: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13]
        let first: [TestServer.Behavior] = [.send(frames), closes ? .close : .receiveRest]
        try await Self.withServer([], first: first) { server, session, url async throws in
            #expect(try await session.post(url, body: .text("body")).text() == "body")
            #expect(server.connectionCount == 2)
        }
    }

    @Test("A one-shot body is not sent again, and the next request uses HTTP/1.1")
    func oneShot() async throws {
        try await Self.withServer([.reset(.http11Required)]) { server, session, url async throws in
            let parts = AsyncStream<ByteBuffer> { parts in
                parts.yield(ByteBuffer(string: "once"))
                parts.finish()
            }
            await #expect {
                _ = try await session.send(SessionRequest(url: url, method: .post, body: .oneShot(parts)))
            } throws: { error in
                if case SessionError.response(.streamReset(_, .http1Required)) = error { true } else { false }
            }
            #expect(try await session.get(url).connection.httpVersion == .http1)
        }
    }

    @Test(
        "The error of a session that allows only HTTP/2 names HTTP_1_1_REQUIRED and advises HTTP/1.1",
        arguments: [Action.reset(.http11Required), .goAway(.http11Required, isProcessed: false)])
    func onlyHTTP2(action: Action) async throws {
        try await Self.withServer(change: { $0.httpVersions = .onlyHTTP2 }, [action]) {
            server, session, url async throws in
            let error = await #expect(throws: SessionError.self) { _ = try await session.get(url) }
            #expect(error?.explanation.message.contains("HTTP_1_1_REQUIRED") == true)
            #expect(error?.explanation.advice.contains("Allow HTTP/1.1") == true)
            #expect(server.connectionCount == 1)
        }
    }

    static let codes: [(NIOHTTP2.HTTP2ErrorCode, String)] = [
        (.enhanceYourCalm, "ENHANCE_YOUR_CALM"), (.inadequateSecurity, "INADEQUATE_SECURITY"),
        (.protocolError, "PROTOCOL_ERROR"), (.init(networkCode: 0x77), "119"),
    ]

    @Test(
        "The error contains the name of GOAWAY's code and its debug data, escaped and limited", arguments: codes,
        [true, false])
    func named(code: (NIOHTTP2.HTTP2ErrorCode, String), isProcessed: Bool) async throws {
        let debugData = "too_many\u{1b}[31m" + String(repeating: "x", count: 500)
        let action = Action.goAway(code.0, isProcessed: isProcessed, debugData: debugData)
        try await withHTTP2 { _ in
            [action, .close]
        } _: { server, session async throws in
            let error = await #expect(throws: SessionError.self) { _ = try await session.get(server.url) }
            let message = error?.explanation.message ?? ""
            #expect(message.contains(" \(code.1) (\"too_many\\u{1b}[31mxxx"))
            #expect(message.utf8.count < 400)
            // A request that was not processed is repeated up to the limit.
            #expect(server.requestCount == (isProcessed ? 1 : 1 + RepeatBudget.limit))
        }
    }

    @Test("The error for GOAWAY within a body names its code") func inBody() async throws {
        try await withHTTP2 { _ in
            [.head(200), .goAway(.internalError, isProcessed: true), .close]
        } _: { server, session async throws in
            await #expect {
                _ = try await session.get(server.url).text()
            } throws: { error in
                if case SessionError.connection(.goAway(_, .body, let reason)) = error {
                    reason.name == "INTERNAL_ERROR"
                } else {
                    false
                }
            }
        }
    }
}
