// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOEmbedded
import TLSServer
import TLSTransport

/// A client's channel, and a server in memory.
final class ChannelExchange {
    let channel = EmbeddedChannel()
    let server: TLSServerEngine
    let delegate = RecordingDelegate()
    let handler: TLSClientHandler
    /// The lengths of the client's writes in bytes.
    private(set) var outputs: [Int] = []

    init(
        _ library: TLSLibrary, _ settings: TLSServerContext.Settings = .init(), context: TLSServerContext? = nil
    ) throws {
        server = TLSServerEngine(try context ?? TLSServerContext(settings))
        let engine = try TLSEngine(TLSClientSettings(serverName: "a.test", library: library))
        handler = TLSClientHandler(engine, delegate: delegate)
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    deinit {
        delegate.giveLateAnswers()
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// The handler above TLS.
    var recorder: RecordingHandler { delegate.recorder }

    func connect() throws {
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        try run()
    }

    /// Passes on bytes until neither side has more.
    func run() throws {
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            channel.embeddedEventLoop.run()
            while let output = try channel.readOutbound(as: ByteBuffer.self) {
                outputs.append(output.readableBytes)
                isQuiet = false
                server.receive(output.readableBytesView)
            }
            let input = server.takeOutput()
            if !input.isEmpty, channel.isActive {
                isQuiet = false
                channel.pipeline.fireChannelRead(ByteBuffer(bytes: input))
                channel.pipeline.fireChannelReadComplete()
            }
        }
    }

    /// Writes bytes to the server, and returns the promise of the write.
    @discardableResult
    func write(_ text: String, flushes: Bool = true) -> WriteResult {
        let result = WriteResult()
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { result.result = $0 }
        channel.write(ByteBuffer(string: text), promise: promise)
        if flushes { channel.flush() }
        return result
    }
}

final class WriteResult {
    fileprivate(set) var result: Result<Void, any Error>?

    var isSuccess: Bool { if case .success = result { true } else { false } }

    var error: (any Error)? { if case .failure(let error) = result { error } else { nil } }
}

/// A delegate that answers at once, or when the test says so.
final class RecordingDelegate: TLSClientDelegate {
    let recorder = RecordingHandler()
    var answersLate = false
    var verify: (TLSServerCredentials) throws -> Void = { _ in }
    var selectIdentity: (TLSIdentityRequest) throws -> TLSIdentity? = { _ in nil }
    private(set) var results: [Result<TLSConnectionFacts, any Error>] = []
    private(set) var requests: [TLSIdentityRequest] = []
    private(set) var sessions: [TLSSession] = []
    /// The session for the handshake.
    var session: TLSSession?
    private(set) var lateAnswers: [() -> Void] = []

    var error: (any Error)? { if case .failure(let error) = results.first { error } else { nil } }

    func handshakeStarted(on channel: any Channel) -> TLSSession? { session }

    func verify(_ credentials: TLSServerCredentials, promise: EventLoopPromise<Void>) {
        answer { [self] in promise.completeWith(Result { try verify(credentials) }) }
    }

    func selectIdentity(for request: TLSIdentityRequest, promise: EventLoopPromise<TLSIdentity?>) {
        requests.append(request)
        answer { [self] in promise.completeWith(Result { try selectIdentity(request) }) }
    }

    func sessionReceived(_ session: TLSSession) { sessions.append(session) }

    func handshakeEnded(_ result: Result<TLSConnectionFacts, any Error>, on channel: any Channel) {
        results.append(result)
        if case .success = result { try? channel.pipeline.syncOperations.addHandler(recorder) }
    }

    func giveLateAnswers() {
        let answers = lateAnswers
        lateAnswers = []
        answers.forEach { $0() }
    }

    private func answer(_ answer: @escaping () -> Void) {
        if answersLate { lateAnswers.append(answer) } else { answer() }
    }
}

/// The handler above TLS.
final class RecordingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private(set) var received: [UInt8] = []
    private(set) var completeReadCount = 0
    private(set) var errors: [any Error] = []
    private(set) var isInactive = false
    /// Reacts to data; called during the read.
    var react: (ChannelHandlerContext) -> Void = { _ in }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        react(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) { completeReadCount += 1 }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }

    func channelInactive(context: ChannelHandlerContext) { isInactive = true }
}
