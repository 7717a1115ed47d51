// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOHTTP2

extension TestConnection {
    /// Serves HTTP/2 until one side closes.
    mutating func serveHTTP2(
        _ settings: HTTP2Settings, answersEarly: Bool, _ script: @escaping HTTP2Request.Script
    ) async throws {
        let connection = HTTP2Connection(recorder: sender.recorder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { connection.close() }
            let streams = try await connection.open(settings)
            group.addTask { [sender] in try await sender.send(connection.output) }
            group.addTask {
                try await withThrowingDiscardingTaskGroup { group in
                    for try await (channel, reader) in streams {
                        let number = connection.recorder.nextRequest()
                        group.addTask {
                            var stream = HTTP2Stream(
                                connection: connection, channel: channel, frames: reader.parts.makeAsyncIterator())
                            // An error on a stream ends that stream only.
                            try? await stream.serve(number, answersEarly: answersEarly, script)
                        }
                    }
                }
            }
            while true { try await connection.receive(next()) }
        }
    }
}

/// The server's side of an HTTP/2 connection (RFC 9113).
///
/// It has no socket. A ``TestConnection`` receives and sends its bytes, so that the behaviors of that connection apply.
struct HTTP2Connection: Sendable {
    typealias Stream = (any Channel, Reader<HTTP2Frame.FramePayload>)

    let recorder: TestServer.Recorder
    /// The bytes to send.
    let output: AsyncStream<ByteBuffer>
    private let departure: AsyncStream<ByteBuffer>.Continuation
    /// The bytes that are held back, or `nil` unless the server is silent.
    private let held = NIOLockedValueBox<[ByteBuffer]?>(nil)
    private let channel = NIOAsyncTestingChannel()

    init(recorder: TestServer.Recorder) {
        self.recorder = recorder
        (output, departure) = AsyncStream.makeStream()
    }

    /// Sends the settings, and returns the streams that the client opens.
    func open(_ settings: HTTP2Settings) async throws -> NIOHTTP2AsyncSequence<Stream> {
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings += settings
        try await channel.pipeline.addHandler(Writer(self))
        let multiplexer = try await channel.configureAsyncHTTP2Pipeline(mode: .server, configuration: configuration) {
            stream in
            let reader = Reader<HTTP2Frame.FramePayload>()
            return stream.pipeline.addHandler(reader).map { (stream, reader) }
        }.get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 0))
        return multiplexer.inbound
    }

    func close() {
        departure.finish()
        channel.close(promise: nil)
    }

    func receive(_ bytes: ByteBuffer) async throws {
        try await channel.writeInbound(bytes)
        await channel.testingEventLoop.run()
    }

    func goAway(after stream: Int, _ code: HTTP2ErrorCode = .noError, _ debugData: String = "") async throws {
        let payload = HTTP2Frame.FramePayload.goAway(
            lastStreamID: HTTP2StreamID(stream), errorCode: code, opaqueData: ByteBuffer(string: debugData))
        try await channel.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload))
    }
}

// MARK: Silence

extension HTTP2Connection {
    /// Holds back all further output.
    func holdOutput() { held.withLockedValue { $0 = $0 ?? [] } }

    /// Sends the output that was held back.
    func resumeOutput() {
        held.withLockedValue { held in
            for bytes in held ?? [] { departure.yield(bytes) }
            held = nil
        }
    }

    fileprivate func write(_ bytes: ByteBuffer) {
        held.withLockedValue { if $0?.append(bytes) == nil { departure.yield(bytes) } }
    }
}

/// Passes a connection's output on.
private final class Writer: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = ByteBuffer

    private let connection: HTTP2Connection

    init(_ connection: HTTP2Connection) { self.connection = connection }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        connection.write(unwrapOutboundIn(data))
        promise?.succeed()
    }
}
