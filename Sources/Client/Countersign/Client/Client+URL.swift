// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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

    /// Downloads a resource into a file, and continues what an interrupted download left.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - file: A file URL: the place at which the complete file appears. It replaces a file that is there.
    /// - Returns: The downloaded file.
    /// - Throws: As ``download(_:to:)-(String,String)``; ``SessionError`` of ``RequestError/invalidURL(_:_:)`` where `file` has another
    ///   scheme than `file`, or names another host.
    @discardableResult
    public func download(_ url: URL, to file: URL) async throws -> DownloadedFile {
        try await download(Request(url: url), to: file)
    }

    /// Downloads the response of a request into a file, and continues what an interrupted download left.
    ///
    /// - Parameters:
    ///   - request: The request to send. Its field `Range` is ignored.
    ///   - file: A file URL: the place at which the complete file appears. It replaces a file that is there.
    ///   - resumptions: How often a GET resumes by itself after its connection was lost in the body; 0 for never.
    /// - Returns: The downloaded file.
    /// - Throws: As ``download(_:to:resumptions:)-(_,String,_)``; ``SessionError`` of ``RequestError/invalidURL(_:_:)`` where `file` has
    ///   another scheme than `file`, or names another host.
    @discardableResult
    public func download(_ request: Request, to file: URL, resumptions: Int = 3) async throws -> DownloadedFile {
        try await download(request, to: try ConfigurationFile(file).path, resumptions: resumptions)
    }
}
