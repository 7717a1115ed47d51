// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
import NIOCore
import Synchronization

/// The right to use a connection of a pool, for one exchange after the other.
///
/// An exchange returns the connection to the pool when its response has ended. A scheme that authenticates connections (NTLM, Negotiate)
/// needs the same connection for its next message, so an exchange may also hold it. The owner of the lease then ends the lease by
/// ``release()`` or ``retire()``.
package final class ConnectionLease: Sendable {
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
    private let state = Mutex(State.idle)
    private let id: ConnectionPool.ConnectionID
    private weak let pool: ConnectionPool?

    init(of connection: HTTPConnection, _ id: ConnectionPool.ConnectionID, in pool: ConnectionPool, isReused: Bool) {
        (self.connection, self.isReused, self.id, self.pool) = (connection, isReused, id, pool)
    }

    private func end(_ isReusable: Bool) {
        guard let pool else { return connection.channel.close(promise: nil) }
        pool.release(id, connection, isReusable: isReusable)
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
        case .release: end(isReusable)
        case .retire: end(false)
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
        if let isReusable { end(isReusable) }
    }
}
