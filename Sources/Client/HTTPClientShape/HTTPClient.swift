// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import Logging
public import NIOCore

/// A client with the interface of AsyncHTTPClient that executes requests with a session.
///
/// There is no shared client, because this library has no global state: a program passes its client to the code that
/// uses it.
public struct HTTPClient: Sendable {
    /// The client that sends requests, or the error in a configured address, with which every request fails.
    private let client: Result<any RequestSender, any Error>

    /// Makes a client with a new session.
    ///
    /// - Parameters:
    ///   - eventLoopGroupProvider: The event loops that run the session.
    ///   - configuration: The settings of the client.
    public init(
        eventLoopGroupProvider: EventLoopGroupProvider = .singleton, configuration: Configuration = Configuration()
    ) {
        client = Result { HTTPSession(try configuration.sessionConfiguration(on: eventLoopGroupProvider)) }
    }

    /// Makes a client that uses another client: a session with handlers and policies, or a test client.
    ///
    /// - Parameter client: The client that sends all requests. If it is a session, ``shutdown()`` closes it.
    public init(over client: any RequestSender) {
        self.client = .success(client)
    }

    /// Executes a request.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - timeout: The timeout of the request, including reading the body.
    ///   - logger: The logger of the request and its status, at level debug and without secrets; `nil` for none.
    /// - Returns: The head of the response; its body has yet to be read.
    /// - Throws: ``HTTPClientError``; `SessionError`; `HostNameError` if the host of the configured proxy is malformed;
    ///   `CancellationError` if the task is cancelled; any error of the session's handlers and of the body's parts.
    public func execute(
        _ request: HTTPClientRequest, timeout: TimeAmount, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        try await execute(request, deadline: .now() + timeout, logger: logger)
    }

    /// Executes a request.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - deadline: The deadline of the request, including reading the body.
    ///   - logger: The logger of the request and its status, at level debug and without secrets; `nil` for none.
    /// - Returns: The head of the response; its body has yet to be read.
    /// - Throws: ``HTTPClientError``; `SessionError`; `HostNameError` if the host of the configured proxy is malformed;
    ///   `CancellationError` if the task is cancelled; any error of the session's handlers and of the body's parts.
    public func execute(
        _ request: HTTPClientRequest, deadline: NIODeadline, logger: Logger? = nil
    ) async throws -> HTTPClientResponse {
        let client = try client.get()
        var prepared = try SessionRequest(request)
        // Task.sleep cannot represent .distantFuture, so the request gets no timeout.
        if deadline != .distantFuture { prepared.totalTimeout = Duration(deadline - .now()) }
        do {
            let response = try await client.send(prepared)
            logger?.debug("\(prepared): \(response.status.code)")
            return HTTPClientResponse(response)
        } catch SessionError.limit(.timedOut(_, .total, _, _)) {
            throw HTTPClientError.deadlineExceeded
        } catch SessionError.cancelled(.sessionClosed) {
            throw HTTPClientError.alreadyShutdown
        }
    }

    /// Closes the connections of the session.
    ///
    /// Later requests fail with ``HTTPClientError/alreadyShutdown``.
    ///
    /// - Throws: Nothing. The declaration has `throws` for source compatibility with AsyncHTTPClient.
    public func shutdown() async throws {
        if case .success(let client) = client { await (client as? HTTPSession)?.close() }
    }
}

extension HTTPClient {
    /// The event loops that a client uses.
    public struct EventLoopGroupProvider: Sendable {
        /// The event loop group; `nil` for that of the session's configuration.
        let group: (any EventLoopGroup)?

        /// The event loops of the session's configuration; by default those of the entire process,
        /// `MultiThreadedEventLoopGroup.singleton`.
        public static let singleton = Self(group: nil)

        /// Uses event loops of the caller.
        ///
        /// - Parameter group: The event loops, which the caller shuts down after the client.
        /// - Returns: The provider.
        public static func shared(_ group: any EventLoopGroup) -> Self { Self(group: group) }

        /// The event loops of the session's configuration, as for ``singleton``; in AsyncHTTPClient, event loops that
        /// only this client uses.
        @available(*, deprecated, message: "A client makes no threads; this is .singleton.")
        public static var createNew: Self { singleton }
    }
}
