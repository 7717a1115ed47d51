// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLabTesting
import NIOCore
import NIOPosix
import Testing

@testable import ChallengeLab

@Suite struct OldClientTests {
    @Test(
        "For an HTTP/1.0 client, the end of the connection ends the catalogue page", .lab([.plainHTTP]),
        .timeLimit(.minutes(1)))
    func frontPage() async throws {
        let lab = try #require(Lab.current)
        for (request, hasBody) in [("GET / HTTP/1.0\r\n\r\n", true), ("HEAD / HTTP/1.0\r\n\r\n", false)] {
            let text = try await Self.all(request, from: lab[.plainHTTP].port)
            #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n"))
            #expect(text.hasSuffix("\r\n\r\n") != hasBody)
            #expect(text.lowercased().contains("connection: close\r\n"))
        }
    }

    /// Sends a request, and reads until the server closes the connection.
    private static func all(_ request: String, from port: Int) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var text = ""
            for try await part in inbound { text += String(buffer: part) }
            return text
        }
    }
}
