// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import ChallengeLabTesting
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import HTTPClientShape

/// Differences that the adapter must bridge between AsyncHTTPClient's interface and a session.
@Suite struct ShapeTests {
    @Test("A request is cancelled at its deadline") func timeout() async throws {
        try await withServer { _ in
            .silence
        } _: { url in
            let client = HTTPClient()
            let start = ContinuousClock.now
            await #expect(throws: HTTPClientError.deadlineExceeded) {
                _ = try await client.execute(HTTPClientRequest(url: url), timeout: .milliseconds(200))
            }
            #expect(ContinuousClock.now - start < .seconds(30))
            try await client.shutdown()
        }
    }

    @Test("A body that arrives too slowly is cancelled at its deadline", .lab([.slowBody])) func bodyTimeout()
        async throws
    {
        let lab = try #require(Lab.current)
        let client = HTTPClient()
        await #expect(throws: HTTPClientError.deadlineExceeded) {
            let request = HTTPClientRequest(url: lab[.slowBody].url)
            let response = try await client.execute(request, timeout: .milliseconds(900))
            _ = try await response.body.collect(upTo: 1 << 20)
        }
        try await client.shutdown()
    }

    @Test("A client that was shut down sends nothing") func shutdown() async throws {
        let client = HTTPClient()
        try await client.shutdown()
        await #expect(throws: HTTPClientError.alreadyShutdown) {
            _ = try await client.execute(HTTPClientRequest(url: "http://localhost:1/"), deadline: .distantFuture)
        }
    }

    @Test("A client uses the given event loop group") func eventLoopGroup() async throws {
        let (own, given) = (
            MultiThreadedEventLoopGroup(numberOfThreads: 1), MultiThreadedEventLoopGroup(numberOfThreads: 1)
        )
        var configuration = HTTPClient.Configuration()
        configuration.session.eventLoopGroup = own
        #expect(try configuration.sessionConfiguration(on: .singleton).eventLoopGroup === own)
        #expect(try configuration.sessionConfiguration(on: .shared(given)).eventLoopGroup === given)
        try await withServer { _ in
            ScriptedServer.Reply(.ok, body: "a")
        } _: { url in
            let client = HTTPClient(eventLoopGroupProvider: .shared(given))
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            _ = try await response.body.collect(upTo: 1)
            try await client.shutdown()
        }
        try await own.shutdownGracefully()
        try await given.shutdownGracefully()
    }

    @Test("Invalid field names and methods are refused before a request is sent") func invalidNames() async throws {
        var request = HTTPClientRequest(url: "http://localhost:1/")
        request.headers.add(name: "X-Good", value: "1")
        request.headers.add(name: "X Bad", value: "1")
        await #expect(throws: HTTPClientError.invalidHeaderFieldNames(["X Bad"])) {
            _ = try await HTTPClient().execute(request, timeout: .seconds(30))
        }
        request.headers = [:]
        request.method = .RAW(value: "B D")
        await #expect(throws: HTTPClientError.invalidMethod("B D")) {
            _ = try await HTTPClient().execute(request, timeout: .seconds(30))
        }
    }

    @Test(
        "CR, LF and NUL in a value are refused before anything is sent", arguments: ["a\r\nX-B: 1", "a\n", "a\r", "\0"])
    func forbiddenValues(value: String) async throws {
        var request = HTTPClientRequest(url: "http://localhost:1/")
        request.headers.add(name: "X-A", value: value)
        let sent = request
        await #expect {
            _ = try await HTTPClient().execute(sent, timeout: .seconds(30))
        } throws: { error in
            if case SessionError.request(.forbiddenCharacter(.field("X-A"))) = error { true } else { false }
        }
    }

    @Test("Basic is sent preemptively, and fields keep their order") func fields() async throws {
        let seen = NIOLockedValueBox<HTTPFields>([:])
        try await withServer { request in
            seen.withLockedValue { $0 = request.head.headerFields }
            return ScriptedServer.Reply(.ok, [.setCookie: "a=1", .server: "s"])
        } _: { url in
            let client = HTTPClient()
            var request = HTTPClientRequest(url: url)
            request.setBasicAuth(username: "Aladdin", password: "open sesame")
            request.headers = ["X-Two": "1", "Host": "other.example"]
            request.headers.add(name: "X-Two", value: "2")
            let response = try await client.execute(request, timeout: .seconds(30))
            #expect(response.version == .http1_1)
            #expect(response.headers["set-cookie"] == ["a=1"])
            try await client.shutdown()
        }
        let fields = seen.withLockedValue { $0 }
        // The example credential of RFC 7617 section 2.
        #expect(fields[.authorization] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(HTTPField.Name("X-Two").map { fields[values: $0] } == ["1", "2"])
    }

    /// AsyncHTTPClient has no counterpart of the session's policies and handlers, which apply nevertheless.
    @Test("A client over a session uses the session's handlers", .lab([.digestSHA256])) func session() async throws {
        let lab = try #require(Lab.current)
        let server = lab[.digestSHA256]
        let session = HTTPSession(
            .init(
                trust: TrustPolicy(anchors: .only([lab.authority])),
                handlers: [
                    .digest: .password(
                        user: "lab", password: Secret("countersign"), host: "localhost", port: server.port)
                ]))
        let client = HTTPClient(over: session)
        let response = try await client.execute(HTTPClientRequest(url: server.url), timeout: .seconds(30))
        #expect(response.status == .ok)
        _ = try await response.body.collect(upTo: 1 << 20)
        try await client.shutdown()
    }

    @Test("Printing a response reveals no cookie") func description() async throws {
        let response = HTTPClientResponse(headers: ["Set-Cookie": "hunter2"], body: .bytes(ByteBuffer(string: "x")))
        var printed = "\(response)"
        dump(response, to: &printed)
        #expect(!printed.contains("hunter2"))
        #expect(printed.contains("200"))
    }

    struct Fake: RequestSender {
        func send(_ request: SessionRequest) async throws -> SessionResponse {
            try SessionResponse(to: request, status: .ok, body: .text(request.method.rawValue))
        }
    }

    @Test("A client runs over any implementation of Client") func standIn() async throws {
        var request = HTTPClientRequest(url: "http://a.example/")
        request.method = .DELETE
        let response = try await HTTPClient(over: Fake()).execute(request, deadline: .distantFuture)
        #expect(String(buffer: try await response.body.collect(upTo: 10)) == "DELETE")
    }
}
