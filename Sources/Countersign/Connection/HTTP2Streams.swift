// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP2

/// What the exchanges of a connection that speaks HTTP/2 share: its streams, and what the server lets become of them.
final class HTTP2Streams: Sendable {
    private struct State {
        var multiplexer: NIOHTTP2Handler.StreamMultiplexer?
        /// RFC 9113 section 6.5.2 advises servers to allow no fewer, and until they have spoken nothing else is known.
        var limit = 100
        var isDraining = false
        var listener: (@Sendable () -> Void)?
    }

    private let state = NIOLockedValueBox(State())

    /// How many streams may be open at once.
    var limit: Int { state.withLockedValue { $0.isDraining ? 0 : $0.limit } }

    /// Whether the server takes no new stream any more (GOAWAY, RFC 9113 section 6.8).
    var isDraining: Bool { state.withLockedValue(\.isDraining) }

    /// Told when the server changes what it lets become of streams; called on the connection's event loop.
    func listen(_ listener: @escaping @Sendable () -> Void) {
        state.withLockedValue { $0.listener = listener }
    }

    func begin(with multiplexer: NIOHTTP2Handler.StreamMultiplexer) {
        state.withLockedValue { $0.multiplexer = multiplexer }
    }

    func setLimit(_ limit: Int) {
        change { $0.limit = limit }
    }

    func drain() {
        change { $0.isDraining = true }
    }

    private func change(_ change: (inout State) -> Void) {
        let listener = state.withLockedValue { state in
            change(&state)
            return state.listener
        }
        listener?()
    }

    /// Opens a stream for one exchange.
    ///
    /// - Throws: ``RequestNotProcessed``.
    func open(on connection: any Channel, idleTimeout: Duration, failure: ChannelFailure) async throws -> any Channel {
        let promise = connection.eventLoop.makePromise(of: (any Channel).self)
        let multiplexer = state.withLockedValue { $0.isDraining ? nil : $0.multiplexer }
        guard let multiplexer else {
            promise.fail(ChannelError.eof)
            throw RequestNotProcessed(reason: SessionError.connectionLost(failure.endpoint, .request))
        }
        multiplexer.createStreamChannel(promise: promise) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers(
                    IdleStateHandler(allTimeout: TimeAmount(idleTimeout)), ExchangeHandler<HTTP2Wire>(failure: failure))
            }
        }
        do {
            return try await promise.futureResult.get()
        } catch {
            throw RequestNotProcessed(reason: failure.classify(error, .request))
        }
    }
}
