// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Sends requests and returns responses (RFC 9110 section 3.3): a ``Session``, or a stand-in for one in a test.
///
/// A stand-in implements only this one requirement. Methods for verbs, JSON and decoding are extensions of the protocol.
public protocol Client: Sendable {
    /// Sends a request.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: ``SessionError``; `CancellationError` where the task is cancelled; for a session, what a handler, a redirect decision, a
    ///   server memory or the parts of the body throw.
    func send(_ request: Request) async throws -> Response
}

extension Session: Client {}

/// The methods of RFC 9110 section 9.3, and PATCH (RFC 5789), in one line each; a ``Request`` has all other settings.
extension Client {
    /// Gets a resource.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func get(_ url: String) async throws -> Response {
        try await send(Request(url: url))
    }

    /// Sends a HEAD request: the response has the head that a GET would get, and no body.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The response.
    /// - Throws: What ``send(_:)`` throws.
    public func head(_ url: String) async throws -> Response {
        try await send(Request(url: url, method: .head))
    }

    /// Sends a POST request, whose body the resource processes.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func post(_ url: String, body: RequestBody? = nil) async throws -> Response {
        try await send(Request(url: url, method: .post, body: body))
    }

    /// Creates or replaces a resource.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func put(_ url: String, body: RequestBody? = nil) async throws -> Response {
        try await send(Request(url: url, method: .put, body: body))
    }

    /// Changes a part of a resource.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - body: The description of the change; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func patch(_ url: String, body: RequestBody? = nil) async throws -> Response {
        try await send(Request(url: url, method: .patch, body: body))
    }

    /// Removes a resource.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func delete(_ url: String) async throws -> Response {
        try await send(Request(url: url, method: .delete))
    }
}
