// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOHPACK
import NIOHTTP2

/// An HTTP/2 request.
package struct HTTP2Request: Sendable {
    /// Decides what the stream of a request does.
    package typealias Script = @Sendable (HTTP2Request) -> [TestServer.StreamBehavior]

    package let path: String
    /// The complete body, or an empty array if the server answers early.
    package let body: [UInt8]
    /// The number of the connection, starting at 1.
    package let connection: Int
    /// The number of the request among all requests of the server, starting at 1.
    package let number: Int
}

/// The server's side of an HTTP/2 stream.
struct HTTP2Stream {
    let connection: HTTP2Connection
    let channel: any Channel
    var frames: AsyncStream<HTTP2Frame.FramePayload>.AsyncIterator
    /// Whether the request's body is still incomplete.
    var hasBody = true
    var received: [UInt8] = []

    /// Receives a request, and carries out what the script decides.
    mutating func serve(_ number: Int, answersEarly: Bool, _ script: HTTP2Request.Script) async throws {
        guard case .headers(let head) = await frames.next() else { return }
        hasBody = !head.endStream
        let request = HTTP2Request(
            path: head.headers.first(name: ":path") ?? "", body: answersEarly ? [] : try await body(),
            connection: connection.recorder.number + 1, number: number)
        for behavior in script(request) { try await behavior.perform(on: &self) }
    }

    /// Receives the complete body of the request.
    mutating func body() async throws -> [UInt8] {
        while hasBody {
            guard let frame = await frames.next() else { throw ChannelError.eof }
            guard case .data(let data) = frame, case .byteBuffer(let buffer) = data.data else { continue }
            received += Array(buffer: buffer)
            hasBody = !data.endStream
        }
        return received
    }

    func id() async throws -> Int {
        Int(try await channel.getOption(HTTP2StreamChannelOptions.streamID).get())
    }

    func send(_ payload: HTTP2Frame.FramePayload) async throws {
        try await channel.writeAndFlush(payload)
    }

    func end(with body: [UInt8]) async throws {
        try await send(.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true)))
    }
}
