// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP2
import TestServer
import Testing

/// Responses to a request whose body the server's window still blocks (RFC 9113 section 8.1).
@Suite struct HTTP2EarlyAnswerTests {
    private static func request(_ server: HTTP2Server) -> SessionRequest {
        SessionRequest(url: server.url, method: .post, body: .bytes(Array(repeating: 1, count: 500_000)))
    }

    @Test("A response that arrives before the body was sent is delivered") func earlyResponse() async throws {
        try await withHTTP2(answersEarly: true) { _ in
            [.respond(413), .reset(.noError)]
        } _: { server, session in
            for _ in 0..<10 {
                let response = try await session.send(Self.request(server))
                #expect(response.status == .contentTooLarge)
                #expect(try await response.body.collect(upTo: 10) == ByteBuffer())
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A stream that is reset during the upload is an error, and the request is not sent again")
    func earlyReset() async throws {
        try await withHTTP2(answersEarly: true) { _ in
            [.reset(.cancel)]
        } _: { server, session in
            await #expect {
                _ = try await session.send(Self.request(server))
            } throws: { error in
                if case SessionError.response(.streamReset(_, let reason)) = error { reason.code == 8 } else { false }
            }
            #expect(server.requestCount == 1)
        }
    }

    @Test(
        "Before 100 (Continue), an incomplete success response starts the upload, and other final responses prevent it",
        arguments: [
            (actions: [.head(200), .echo], body: [1, 2, 3]), (actions: [.respond(200)], body: []),
            (actions: [.head(413), .awaitRequests(2)], body: nil),
        ] as [(actions: [HTTP2Server.Action], body: [UInt8]?)])
    func finalResponse(actions: [HTTP2Server.Action], body: [UInt8]?) async throws {
        let reads = NIOLockedValueBox(0)
        let parts = AsyncStream<ByteBuffer>(unfolding: {
            let count = reads.withLockedValue { reads in
                reads += 1
                return reads
            }
            return count == 1 ? ByteBuffer(bytes: [1, 2, 3]) : nil
        })
        try await withHTTP2(answersEarly: true, change: { $0.continueTimeout = .seconds(30) }) { request in
            request.number == 1 ? actions : [.respond(204)]
        } _: { server, session in
            let response = try await session.send(
                SessionRequest(url: server.url, method: .post, body: .oneShot(length: 3, parts)))
            if let body {
                #expect(try await Array(response.body.collect(upTo: 10).readableBytesView) == body)
            } else {
                #expect(response.status == .contentTooLarge)
            }
            #expect(reads.withLockedValue { $0 > 0 } == (body == [1, 2, 3]))
            // Only the stream ends, not the connection.
            #expect(try await session.get(server.url).status == .noContent)
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A large repeatable body does not wait for 100 (Continue)", .timeLimit(.minutes(1)))
    func repeatableBody() async throws {
        let size = 2 << 20
        let part = ByteBuffer(repeating: 7, count: 1 << 16)
        let body = SessionRequestBody.stream(length: size) {
            AsyncStream { parts in
                for _ in 0..<(size >> 16) { parts.yield(part) }
                parts.finish()
            }
        }
        try await withHTTP2(answersEarly: true, change: { $0.continueTimeout = .seconds(3600) }) { request in
            request.number == 1
                ? [.respond(401, [("www-authenticate", "Basic realm=r")]), .reset(.noError)] : [.head(200), .echo]
        } _: { server, session in
            var request = SessionRequest(url: server.url, method: .put, body: body)
            request.credential = .password(user: "u", password: Secret("p"))
            let response = try await session.send(request)
            #expect(try await response.body.collect(upTo: size).readableBytes == size)
            #expect(server.requestCount == 2)
            #expect(server.connectionCount == 1)
        }
    }
}
