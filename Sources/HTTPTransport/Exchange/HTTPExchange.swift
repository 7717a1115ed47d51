// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import NIOCore
import Synchronization

/// One request on its way through a connection, and whoever awaits its response.
package final class HTTPExchange: Sendable {
    package struct Response: Sendable {
        package let head: HTTPResponse
        package let body: IncomingBody
    }

    private struct State {
        /// `nil` where nobody waits any more.
        var waiter: UnsafeContinuation<Response, any Error>?
        var handle: ExchangeHandle?
        /// Whether it has ended or was given up; once it has ended, the connection may be another's.
        var isOver = false
    }

    /// How the body comes.
    enum Body: Sendable {
        case whole(ByteBuffer?)
        /// In parts, once the promise succeeds: when the server asks for them, says nothing for so long, or sends the first part of a
        /// response of success. The promise fails where the server completes its response first, or refuses the request.
        case following(permission: EventLoopPromise<ExchangeHandle>, continueTimeout: TimeAmount?)
    }

    /// How long the exchange may take.
    package struct Limits: Sendable {
        /// From the end of the request to the first byte of the response.
        let response: TimeAmount?
        /// When the response must have been read whole.
        let deadline: NIODeadline?

        package init(response: TimeAmount? = nil, deadline: NIODeadline? = nil) {
            (self.response, self.deadline) = (response, deadline)
        }
    }

    let request: HTTPRequest
    /// Whether a proxy is asked for the resource itself.
    let isAbsoluteForm: Bool
    let body: Body
    let limits: Limits
    /// Whether it does no harm to send it again, should it be lost.
    var mayBeRepeated: Bool { if case .whole = body { request.method.isIdempotent } else { false } }
    /// Called once the connection can take the next request (`true`) or never will (`false`).
    private let completion: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    init(
        request: HTTPRequest, isAbsoluteForm: Bool, body: Body, limits: Limits,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        (self.request, self.isAbsoluteForm) = (request, isAbsoluteForm)
        (self.body, self.limits, self.completion) = (body, limits, completion)
    }

    // MARK: Whoever wants the response

    /// Awaits the response of what the closure sets in motion.
    func response(_ start: () -> Void) async throws -> Response {
        try await withUnsafeThrowingContinuation { waiter in
            state.withLock { $0.waiter = waiter }
            start()
        }
    }

    /// Nobody wants the response any more.
    func cancel() {
        end { handle in
            // What waits for its connection's answer has not started yet, and will not start.
            guard let handle else { return fail(CancellationError()) }
            handle.cancel()
        }
    }

    /// Fails before anything of the request is sent, which is not sent any more.
    func failBeforeStart(_ error: any Error) { end { _ in fail(error) } }

    private func end(_ first: (ExchangeHandle?) -> Void) {
        let (wasOver, handle) = state.withLock { state in
            defer { state.isOver = true }
            return (state.isOver, state.handle)
        }
        if !wasOver { first(handle) }
    }

    // MARK: The connection

    /// Starts on what the handle reaches.
    ///
    /// - Returns: `false` where the exchange has been cancelled.
    func attach(_ handle: ExchangeHandle) -> Bool {
        state.withLock { state in
            state.handle = handle
            return !state.isOver
        }
    }

    /// The head is there.
    func succeed(with response: Response) { takeWaiter()?.resume(returning: response) }

    /// There will be no response.
    func fail(_ error: any Error) { takeWaiter()?.resume(throwing: error) }

    private func takeWaiter() -> UnsafeContinuation<Response, any Error>? {
        state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
    }

    /// The connection can take the next request, or never will.
    func end(isReusable: Bool) {
        var isReusableStill = false
        end { _ in isReusableStill = isReusable }
        completion(isReusableStill)
    }
}

/// Takes the parts of a request's body.
protocol UploadTarget: Sendable {
    var eventLoop: any EventLoop { get }

    /// Writes parts in order; call it on the event loop.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - departure: Completed when they have left.
    func write(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>)
}

/// Reaches an exchange from other threads than its event loop.
struct ExchangeHandle: UploadTarget {
    let driver: NIOLoopBound<ExchangeDriver>

    var eventLoop: any EventLoop { driver.eventLoop }

    func write(_ parts: [ByteBuffer], departure: EventLoopPromise<Void>) {
        driver.value.send(parts, departure: departure)
    }

    /// Sends the end of the request's body, and returns when it has left.
    func end() async throws {
        try await eventLoop.flatSubmit { [driver] in
            let departure = driver.eventLoop.makePromise(of: Void.self)
            driver.value.sendEnd(departure: departure)
            return departure.futureResult
        }.get()
    }

    /// The body cannot be sent as announced.
    func abort(_ error: any Error) {
        eventLoop.execute { [driver] in driver.value.abort(error) }
    }

    /// The response is not wanted any more.
    func cancel() {
        eventLoop.execute { [driver] in driver.value.cancel() }
    }
}

/// The body of a response.
package enum IncomingBody: Sendable {
    /// All of it arrived with the head.
    case whole(ByteBuffer)
    /// It goes on arriving; its reader takes it from the queue.
    case arriving(BodyQueue)
}
