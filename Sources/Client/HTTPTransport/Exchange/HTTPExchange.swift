// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import NIOCore
import Synchronization

/// One request on its way through a connection: how it is framed, the task that sends its body, and the task that awaits its response.
package final class HTTPExchange: Sendable {
    /// The response of an exchange.
    package struct Response: Sendable {
        /// The status and the header fields.
        package let head: HTTPResponse
        /// The body, which has yet to be read.
        package let body: IncomingBody
    }

    private struct State {
        /// `nil` once the caller has its response, or has been cancelled.
        var waiter: UnsafeContinuation<Response, any Error>?
        var handle: Handle?
        /// Whether it has ended or was given up; once it has ended, the connection may be another's.
        var isOver = false
    }

    /// How the body comes.
    enum Body: Sendable {
        case whole(ByteBuffer?)
        /// In parts, once the promise succeeds: when the server asks for them, says nothing for so long, or sends the first part of a
        /// response of success. The promise fails where the server completes its response first, or refuses the request.
        case following(permission: EventLoopPromise<Handle>, continueTimeout: TimeAmount?)
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

    /// The settings of an exchange.
    package struct Options: Sendable {
        /// Whether a proxy is asked for the resource itself.
        let isAbsoluteForm: Bool
        /// How long the body waits for a 100 (Continue); `nil` where it does not wait.
        let continueTimeout: Duration?
        let limits: Limits

        package init(isAbsoluteForm: Bool = false, continueTimeout: Duration? = nil, limits: Limits = Limits()) {
            (self.isAbsoluteForm, self.continueTimeout, self.limits) = (isAbsoluteForm, continueTimeout, limits)
        }
    }

    let request: HTTPRequest
    /// Whether a proxy is asked for the resource itself.
    let isAbsoluteForm: Bool
    let body: Body
    let limits: Limits
    /// Sends a body that follows.
    private let upload: Task<Void, Never>?
    /// Whether it does no harm to send it again, should it be lost.
    var mayBeRepeated: Bool { hasBodyToFollow ? false : request.method.isIdempotent }
    /// Whether the body is sent in parts, behind the head.
    var hasBodyToFollow: Bool { if case .following = body { true } else { false } }
    /// Called once the connection can take the next request (`true`) or never will (`false`).
    private let completion: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    init(
        request: HTTPRequest, isAbsoluteForm: Bool, body: Body, limits: Limits, upload: Task<Void, Never>? = nil,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        (self.request, self.isAbsoluteForm, self.upload) = (request, isAbsoluteForm, upload)
        (self.body, self.limits, self.completion) = (body, limits, completion)
    }

    /// Prepares an exchange, and starts a task that sends the body where the body is produced or waits for a 100 (Continue).
    convenience init(
        _ request: HTTPRequest, _ body: OutgoingBody?, _ options: Options, isChunked: Bool, peer: ConnectionPeer,
        eventLoop: any EventLoop, completion: @escaping @Sendable (Bool) -> Void
    ) {
        var request = request
        Self.frame(&request, body, isChunked: isChunked)
        guard let body, options.continueTimeout != nil || body.bytes == nil else {
            self.init(
                request: request, isAbsoluteForm: options.isAbsoluteForm,
                body: .whole(body?.bytes.map(ByteBuffer.init(bytes:))), limits: options.limits, completion: completion)
            return
        }
        let permission = eventLoop.makePromise(of: Handle.self)
        let sender = BodyUpload(peer: peer, body: body, permission: permission.futureResult)
        self.init(
            request: request, isAbsoluteForm: options.isAbsoluteForm,
            body: .following(
                permission: permission, continueTimeout: options.continueTimeout.map(TimeAmount.init)),
            limits: options.limits, upload: Task { await sender.run() }, completion: completion)
    }

    /// A length that the user wrote cannot be right where it differs, and where it does not it is not needed.
    private static func frame(_ request: inout HTTPRequest, _ body: OutgoingBody?, isChunked: Bool) {
        request.headerFields.remove(.contentLength)
        request.headerFields.remove(.transferEncoding)
        if let body {
            if let length = body.length {
                request.headerFields[.contentLength] = String(length)
            } else if isChunked {
                request.headerFields[.transferEncoding] = "chunked"
            }
        } else if request.method == .post || request.method == .put || request.method == .patch {
            // RFC 9110 section 8.6.
            request.headerFields[.contentLength] = "0"
        }
    }

    // MARK: The task that awaits the response

    /// Awaits the response of what the closure sets in motion.
    ///
    /// Cancelling the task ends the exchange: HTTP/1.1 closes the connection, HTTP/2 resets the stream.
    func response(_ start: () -> Void) async throws -> Response {
        do {
            return try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { waiter in
                    state.withLock { $0.waiter = waiter }
                    start()
                }
            } onCancel: {
                cancel()
            }
        } catch {
            endUpload()
            try Task.checkCancellation()
            throw error
        }
    }

    /// The response is not wanted any more.
    func cancel() {
        end { handle in
            // What waits for its connection's answer has not started yet, and will not start.
            guard let handle else { return fail(CancellationError()) }
            handle.cancel()
        }
    }

    /// Fails before anything of the request is sent, which is not sent any more.
    func failBeforeStart(_ error: any Error) { end { _ in fail(error) } }

    private func end(_ first: (Handle?) -> Void) {
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
    func attach(_ handle: Handle) -> Bool {
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
        endUpload()
        completion(isReusableStill)
    }

    // MARK: The body that follows the head

    /// The head has been written: the body follows at once, or waits for the server's 100 (Continue), though not for long.
    func headWasWritten(on eventLoop: any EventLoop) {
        guard case .following(let permission, let timeout) = body, let handle = state.withLock(\.handle) else { return }
        guard let timeout else { return permission.succeed(handle) }
        // A server need not know of the expectation (RFC 9110 section 10.1.1).
        eventLoop.scheduleTask(in: timeout) { permission.succeed(handle) }
    }

    /// The server wants the body, or has begun a response that it may complete only with the body.
    func permitUpload(by handle: Handle) {
        if case .following(let permission, _) = body { permission.succeed(handle) }
    }

    /// The server has answered without the body.
    func refuseUpload() {
        if case .following(let permission, _) = body { permission.fail(BodyUpload.RespondedEarly()) }
    }

    /// Nothing more of the body is sent.
    private func endUpload() {
        refuseUpload()
        upload?.cancel()
    }
}

extension HTTPExchange {
    /// Reaches an exchange from other threads than its event loop.
    struct Handle: UploadTarget {
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
}
