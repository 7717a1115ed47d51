// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
import NIOConcurrencyHelpers
package import NIOCore
import Synchronization
import TLSTransport

/// An HTTP/1.1 or HTTP/2 connection to an origin or to a proxy.
package final class HTTPConnection: Sendable {
    /// The channel of the connection.
    package let channel: any Channel
    /// The streams of HTTP/2; `nil` for HTTP/1.1.
    let streams: HTTP2Streams?
    /// The conversion of channel errors into transport errors.
    package let failure: ChannelFailure
    /// The durations of the steps of opening the connection.
    package let opening: ConnectionOpening
    /// Whether the server may request an identity while an exchange runs: in TLS 1.2 (RFC 5746), and with OpenSSL in
    /// TLS 1.3 (RFC 8446 section 4.6.2).
    package let mayRequestIdentity: Bool
    private let owned = NIOLockedValueBox(Owned())
    /// The handler of the exchanges; `nil` before the first one.
    private let handler = NIOLockedValueBox<Handler?>(nil)

    /// The objects that the connection's owners attach to it.
    private struct Owned {
        var attachment: (any Attachment)?
        /// Returns the connection to the pool when a lease has ended.
        var leaseEnd: (@Sendable (HTTPConnection, _ isReusable: Bool) -> Void)?
    }

    init(channel: any Channel, streams: HTTP2Streams?, failure: ChannelFailure, opening: ConnectionOpening) {
        (self.channel, self.streams, self.failure, self.opening) = (channel, streams, failure, opening)
        let facts = failure.record.facts
        let isAskedLate = facts.tls.map { $0.version < .tls13 || facts.tlsSettings?.library == .openSSL } ?? false
        mayRequestIdentity = streams == nil && isAskedLate
    }

    /// The object that the owner attaches to the connection; `nil` until the owner sets it.
    package var attachment: (any Attachment)? {
        get { owned.withLockedValue { $0.attachment } }
        set { owned.withLockedValue { $0.attachment = newValue } }
    }

    /// Sets the closure that is called whenever a lease of the connection has ended.
    func whenLeaseEnds(_ body: @escaping @Sendable (HTTPConnection, _ isReusable: Bool) -> Void) {
        owned.withLockedValue { $0.leaseEnd = body }
    }

    fileprivate func endLease(isReusable: Bool) {
        let owned = owned.withLockedValue { $0 }
        owned.leaseEnd?(self, isReusable)
    }

    /// The facts of the connection.
    package var record: PeerRecord { failure.record }

    /// Whether the connection uses HTTP/2, and may carry several exchanges at once.
    package var isMultiplexed: Bool { streams != nil }

    /// Whether every request may use the connection.
    var isPlain: Bool { attachment?.isPlain ?? true }

    /// Whether the connection can still take a request.
    var isAlive: Bool {
        channel.isActive && !failure.record.hasFailed && streams?.isDraining != true
    }

    /// Ends HTTP on the connection, which then carries the bytes of a tunnel.
    ///
    /// - Throws: `ChannelPipelineError` if the connection is closed, or uses HTTP/2.
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
    ///   - options: The options and limits of the exchange.
    ///   - completion: Called once, on the event loop, with whether the connection can take another request.
    /// - Returns: The response, with its body not yet read.
    /// - Throws: ``TransportError``, ``RequestNotProcessed``, ``HTTP1Required``, errors of the body's producer, and
    ///   `CancellationError` if the task is cancelled.
    package func exchange(
        _ request: HTTPRequest, body: OutgoingBody? = nil, options: HTTPExchange.Options = HTTPExchange.Options(),
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) async throws -> HTTPExchange.Response {
        let exchange = HTTPExchange(
            request, body, options, isChunked: !isMultiplexed, peer: failure.peer, eventLoop: channel.eventLoop,
            completion: completion)
        return try await exchange.response { begin(exchange) }
    }

    /// Starts the exchange on the event loop, where it stays until the response arrives.
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

    /// The handler of the exchanges, by HTTP version.
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
    /// The right to use a pooled connection for one exchange after another.
    ///
    /// An exchange returns the connection to the pool when its response has ended. A scheme that authenticates
    /// connections (NTLM, Negotiate) needs the same connection for its next message, so an exchange may also hold it.
    /// The owner of the lease then ends the lease by ``release()`` or ``retire()``.
    package final class Lease: Sendable {
        /// The action on the connection when the response has ended.
        package enum CompletionAction: Hashable, Sendable {
            /// The pool may lease the connection again.
            case release
            /// The connection closes; over HTTP/2, only the stream does.
            case retire
            /// The owner of the lease decides.
            case hold
        }

        private enum State {
            case idle
            case exchanging(CompletionAction)
            /// The response has ended, and the owner holds the connection.
            case held(isReusable: Bool)
            /// The lease has ended, and the pool has the connection.
            case ended
        }

        /// The connection.
        package let connection: HTTPConnection
        /// Whether the connection has served another request before.
        package let isReused: Bool
        /// The pool of the connection, kept alive until its last lease has ended: only the pool knows when a shared
        /// connection may close.
        private let pool: any AnyObject & Sendable
        private let state = Mutex(State.idle)

        init(of connection: HTTPConnection, isReused: Bool, from pool: any AnyObject & Sendable) {
            (self.connection, self.isReused, self.pool) = (connection, isReused, pool)
        }

        /// Sends a request and awaits the head of its response.
        ///
        /// The connection can be leased again if the complete request was sent, the response was read to its end, no
        /// other bytes follow it, and HTTP/1.1 keeps the connection alive (RFC 9112 section 9.3). It returns to the
        /// pool before the reader sees the body's end.
        ///
        /// - Parameters:
        ///   - request: The request, without fields that state the length of the body.
        ///   - body: The body, sent with the head or while the response is awaited; `nil` for none.
        ///   - options: The options and limits of the exchange.
        ///   - completionAction: The action on the connection when the response has ended.
        ///   - completion: Called on the event loop, once, when the response has ended,
        ///     before the connection is leased again.
        /// - Returns: The response, with its body not yet read.
        /// - Throws: ``TransportError``, ``RequestNotProcessed``, ``HTTP1Required``, errors of the body's producer, and
        ///   `CancellationError` if the task is cancelled. The lease has then ended.
        package func send(
            _ request: HTTPRequest, body: OutgoingBody? = nil,
            options: HTTPExchange.Options = HTTPExchange.Options(), completionAction: CompletionAction = .release,
            completion: (@Sendable () -> Void)? = nil
        ) async throws -> HTTPExchange.Response {
            state.withLock { $0 = .exchanging(completionAction) }
            do {
                return try await connection.exchange(request, body: body, options: options) { isReusable in
                    completion?()
                    self.finish(isReusable: isReusable)
                }
            } catch {
                // The exchange may have failed before it began; then its completion is not called and does not
                // end the lease.
                finish(isReusable: false, .retire)
                throw error
            }
        }

        deinit { settle(.retire) }

        /// Whether the owner holds the connection, and the connection can take the next message.
        package var isReady: Bool {
            state.withLock { if case .held(isReusable: true) = $0 { true } else { false } } && connection.isAlive
        }

        /// Ends or holds the lease when the response has ended or failed.
        private func finish(isReusable: Bool, _ overriding: CompletionAction? = nil) {
            let completionAction = state.withLock { state -> CompletionAction? in
                guard case .exchanging(let intended) = state else { return nil }
                let completionAction = overriding ?? intended
                state = completionAction == .hold ? .held(isReusable: isReusable) : .ended
                return completionAction
            }
            switch completionAction {
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

        private func settle(_ completionAction: CompletionAction) {
            let isReusable = state.withLock { state -> Bool? in
                switch state {
                case .idle:
                    state = .ended
                    return completionAction == .release
                case .held(let isReusable):
                    state = .ended
                    return isReusable && completionAction == .release
                case .exchanging:
                    state = .exchanging(completionAction)
                    return nil
                case .ended:
                    return nil
                }
            }
            if let isReusable { connection.endLease(isReusable: isReusable) }
        }
    }

    /// The suitability of a pooled connection for a request.
    package enum Fitness: Hashable, Sendable {
        /// No request can use the connection any more, because the delegate would now answer its challenges
        /// differently; the pool closes it.
        case outdated
        /// The request cannot use the connection, but other requests can.
        case foreign
        /// The request can use the connection.
        case usable
        /// The request can use the connection, which is already authenticated with the request's credential.
        case authenticated
    }

    /// The object that the owner attaches to a connection, and that decides which requests may use the connection.
    package protocol Attachment: AnyObject, Sendable {
        /// Whether every request may use the connection: it was opened without a credential and without an accepted
        /// untrusted chain.
        var isPlain: Bool { get }
        /// Whether a later request may use the connection: no credential that opened it is for one request only.
        var mayBeShared: Bool { get }
    }
}
