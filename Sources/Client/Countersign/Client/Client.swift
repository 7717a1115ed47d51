// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

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

/// The methods of a client for a `URL` of Foundation. A relative URL is resolved against its base.
extension Client {
    /// Gets a resource.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func get(_ url: URL) async throws -> Response {
        try await send(.get(url))
    }

    /// Sends a HEAD request: the response has the head that a GET would get, and no body.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The response.
    /// - Throws: What ``send(_:)`` throws.
    public func head(_ url: URL) async throws -> Response {
        try await send(.head(url))
    }

    /// Sends a POST request, whose body the resource processes.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func post(_ url: URL, body: RequestBody? = nil) async throws -> Response {
        try await send(.post(url).body(body))
    }

    /// Creates or replaces a resource.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func put(_ url: URL, body: RequestBody? = nil) async throws -> Response {
        try await send(.put(url).body(body))
    }

    /// Changes a part of a resource.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - body: The body to send; `nil` for no body.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func patch(_ url: URL, body: RequestBody? = nil) async throws -> Response {
        try await send(.patch(url).body(body))
    }

    /// Removes a resource.
    ///
    /// - Parameter url: An absolute URL of `http` or `https`.
    /// - Returns: The response. Its head has arrived; its body has yet to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func delete(_ url: URL) async throws -> Response {
        try await send(.delete(url))
    }

    /// Gets a resource as a value, from JSON (RFC 8259).
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - type: The type of the value that the body is decoded as.
    ///   - limit: The largest body that is read, in bytes.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: As ``get(_:as:upTo:using:)-(String,_,_,_)``.
    public func get<Value: Decodable>(
        _ url: URL, as type: Value.Type, upTo limit: Int = ResponseBody.usualLimit,
        using decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await send(.get(url), as: type, upTo: limit, using: decoder)
    }
}

/// Values instead of bytes, as JSON (RFC 8259).
extension Client {
    /// Gets a resource as a value.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - type: The type of the value that the body is decoded as.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: What ``send(_:)`` throws; ``SessionError`` of ``ResponseError/unexpectedStatus(_:)`` for other than 2xx; what
    ///   ``Response/decode(_:upTo:using:)`` throws.
    public func get<Value: Decodable>(
        _ url: String, as type: Value.Type, upTo limit: Int = ResponseBody.usualLimit,
        using decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await send(.get(url), as: type, upTo: limit, using: decoder)
    }

    /// Sends a request and reads the response as a value.
    ///
    /// A request without a field `Accept` gets `Accept: application/json`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - type: The type of the value that the body is decoded as.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: What ``send(_:)`` throws; ``SessionError`` of ``ResponseError/unexpectedStatus(_:)`` for other than 2xx; what
    ///   ``Response/decode(_:upTo:using:)`` throws.
    public func send<Value: Decodable>(
        _ request: Request, as type: Value.Type, upTo limit: Int = ResponseBody.usualLimit,
        using decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        var request = request
        if request.headerFields[.accept] == nil { request.headerFields[.accept] = MediaType.json.essence }
        return try await send(request).expecting(.successful).decode(type, upTo: limit, using: decoder)
    }
}
