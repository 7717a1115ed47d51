// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP2

/// What the exchanges of a connection that speaks HTTP/2 share: its streams, and what the server lets become of them.
final class HTTP2Streams: Sendable {
    private struct State {
        /// Where streams are opened, and what looks after them.
        var origin: (multiplexer: NIOHTTP2Handler.StreamMultiplexer, watch: NIOLoopBound<SilenceWatch>)?
        /// RFC 9113 section 6.5.2 advises servers to allow no fewer, and until they have spoken nothing else is known.
        var limit = 100
        var isDraining = false
        var isOver = false
        var open = 0
        /// Whether a part of a response has come since ``takeProgress()``.
        var hasProgress = false
        var listener: (@Sendable () -> Void)?
    }

    private let state = NIOLockedValueBox(State())
    let probe = HTTP2Probe()
    /// How long a stream may be silent.
    private let idleTimeout: Duration

    init(idleTimeout: Duration) { self.idleTimeout = idleTimeout }

    /// How many streams may be open at once.
    var limit: Int { state.withLockedValue { $0.isDraining ? 0 : $0.limit } }

    /// Whether the server takes no new stream any more (GOAWAY, RFC 9113 section 6.8).
    var isDraining: Bool { state.withLockedValue(\.isDraining) }

    /// How many streams there are.
    var openCount: Int { state.withLockedValue(\.open) }

    /// A part of a response has come.
    func noteProgress() { state.withLockedValue { $0.hasProgress = true } }

    /// A request is about to be sent.
    ///
    /// - Returns: Whether the server takes any; otherwise NIO would hold it back for as long as that lasts (RFC 9113 section 5.1.2).
    func noteRequest() -> Bool {
        state.withLockedValue { state in
            state.hasProgress = true
            return state.limit > 0 && !state.isDraining
        }
    }

    /// Whether one has come since this was asked last.
    func takeProgress() -> Bool {
        state.withLockedValue { state in
            defer { state.hasProgress = false }
            return state.hasProgress
        }
    }

    /// Told when the server changes what it lets become of streams; called on the connection's event loop.
    func listen(_ listener: @escaping @Sendable () -> Void) {
        state.withLockedValue { if !$0.isOver { $0.listener = listener } }
    }

    /// Call it on the connection's event loop.
    func begin(with multiplexer: NIOHTTP2Handler.StreamMultiplexer, on loop: any EventLoop) {
        let watch = NIOLoopBound(SilenceWatch(limit: idleTimeout, on: loop), eventLoop: loop)
        state.withLockedValue { $0.origin = (multiplexer, watch) }
    }

    func setLimit(_ limit: Int) {
        change { $0.limit = limit }
    }

    func drain() {
        change { $0.isDraining = true }
    }

    /// The connection is closed; the listener holds it and is held by it, so it is released here.
    func end() {
        drain()
        probe.end()
        state.withLockedValue { ($0.listener, $0.origin, $0.isOver) = (nil, nil, true) }
    }

    private func change(_ change: (inout State) -> Void) {
        let listener = state.withLockedValue { state in
            change(&state)
            return state.listener
        }
        listener?()
    }

    /// Opens a stream for one exchange, and begins it there; call it on the connection's event loop.
    ///
    /// What cannot be begun fails with ``RequestNotProcessed``.
    func begin(_ exchange: HTTPExchange, on connection: any Channel, failure: ChannelFailure) {
        let answer = probe.ask(over: connection, isBusy: openCount > 0)
        guard let answer, !exchange.mayBeRepeated else {
            return open(for: exchange, on: connection, failure: failure)
        }
        answer.assumeIsolated().whenComplete { _ in
            self.open(for: exchange, on: connection, failure: failure)
        }
    }

    private func open(for exchange: HTTPExchange, on connection: any Channel, failure: ChannelFailure) {
        guard let (multiplexer, watch) = state.withLockedValue({ $0.isDraining ? nil : $0.origin }) else {
            // A server that has broken the protocol by then is named by that.
            let reason =
                failure.record.hasFailed
                ? failure.classify(ChannelError.eof, .request)
                : TransportError.connectionLost(failure.peer, .request)
            return exchange.fail(RequestNotProcessed(reason: reason))
        }
        let promise = connection.eventLoop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: promise) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(
                    ExchangeHandler(wire: HTTP2Wire(self), failure: failure, watch: watch.value))
            }
        }
        promise.futureResult.assumeIsolated().whenComplete { opened in
            switch opened {
            case .success(let stream):
                self.count(stream)
                exchange.begin(on: stream, failure: failure)
            case .failure(let error): exchange.fail(RequestNotProcessed(reason: failure.classify(error, .request)))
            }
        }
    }

    private func count(_ stream: any Channel) {
        state.withLockedValue { $0.open += 1 }
        stream.closeFuture.whenComplete { _ in self.state.withLockedValue { $0.open -= 1 } }
    }
}
