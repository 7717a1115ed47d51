// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import TestServer
import Testing

/// Request bodies and challenges (RFC 9110 sections 10.1.1 and 15.5.18).
@Suite struct RequestBodyTests {
    private static let basic = "WWW-Authenticate: Basic realm=\"r\""

    /// The kind of body.
    enum Kind: CaseIterable, Sendable {
        case bytes
        case stream
        case oneShot
    }

    private static let text = "seven77"

    private static func body(_ kind: Kind, length: Int? = 7, reads: NIOLockedValueBox<Int>) -> SessionRequestBody {
        let parts: @Sendable () -> AsyncStream<ByteBuffer> = {
            AsyncStream { (next: AsyncStream<ByteBuffer>.Continuation) in
                reads.withLockedValue { $0 += 1 }
                next.yield(ByteBuffer(string: "seven"))
                next.yield(ByteBuffer(string: "77"))
                next.finish()
            }
        }
        return switch kind {
        case .bytes: .bytes(Array(text.utf8))
        case .stream: .stream(length: length) { parts() }
        case .oneShot: .oneShot(length: length, DeferredParts(make: parts))
        }
    }

    /// A sequence that makes its parts on demand.
    struct DeferredParts: AsyncSequence, Sendable {
        let make: @Sendable () -> AsyncStream<ByteBuffer>
        func makeAsyncIterator() -> AsyncStream<ByteBuffer>.Iterator { make().makeAsyncIterator() }
    }

    private static func send(
        _ body: SessionRequestBody, to server: TestServer, method: HTTPRequest.Method = .put, path: String = "/",
        continueTimeout: Duration = .seconds(30), headerFields: HTTPFields = [:]
    ) async throws -> SessionResponse {
        var configuration = HTTPSession.Configuration(
            handlers: [
                .basic: .password(
                    user: "u", password: Secret("p"), host: "localhost", port: server.port, allowsPlainHTTP: true)
            ])
        configuration.continueTimeout = continueTimeout
        let session = HTTPSession(configuration)
        do {
            let response = try await session.send(
                SessionRequest(url: server.url(path), method: method, headerFields: headerFields, body: body))
            _ = try await response.body.collect(upTo: 1000)
            await session.close()
            return response
        } catch {
            await session.close()
            throw error
        }
    }

    @Test(
        "A challenged request sends its body again, and a one-shot body waits for 100 Continue",
        arguments: Kind.allCases)
    func repeatedBody(kind: Kind) async throws {
        let heads = NIOLockedValueBox<[String]>([])
        let bodies = NIOLockedValueBox<[String]>([])
        let refuse: TestConnection.Script = { wire in
            let head = try await wire.head()
            heads.withLockedValue { $0.append(head) }
            // A body that waits for 100 Continue is not sent to a server that refuses the request.
            if !head.contains("Expect: 100-continue") { _ = try await wire.text(count: 7) }
            try await wire.send("HTTP/1.1 401 No", Self.basic, "Content-Length: 0", "Connection: close", "")
        }
        let accept: TestConnection.Script = { wire in
            let head = try await wire.head()
            heads.withLockedValue { $0.append(head) }
            if head.contains("Expect: 100-continue") { try await wire.send("HTTP/1.1 100 Continue", "") }
            let body = try await wire.text(count: 7)
            bodies.withLockedValue { $0.append(body) }
            try await wire.send("HTTP/1.1 201 Created", "Content-Length: 0", "")
        }
        let server = try await TestServer.start([refuse, accept])
        let reads = NIOLockedValueBox(0)
        let response = try await Self.send(Self.body(kind, reads: reads), to: server)
        #expect(response.status == .created)
        #expect(bodies.withLockedValue { $0 } == [Self.text])
        #expect(reads.withLockedValue { $0 } == (kind == .bytes ? 0 : kind == .stream ? 2 : 1))
        for head in heads.withLockedValue({ $0 }) {
            #expect(head.contains("Content-Length: 7"))
            #expect(head.contains("Expect: 100-continue") == (kind == .oneShot))
        }
        await server.stop()
    }

    @Test(
        "Without 100 Continue a one-shot body is sent after the timeout",
        arguments: [
            (final: ["HTTP/1.1 200 OK", "Content-Length: 0", ""], isDelivered: true),
            (final: ["HTTP/1.1 401 No", basic, "Content-Length: 0", ""], isDelivered: false),
        ])
    func continueTimeout(final: [String], isDelivered: Bool) async throws {
        let server = try await TestServer.start([
            { wire in
                #expect(try await wire.head().contains("Expect: 100-continue"))
                #expect(try await wire.text(count: 7) == Self.text)
                for line in final { try await wire.send(line) }
                _ = try await wire.rest()
            }
        ])
        let body = Self.body(.oneShot, reads: NIOLockedValueBox(0))
        do {
            let response = try await Self.send(body, to: server, continueTimeout: .milliseconds(20))
            #expect(isDelivered && response.status == .ok)
        } catch SessionError.body(.notRepeatable(let url)) {
            #expect(!isDelivered && url == server.url())
        }
        #expect(server.connectionCount == 1)
        await server.stop()
    }

    @Test("A request with Expect waits for 100 Continue, and a final status prevents the upload")
    func explicitExpectation() async throws {
        let received = NIOLockedValueBox<String?>(nil)
        let server = try await TestServer.start([
            { wire in
                #expect(try await wire.head().contains("100-continue"))
                try await wire.send("HTTP/1.1 413 No", "Content-Length: 0", "")
                let rest = try await wire.rest()
                received.withLockedValue { $0 = rest }
            }
        ])
        let body = Self.body(.bytes, reads: NIOLockedValueBox(0))
        let response = try await Self.send(body, to: server, headerFields: [.expect: "100-Continue"])
        #expect(response.status == .contentTooLarge)
        #expect(await eventually { received.withLockedValue { $0 == "" } })
        await server.stop()
    }

    @Test(
        "Before 100 Continue, an incomplete success response starts the upload, and other final responses prevent it",
        arguments: [
            (status: "200 OK", isComplete: false, isSent: true), (status: "200 OK", isComplete: true, isSent: false),
            (status: "413 No", isComplete: false, isSent: false),
        ])
    func finalResponse(status: String, isComplete: Bool, isSent: Bool) async throws {
        let received = NIOLockedValueBox<String?>(nil)
        let server = try await TestServer.start([
            { wire in
                #expect(try await wire.head().contains("Expect: 100-continue"))
                let head = "HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n"
                try await wire.send(bytes: Array((isComplete ? head + "ok" : head).utf8))
                if isSent {
                    #expect(try await wire.text(count: 7) == Self.text)
                }
                if !isComplete {
                    try await Task.sleep(for: .milliseconds(50))
                    try await wire.send(bytes: Array("ok".utf8))
                }
                // If the body is withheld, the client must close; the server would take the next request for the body.
                let rest = try await wire.rest()
                received.withLockedValue { $0 = rest }
            }
        ])
        let reads = NIOLockedValueBox(0)
        let response = try await Self.send(Self.body(.oneShot, reads: reads), to: server)
        #expect("\(response.status.code)" == status.prefix(3))
        #expect(await eventually { received.withLockedValue { $0 == "" } })
        #expect(reads.withLockedValue { $0 } == (isSent ? 1 : 0))
        await server.stop()
    }

    @Test("Interim responses are skipped") func interimResponses() async throws {
        let server = try await TestServer.start([
            { wire in
                _ = try await wire.head()
                try await wire.send("HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 102 Processing", "")
                try await wire.send("HTTP/1.1 100 Continue", "", "HTTP/1.1 100 Continue", "")
                #expect(try await wire.text(count: 7) == Self.text)
                try await wire.send("HTTP/1.1 103 Early Hints", "", "HTTP/1.1 200 OK", "Content-Length: 0", "")
                _ = try await wire.rest()
            }
        ])
        let response = try await Self.send(Self.body(.oneShot, reads: NIOLockedValueBox(0)), to: server)
        #expect(response.status == .ok)
        await server.stop()
    }

    @Test("A 101 response that was not requested is an error") func switchingProtocols() async throws {
        let server = try await TestServer.start([
            [.receiveHead, .send("HTTP/1.1 101 Switching Protocols", "Upgrade: h2c", ""), .receiveRest]
        ])
        await #expect(throws: SessionError.self) {
            _ = try await Self.send(Self.body(.oneShot, reads: NIOLockedValueBox(0)), to: server)
        }
        await server.stop()
    }

    @Test("After 417 the request is sent again without Expect") func expectationFailed() async throws {
        let refuse: TestConnection.Script = { wire in
            #expect(try await wire.head().contains("Expect: 100-continue"))
            try await wire.send("HTTP/1.1 417 Expectation Failed", "Content-Length: 0", "Connection: close", "")
        }
        let accept: TestConnection.Script = { wire in
            #expect(try await !wire.head().contains("Expect"))
            #expect(try await wire.text(count: 7) == Self.text)
            try await wire.send("HTTP/1.1 200 OK", "Content-Length: 0", "")
        }
        let server = try await TestServer.start([refuse, accept])
        let response = try await Self.send(Self.body(.oneShot, reads: NIOLockedValueBox(0)), to: server)
        #expect(response.status == .ok)
        await server.stop()
    }

    @Test("A body of unknown length is sent in chunks") func unknownLength() async throws {
        let server = try await TestServer.start([
            { wire in
                let head = try await wire.head()
                #expect(head.contains("Transfer-Encoding: chunked") && !head.contains("Content-Length"))
                #expect(head.contains("Expect: 100-continue"))
                try await wire.send("HTTP/1.1 100 Continue", "")
                #expect(try await wire.text(upTo: "0\r\n\r\n") == "5\r\nseven\r\n2\r\n77\r\n")
                try await wire.send("HTTP/1.1 200 OK", "Content-Length: 0", "")
            }
        ])
        let response = try await Self.send(Self.body(.stream, length: nil, reads: NIOLockedValueBox(0)), to: server)
        #expect(response.status == .ok)
        await server.stop()
    }

    /// With the caller's own length fields, a body could contain a second request.
    @Test("The caller's Content-Length and Transfer-Encoding are not sent") func callerLength() async throws {
        let server = try await TestServer.start([
            { wire in
                let head = try await wire.head()
                #expect(head.contains("Content-Length: 7") && !head.contains("Transfer-Encoding"))
                #expect(head.components(of: "Content-Length") == 1)
                _ = try await wire.text(count: 7)
                try await wire.send("HTTP/1.1 200 OK", "Content-Length: 0", "")
            }
        ])
        let response = try await Self.send(
            Self.body(.bytes, reads: NIOLockedValueBox(0)), to: server,
            headerFields: [.contentLength: "3", .transferEncoding: "chunked"])
        #expect(response.status == .ok)
        await server.stop()
    }

    @Test(
        "A body without the announced length is an error, and no byte beyond the length is sent",
        arguments: [3, 6, 8, 1000])
    func wrongLength(length: Int) async throws {
        let received = NIOLockedValueBox<String?>(nil)
        let server = try await TestServer.start([
            { wire in
                _ = try await wire.head()
                let rest = try await wire.rest()
                received.withLockedValue { $0 = rest }
            }
        ])
        do {
            _ = try await Self.send(Self.body(.stream, length: length, reads: NIOLockedValueBox(0)), to: server)
            Issue.record("the wrong length was accepted")
        } catch SessionError.body(.wrongLength(_, let announced, let produced)) {
            #expect(announced == length && produced == (length == 3 ? 5 : 7))
        }
        #expect(await eventually { received.withLockedValue { $0 != nil } })
        await server.stop()
        // The client must not send more than the announced length; the server would take the rest for the next request.
        #expect(received.withLockedValue { $0?.utf8.count ?? .max } <= length)
    }

    @Test("The request throws the error of its body") func bodyError() async throws {
        struct Broken: Error {}
        let server = try await TestServer.start([[.receiveRest]])
        let body = SessionRequestBody.stream(length: 10) { () throws -> AsyncStream<ByteBuffer> in throw Broken() }
        await #expect(throws: Broken.self) { _ = try await Self.send(body, to: server) }
        await server.stop()
    }

    @Test("A one-shot body cannot be sent in a second request") func oneShotTwice() async throws {
        let accept: [TestServer.Behavior] = [
            .receiveHead, .send("HTTP/1.1 100 Continue", ""), .receive(7),
            .send("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close", ""),
        ]
        let server = try await TestServer.start([accept, accept])
        let body = Self.body(.oneShot, reads: NIOLockedValueBox(0))
        _ = try await Self.send(body, to: server)
        await #expect(throws: SessionError.self) { _ = try await Self.send(body, to: server) }
        await server.stop()
    }

    /// The server responds during the upload and stops reading the body.
    @Test("A challenge during the upload stops the upload", arguments: [Kind.stream, .oneShot])
    func earlyChallenge(kind: Kind) async throws {
        let part = ByteBuffer(repeating: 0x78, count: 1 << 16)
        let (count, produced) = (1 << 14, NIOLockedValueBox(0))
        let parts: @Sendable () -> AsyncStream<ByteBuffer> = {
            let left = NIOLockedValueBox(count)
            return AsyncStream {
                produced.withLockedValue { $0 += 1 }
                return left.withLockedValue { left in
                    left -= 1
                    return left >= 0 ? part : nil
                }
            }
        }
        let length = count * part.readableBytes
        let refuse: TestConnection.Script = { wire in
            let head = try await wire.head()
            #expect(head.contains("Expect: 100-continue"))
            try await wire.send("HTTP/1.1 100 Continue", "")
            _ = try await wire.text(count: 1000)
            try await wire.send("HTTP/1.1 401 No", Self.basic, "Content-Length: 0", "")
            // The client closes, because the server would take the rest of the body for a request.
            _ = try await wire.rest()
        }
        let accept: TestConnection.Script = { wire in
            #expect(try await wire.head().contains("Authorization: Basic"))
            try await wire.send("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close", "")
        }
        let server = try await TestServer.start([refuse, accept])
        let body =
            kind == .stream
            ? SessionRequestBody.stream(length: length) { parts() }
            : .oneShot(length: length, DeferredParts(make: parts))
        do {
            #expect(try await Self.send(body, to: server).status == .ok)
            #expect(kind == .stream)
        } catch SessionError.body(.notRepeatable) {
            #expect(kind == .oneShot)
        }
        // Only the bytes in system buffers and those that the server read were produced, not the complete gibibyte.
        #expect(produced.withLockedValue { $0 } < count / 4)
        await server.stop()
    }

    @Test("A redirect that keeps the method sends the body again", arguments: [Kind.stream, .oneShot])
    func redirect(kind: Kind) async throws {
        let server = try await TestServer.start([
            { wire in
                let head = try await wire.head()
                if !head.contains("Expect") { _ = try await wire.text(count: 7) }
                try await wire.send("HTTP/1.1 307 Go", "Location: /there", "Content-Length: 0", "Connection: close", "")
            },
            { wire in
                let head = try await wire.head()
                #expect(head.hasPrefix("PUT /there "))
                if head.contains("Expect") { try await wire.send("HTTP/1.1 100 Continue", "") }
                #expect(try await wire.text(count: 7) == Self.text)
                try await wire.send("HTTP/1.1 200 OK", "Content-Length: 0", "")
            },
        ])
        let response = try await Self.send(Self.body(kind, reads: NIOLockedValueBox(0)), to: server)
        #expect(response.status == .ok)
        await server.stop()
    }

    @Test("Cancelling the task stops the upload") func cancellation() async throws {
        let (begun, ended) = (NIOLockedValueBox(false), NIOLockedValueBox(false))
        let server = try await TestServer.start([
            { wire in
                _ = try await wire.head()
                begun.withLockedValue { $0 = true }
                _ = try await wire.rest()
            }
        ])
        let body = SessionRequestBody.stream {
            AsyncStream<ByteBuffer> { next in
                next.onTermination = { _ in ended.withLockedValue { $0 = true } }
                next.yield(ByteBuffer(string: "x"))
            }
        }
        let upload = Task { _ = try await Self.send(body, to: server, continueTimeout: .milliseconds(1)) }
        #expect(await eventually { begun.withLockedValue { $0 } })
        try await Task.sleep(for: .milliseconds(50))
        upload.cancel()
        await #expect(throws: CancellationError.self) { try await upload.value }
        #expect(await eventually { ended.withLockedValue { $0 } })
        await server.stop()
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
