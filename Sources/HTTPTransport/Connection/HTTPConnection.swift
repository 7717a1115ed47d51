// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
import NIOConcurrencyHelpers
package import NIOCore

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
    private let attached = NIOLockedValueBox<(any ConnectionAttachment)?>(nil)
    /// What carries exchanges; `nil` before the first one.
    private let handler = NIOLockedValueBox<Handler?>(nil)

    init(channel: any Channel, streams: HTTP2Streams?, failure: ChannelFailure, opening: ConnectionOpening) {
        (self.channel, self.streams, self.failure, self.opening) = (channel, streams, failure, opening)
    }

    /// The object that the owner keeps with the connection; `nil` until the owner sets it.
    package var attachment: (any ConnectionAttachment)? {
        get { attached.withLockedValue { $0 } }
        set { attached.withLockedValue { $0 = newValue } }
    }

    /// The facts of the connection.
    package var record: ConnectionRecord { failure.record }

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

/// The object that the owner of a connection keeps with it, which decides which requests may use the connection.
package protocol ConnectionAttachment: AnyObject, Sendable {
    /// Whether every request may use the connection: no credential and no acceptance of a chain was needed to open it.
    var isPlain: Bool { get }
    /// Whether a later request may use the connection: no credential that opened it is for one request only.
    var mayBeShared: Bool { get }
}
