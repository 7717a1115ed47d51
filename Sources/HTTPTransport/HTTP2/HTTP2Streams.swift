// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// What the pool knows of a connection that speaks HTTP/2: how many streams the server allows.
final class HTTP2Streams: Sendable {
    private struct State {
        /// Where streams are opened; `nil` before the connection is active, and once it is closed.
        var handler: NIOLoopBound<HTTP2ConnectionHandler>?
        var limit = HTTP2ConnectionStateMachine.defaultStreamLimit
        var isDraining = false
        var isOver = false
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

    /// Sets the closure that is called, on the connection's event loop, when the limit changes or the server takes no stream.
    func listen(_ listener: @escaping @Sendable () -> Void) {
        state.withLockedValue { if !$0.isOver { $0.listener = listener } }
    }

    /// Puts HTTP/2 on a channel whose bytes are what the peer sent, decrypted; call it on the channel's event loop.
    func addHandlers(to channel: any Channel, failure: ChannelFailure) throws {
        let watch = IdleMonitor(limit: idleTimeout, on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(HTTP2ConnectionHandler(self, failure: failure, watch: watch))
    }

    /// Starts one exchange; call it on the connection's event loop.
    ///
    /// An exchange that cannot start fails with ``RequestNotProcessed``.
    func begin(_ exchange: HTTPExchange, on connection: any Channel, failure: ChannelFailure) {
        guard let handler = state.withLockedValue({ $0.isDraining ? nil : $0.handler }) else {
            // A server that has broken the protocol by then is named by that.
            let reason =
                failure.record.hasFailed
                ? failure.classify(ChannelError.eof, .request)
                : TransportError.connectionLost(failure.peer, .request)
            return exchange.fail(RequestNotProcessed(reason: reason))
        }
        let acknowledgement = probe.ask(over: connection, isBusy: handler.value.isBusy)
        guard let acknowledgement, !exchange.mayBeRepeated else { return handler.value.begin(exchange) }
        let timer = exchange.limits.deadline.map { deadline in
            connection.eventLoop.scheduleTask(deadline: deadline) {
                exchange.failBeforeStart(TransportError.timedOut(failure.peer, .total))
            }
        }
        acknowledgement.assumeIsolated().whenComplete { _ in
            timer?.cancel()
            self.begin(exchange, on: connection, failure: failure)
        }
    }

    // MARK: The handler's side

    /// The connection is active.
    func start(_ handler: NIOLoopBound<HTTP2ConnectionHandler>) {
        state.withLockedValue { $0.handler = handler }
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
        state.withLockedValue { ($0.listener, $0.handler, $0.isOver) = (nil, nil, true) }
    }

    private func change(_ change: (inout State) -> Void) {
        let listener = state.withLockedValue { state in
            change(&state)
            return state.listener
        }
        listener?()
    }
}
