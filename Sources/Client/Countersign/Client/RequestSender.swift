// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// Sends requests and returns responses (RFC 9110 section 3.3): an ``HTTPSession``, or a stand-in for one in a test.
///
/// A stand-in implements only this one requirement. Methods for verbs, JSON and decoding are extensions of the
/// protocol.
public protocol RequestSender: Sendable {
    /// Sends a request.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: ``SessionError``; `CancellationError` if the task is cancelled. A session also throws the errors of
    ///   handlers, redirect decisions, the server memory and the body's parts.
    func send(_ request: SessionRequest) async throws -> SessionResponse
}

extension HTTPSession: RequestSender {}

/// Methods that send a request with a method of RFC 9110 section 9.3 or PATCH (RFC 5789). For other settings, send a
/// ``SessionRequest``.
extension RequestSender {
    /// Gets a resource.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func get(_ url: String) async throws -> SessionResponse {
        try await send(SessionRequest(url: url))
    }

    /// Sends a HEAD request: the response has the head that a GET would get, and no body.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Returns: The response.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func head(_ url: String) async throws -> SessionResponse {
        try await send(SessionRequest(url: url, method: .head))
    }

    /// Sends a POST request, whose body the resource processes.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func post(_ url: String, body: SessionRequestBody? = nil) async throws -> SessionResponse {
        try await send(SessionRequest(url: url, method: .post, body: body))
    }

    /// Creates or replaces a resource.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func put(_ url: String, body: SessionRequestBody? = nil) async throws -> SessionResponse {
        try await send(SessionRequest(url: url, method: .put, body: body))
    }

    /// Changes a part of a resource.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - body: The description of the change; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func patch(_ url: String, body: SessionRequestBody? = nil) async throws -> SessionResponse {
        try await send(SessionRequest(url: url, method: .patch, body: body))
    }

    /// Removes a resource.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func delete(_ url: String) async throws -> SessionResponse {
        try await send(SessionRequest(url: url, method: .delete))
    }
}

/// Methods that take a Foundation `URL`. A relative URL is resolved against its base.
extension RequestSender {
    /// Gets a resource.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func get(_ url: URL) async throws -> SessionResponse {
        try await send(.get(url))
    }

    /// Sends a HEAD request: the response has the head that a GET would get, and no body.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Returns: The response.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func head(_ url: URL) async throws -> SessionResponse {
        try await send(.head(url))
    }

    /// Sends a POST request, whose body the resource processes.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func post(_ url: URL, body: SessionRequestBody? = nil) async throws -> SessionResponse {
        try await send(.post(url).body(body))
    }

    /// Creates or replaces a resource.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func put(_ url: URL, body: SessionRequestBody? = nil) async throws -> SessionResponse {
        try await send(.put(url).body(body))
    }

    /// Changes a part of a resource.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func patch(_ url: URL, body: SessionRequestBody? = nil) async throws -> SessionResponse {
        try await send(.patch(url).body(body))
    }

    /// Removes a resource.
    ///
    /// - Parameter url: An absolute `http` or `https` URL.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: Any error that ``send(_:)`` throws.
    public func delete(_ url: URL) async throws -> SessionResponse {
        try await send(.delete(url))
    }
}
