// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
import NIOConcurrencyHelpers
package import NIOCore
import Synchronization

/// One connection that speaks HTTP/1.1 or HTTP/2, to an origin or to a proxy.
package final class HTTPConnection: Sendable {
    /// The channel of the connection.
    package let channel: any Channel
    /// `nil` for HTTP/1.1.
    let streams: HTTP2Streams?
    /// Turns errors of the channel into errors of the transport.
    package let failure: ChannelFailure
    /// How long each step of opening the connection took.
    package let opening: ConnectionOpening
    private let owned = NIOLockedValueBox(Owned())
    /// What carries exchanges; `nil` before the first one.
    private let handler = NIOLockedValueBox<Handler?>(nil)

    /// What the connection's owners keep with it.
    private struct Owned {
        var attachment: (any Attachment)?
        /// Takes the connection back where a lease has ended.
        var leaseEnd: (@Sendable (HTTPConnection, _ isReusable: Bool) -> Void)?
    }

    init(channel: any Channel, streams: HTTP2Streams?, failure: ChannelFailure, opening: ConnectionOpening) {
        (self.channel, self.streams, self.failure, self.opening) = (channel, streams, failure, opening)
    }

    /// The object that the owner keeps with the connection; `nil` until the owner sets it.
    package var attachment: (any Attachment)? {
        get { owned.withLockedValue { $0.attachment } }
        set { owned.withLockedValue { $0.attachment = newValue } }
    }

    /// Sets what takes the connection back whenever a lease of it has ended.
    func whenLeaseEnds(_ body: @escaping @Sendable (HTTPConnection, _ isReusable: Bool) -> Void) {
        owned.withLockedValue { $0.leaseEnd = body }
    }

    fileprivate func endLease(isReusable: Bool) {
        let owned = owned.withLockedValue { $0 }
        owned.leaseEnd?(self, isReusable)
    }

    /// The facts of the connection.
    package var record: PeerRecord { failure.record }

    /// Whether the connection speaks HTTP/2, and may carry several exchanges at once.
    package var isMultiplexed: Bool { streams != nil }

    /// Whether every request may use it.
    var isPlain: Bool { attachment?.isPlain ?? true }

    /// Whether it can still take a request; TLS takes its time to close.
    var isAlive: Bool {
        channel.isActive && !failure.record.hasFailed && streams?.isDraining != true
    }

    /// Ends HTTP on the connection, whose bytes belong to the target of a tunnel from now on.
    ///
    /// - Throws: `ChannelPipelineError` where the connection is closed, or speaks HTTP/2.
    package func detach() async throws {
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.handler(type: HTTP1Handler.self).detach()
        }.get()
    }

    /// Sends a request and awaits the head of its response.
    ///
    /// - Parameters:
    ///   - request: The request, without fields that state the length of the body.
    ///   - body: The body, sent with the head or while the response is awaited; `nil` for none.
    ///   - options: How the request is sent, and how long it may take.
    ///   - completion: Called once, on the event loop, with whether the connection can take another request.
    /// - Returns: The response. Its body has yet to be read.
    /// - Throws: ``TransportError``, ``RequestNotProcessed``, ``HTTP1Required``, what producing the body throws, and `CancellationError`
    ///   where the task is cancelled.
    package func exchange(
        _ request: HTTPRequest, body: OutgoingBody? = nil, options: HTTPExchange.Options = HTTPExchange.Options(),
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) async throws -> HTTPExchange.Response {
        let exchange = HTTPExchange(
            request, body, options, isChunked: !isMultiplexed, peer: failure.peer, eventLoop: channel.eventLoop,
            completion: completion)
        return try await exchange.response { begin(exchange) }
    }

    /// Once on the event loop, it stays there until the response is there.
    private func begin(_ exchange: HTTPExchange) {
        channel.eventLoop.execute { [self] in
            do {
                switch try findHandler() {
                case .http1(let handler): handler.value.begin(exchange)
                case .http2(let handler): handler.value.begin(exchange)
                }
            } catch {
                // A closed channel has no handlers.
                exchange.fail(
                    isMultiplexed ? failure.closedBeforeRequest : failure.notSent(ChannelError.ioOnClosedChannel))
            }
        }
    }

    /// The handler that carries exchanges, by the version.
    private enum Handler: Sendable {
        case http1(NIOLoopBound<HTTP1Handler>)
        case http2(NIOLoopBound<HTTP2ConnectionHandler>)
    }

    private func findHandler() throws -> Handler {
        if let known = handler.withLockedValue({ $0 }) { return known }
        let (pipeline, eventLoop) = (channel.pipeline.syncOperations, channel.eventLoop)
        let found: Handler =
            if isMultiplexed {
                .http2(NIOLoopBound(try pipeline.handler(type: HTTP2ConnectionHandler.self), eventLoop: eventLoop))
            } else {
                .http1(NIOLoopBound(try pipeline.handler(type: HTTP1Handler.self), eventLoop: eventLoop))
            }
        handler.withLockedValue { $0 = found }
        return found
    }
}

extension HTTPConnection {
    /// The right to use a connection of a pool, for one exchange after the other.
    ///
    /// An exchange returns the connection to the pool when its response has ended. A scheme that authenticates connections (NTLM, Negotiate)
    /// needs the same connection for its next message, so an exchange may also hold it. The owner of the lease then ends the lease by
    /// ``release()`` or ``retire()``.
    package final class Lease: Sendable {
        /// What happens to the connection when the response has ended.
        package enum Ending: Hashable, Sendable {
            /// The pool may lease it again.
            case release
            /// The connection closes; over HTTP/2, only the stream does.
            case retire
            /// The owner of the lease decides.
            case hold
        }

        private enum State {
            case idle
            case exchanging(Ending)
            /// The response has ended, and the owner holds the connection.
            case held(isReusable: Bool)
            /// The pool has the connection back.
            case ended
        }

        /// The connection.
        package let connection: HTTPConnection
        /// Whether the connection has served another request before.
        package let isReused: Bool
        /// The pool of the connection, which lives until its last lease has ended: only it knows when a shared connection may close.
        private let pool: any AnyObject & Sendable
        private let state = Mutex(State.idle)

        init(of connection: HTTPConnection, isReused: Bool, from pool: any AnyObject & Sendable) {
            (self.connection, self.isReused, self.pool) = (connection, isReused, pool)
        }

        /// Sends a request and awaits the head of its response.
        ///
        /// The connection can be leased again where the request was sent whole, the response was read to its end, nothing follows it, and
        /// HTTP/1.1 keeps the connection alive (RFC 9112 section 9.3). It is back in the pool before the reader sees the body's end.
        ///
        /// - Parameters:
        ///   - request: The request, without fields that state the length of the body.
        ///   - body: The body, sent with the head or while the response is awaited; `nil` for none.
        ///   - options: How the request is sent, and how long it may take.
        ///   - ending: What happens to the connection when the response has ended.
        ///   - completion: Called on the event loop, once, when the response has ended, before the connection is leased again.
        /// - Returns: The response. Its body has yet to be read.
        /// - Throws: ``TransportError``, ``RequestNotProcessed``, ``HTTP1Required``, what producing the body throws, and `CancellationError`
        ///   where the task is cancelled. The lease has then ended.
        package func send(
            _ request: HTTPRequest, body: OutgoingBody? = nil,
            options: HTTPExchange.Options = HTTPExchange.Options(), ending: Ending = .release,
            completion: (@Sendable () -> Void)? = nil
        ) async throws -> HTTPExchange.Response {
            state.withLock { $0 = .exchanging(ending) }
            do {
                return try await connection.exchange(request, body: body, options: options) { isReusable in
                    completion?()
                    self.finish(isReusable: isReusable)
                }
            } catch {
                // The exchange may have failed before it began, so that nothing else ends the lease.
                finish(isReusable: false, .retire)
                throw error
            }
        }

        deinit { settle(.retire) }

        /// Whether the owner holds the connection, and the connection can take the next message.
        package var isReady: Bool {
            state.withLock { if case .held(isReusable: true) = $0 { true } else { false } } && connection.isAlive
        }

        /// The response has ended, or will not come.
        private func finish(isReusable: Bool, _ overriding: Ending? = nil) {
            let ending = state.withLock { state -> Ending? in
                guard case .exchanging(let intended) = state else { return nil }
                let ending = overriding ?? intended
                state = ending == .hold ? .held(isReusable: isReusable) : .ended
                return ending
            }
            switch ending {
            case .release: connection.endLease(isReusable: isReusable)
            case .retire: connection.endLease(isReusable: false)
            case .hold, nil: break
            }
        }

        /// Returns the connection to the pool, at once or when the response has ended.
        package func release() {
            settle(.release)
        }

        /// Closes the connection, at once or when the response has ended; over HTTP/2 only the exchange ends.
        package func retire() {
            settle(.retire)
        }

        private func settle(_ ending: Ending) {
            let isReusable = state.withLock { state -> Bool? in
                switch state {
                case .idle:
                    state = .ended
                    return ending == .release
                case .held(let isReusable):
                    state = .ended
                    return isReusable && ending == .release
                case .exchanging:
                    state = .exchanging(ending)
                    return nil
                case .ended:
                    return nil
                }
            }
            if let isReusable { connection.endLease(isReusable: isReusable) }
        }
    }

    /// What a request can do with a connection of the pool.
    package enum Fitness: Hashable, Sendable {
        /// No request can use the connection any more, because the answers that opened it would differ now. The pool closes it.
        case outdated
        /// The request cannot use the connection, and others can.
        case foreign
        /// The request can use the connection.
        case usable
        /// The request can use the connection, which is already authenticated as the request needs it.
        case authenticated
    }

    /// The object that the owner of a connection keeps with it, which decides which requests may use the connection.
    package protocol Attachment: AnyObject, Sendable {
        /// Whether every request may use the connection: no credential and no acceptance of a chain was needed to open it.
        var isPlain: Bool { get }
        /// Whether a later request may use the connection: no credential that opened it is for one request only.
        var mayBeShared: Bool { get }
    }
}
