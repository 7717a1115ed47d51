// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes
package import NIOCore
import Synchronization
package import TLSTransport

/// One request and its response on a connection: the framing, the task that sends the body, and the task that awaits
/// the response.
package final class HTTPExchange: Sendable {
    /// The response of an exchange.
    package struct Response: Sendable {
        /// The status and the header fields.
        package let head: HTTPResponse
        /// The body, which is not yet read.
        package let body: IncomingBody
    }

    private struct State {
        /// The continuation of the caller; `nil` once the caller has its response, or was cancelled.
        var waiter: UnsafeContinuation<Response, any Error>?
        var handle: Handle?
        /// Whether the exchange has ended or was cancelled; after its end, the connection may carry another exchange.
        var isOver = false
    }

    /// The body of the request.
    enum Body: Sendable {
        case complete(ByteBuffer?)
        /// A body in parts, sent once the promise succeeds: when the server requests them, when the timeout passes, or
        /// with the first part of a successful response. The promise fails if the server completes its response first,
        /// or rejects the request.
        case following(permission: EventLoopPromise<Handle>, continueTimeout: TimeAmount?)
    }

    /// The time limits of the exchange.
    package struct Limits: Sendable {
        /// The timeout from the end of the request to the first byte of the response.
        let response: Timeout?
        /// The timeout for the silence of the peer; `nil` for that of the connection.
        let idle: TimeAmount?
        /// The deadline by which the complete response must be read.
        let deadline: Deadline?

        package init(response: Timeout? = nil, idle: Duration? = nil, deadline: Deadline? = nil) {
            (self.response, self.idle, self.deadline) = (response, idle.map(TimeAmount.init), deadline)
        }
    }

    /// The time by which an attempt or a request must be complete, and the timeout from which it follows.
    package struct Deadline: Sendable {
        package let time: NIODeadline
        package let timeout: Timeout

        /// Creates a deadline; `nil` if the timeout is longer than any time that can be represented.
        package init?(_ timeout: Timeout, from start: NIODeadline = .now()) {
            (time, self.timeout) = (start + TimeAmount(timeout.duration), timeout)
            if time == .distantFuture { return nil }
        }

        /// The phase that the timeout limits.
        package var phase: ConnectionPhase { timeout.setting == .attempt ? .attempt : .total }
    }

    /// The settings of an exchange.
    package struct Options: Sendable {
        /// Whether the request uses the absolute form, as a forwarding proxy requires.
        let isAbsoluteForm: Bool
        /// The time that the body waits for a 100 (Continue); `nil` if it does not wait.
        let continueTimeout: Duration?
        let limits: Limits
        let selectIdentity: IdentitySelection?

        package init(
            isAbsoluteForm: Bool = false, continueTimeout: Duration? = nil, limits: Limits = Limits(),
            selectIdentity: IdentitySelection? = nil
        ) {
            (self.isAbsoluteForm, self.continueTimeout, self.limits) = (isAbsoluteForm, continueTimeout, limits)
            self.selectIdentity = selectIdentity
        }
    }

    /// Selects the identity to present, or none, if the server requests one during the exchange.
    package typealias IdentitySelection = @Sendable (TLSIdentityRequest) async throws -> TLSIdentity?

    let request: HTTPRequest
    /// Whether the request uses the absolute form, as a forwarding proxy requires.
    let isAbsoluteForm: Bool
    let body: Body
    let limits: Limits
    let selectIdentity: IdentitySelection?
    /// The task that sends a body in parts.
    private let upload: Task<Void, Never>?
    /// Whether the request can be retried safely if the connection is lost.
    var isRetryable: Bool { hasBodyToFollow ? false : request.method.isIdempotent }
    /// Whether the body is sent in parts, after the head.
    var hasBodyToFollow: Bool { if case .following = body { true } else { false } }
    /// Called once the connection can take the next request (`true`) or never will (`false`).
    private let completion: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    init(
        request: HTTPRequest, isAbsoluteForm: Bool, body: Body, limits: Limits,
        selectIdentity: IdentitySelection? = nil, upload: Task<Void, Never>? = nil,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        (self.request, self.isAbsoluteForm, self.upload) = (request, isAbsoluteForm, upload)
        self.selectIdentity = selectIdentity
        (self.body, self.limits, self.completion) = (body, limits, completion)
    }

    /// Prepares an exchange, and starts a task for a body that is produced or waits for a 100 (Continue).
    convenience init(
        _ request: HTTPRequest, _ body: OutgoingBody?, _ options: Options, isChunked: Bool, peer: ConnectionPeer,
        eventLoop: any EventLoop, completion: @escaping @Sendable (Bool) -> Void
    ) {
        var request = request
        Self.frame(&request, hasBody: body != nil, length: body?.length, isChunked: isChunked)
        guard let body, options.continueTimeout != nil || body.bytes == nil else {
            self.init(
                request: request, isAbsoluteForm: options.isAbsoluteForm,
                body: .complete(body?.bytes.map(ByteBuffer.init(bytes:))), limits: options.limits,
                selectIdentity: options.selectIdentity, completion: completion)
            return
        }
        let permission = eventLoop.makePromise(of: Handle.self)
        let sender = BodyUpload(peer: peer, body: body, permission: permission.futureResult)
        self.init(
            request: request, isAbsoluteForm: options.isAbsoluteForm,
            body: .following(
                permission: permission, continueTimeout: options.continueTimeout.map(TimeAmount.init)),
            limits: options.limits, selectIdentity: options.selectIdentity, upload: Task { await sender.run() },
            completion: completion)
    }

    /// Sets the fields that frame the body, and removes the caller's own length, which is either wrong or redundant.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hasBody: Whether the request has a body.
    ///   - length: The length of the body in bytes; `nil` if it is unknown.
    ///   - isChunked: Whether a body without a length is chunked, as in HTTP/1.1.
    package static func frame(_ request: inout HTTPRequest, hasBody: Bool, length: Int?, isChunked: Bool) {
        request.headerFields.remove(.contentLength)
        request.headerFields.remove(.transferEncoding)
        if hasBody {
            if let length {
                request.headerFields[.contentLength] = String(length)
            } else if isChunked {
                request.headerFields[.transferEncoding] = "chunked"
            }
        } else if request.method == .post || request.method == .put || request.method == .patch {
            // A request without a body states its length for these methods (RFC 9110 section 8.6).
            request.headerFields[.contentLength] = "0"
        }
    }

    // MARK: The task that awaits the response

    /// Starts the exchange with the closure, and awaits its response.
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

    /// Cancels the exchange.
    func cancel() {
        end { handle in
            // Without a handle the exchange is still queued, and will not start.
            guard let handle else { return fail(CancellationError()) }
            handle.cancel()
        }
    }

    /// Fails the exchange before any part of the request is sent, and prevents it from being sent.
    func failBeforeStart(_ error: any Error) { end { _ in fail(error) } }

    private func end(_ first: (Handle?) -> Void) {
        let (wasOver, handle) = state.withLock { state in
            defer { state.isOver = true }
            return (state.isOver, state.handle)
        }
        if !wasOver { first(handle) }
    }

    // MARK: The connection

    /// Attaches the handle of the driver that starts the exchange.
    ///
    /// - Returns: `false` if the exchange has been cancelled.
    func attach(_ handle: Handle) -> Bool {
        state.withLock { state in
            state.handle = handle
            return !state.isOver
        }
    }

    /// Returns the response to the caller, once its head has arrived.
    func succeed(with response: Response) { takeWaiter()?.resume(returning: response) }

    /// Throws an error to the caller instead of a response.
    func fail(_ error: any Error) { takeWaiter()?.resume(throwing: error) }

    private func takeWaiter() -> UnsafeContinuation<Response, any Error>? {
        state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
    }

    /// Ends the exchange, and reports whether the connection can take the next request.
    func end(isReusable: Bool) {
        var isReusableStill = false
        end { _ in isReusableStill = isReusable }
        endUpload()
        completion(isReusableStill)
    }

    // MARK: The body that follows the head

    /// Sends the body after the head was written: at once, or after the server's 100 (Continue) or its timeout.
    func headWasWritten(on eventLoop: any EventLoop) {
        guard case .following(let permission, let timeout) = body, let handle = state.withLock(\.handle) else { return }
        guard let timeout else { return permission.succeed(handle) }
        // A server may ignore the expectation (RFC 9110 section 10.1.1).
        eventLoop.scheduleTask(in: timeout) { permission.succeed(handle) }
    }

    /// Sends the body because the server requests it, or has begun a response that it may complete only with the body.
    func permitUpload(by handle: Handle) {
        if case .following(let permission, _) = body { permission.succeed(handle) }
    }

    /// Drops the body because the server has answered without it.
    func refuseUpload() {
        if case .following(let permission, _) = body { permission.fail(BodyUpload.RespondedEarly()) }
    }

    /// Stops sending the body.
    private func endUpload() {
        refuseUpload()
        upload?.cancel()
    }
}

extension HTTPExchange {
    /// A thread-safe handle of an exchange.
    struct Handle: UploadTarget {
        let driver: NIOLoopBound<ExchangeDriver>

        var eventLoop: any EventLoop { driver.eventLoop }

        func write(_ parts: [ByteBuffer], writePromise: EventLoopPromise<Void>) {
            driver.value.send(parts, writePromise: writePromise)
        }

        /// Sends the end of the request's body, and returns when it is written.
        func end() async throws {
            try await eventLoop.flatSubmit { [driver] in
                let writePromise = driver.eventLoop.makePromise(of: Void.self)
                driver.value.sendEnd(writePromise: writePromise)
                return writePromise.futureResult
            }.get()
        }

        /// Fails the exchange because the body cannot be sent as announced.
        func abort(_ error: any Error) {
            eventLoop.execute { [driver] in driver.value.abort(error) }
        }

        /// Cancels the exchange.
        func cancel() {
            eventLoop.execute { [driver] in driver.value.cancel() }
        }
    }
}
