// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore
import NIOHTTP2
import Testing

/// What a server says of a request whose body its window still holds back (RFC 9113 section 8.1).
@Suite struct HTTP2EarlyAnswerTests {
    private static func request(_ server: HTTP2Server) -> Request {
        Request(url: server.url, method: .post, body: .bytes(Array(repeating: 1, count: 500_000)))
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
                if case SessionError.streamReset(_, let reason) = error { reason.code == 8 } else { false }
            }
            #expect(server.requestCount == 1)
        }
    }
}
