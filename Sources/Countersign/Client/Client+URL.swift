// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The verbs of a client for a `URL` of Foundation. A relative one is resolved against its base.
extension Client {
    /// Gets a resource.
    ///
    /// - Parameter url: Of `http` or `https`.
    /// - Returns: The response's head, its body still to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func get(_ url: URL) async throws -> Response {
        try await send(.get(url))
    }

    /// Asks for what a GET would be answered with, without the body.
    ///
    /// - Parameter url: Of `http` or `https`.
    /// - Returns: The response.
    /// - Throws: What ``send(_:)`` throws.
    public func head(_ url: URL) async throws -> Response {
        try await send(.head(url))
    }

    /// Has a resource process a body.
    ///
    /// - Parameters:
    ///   - url: Of `http` or `https`.
    ///   - body: What is sent.
    /// - Returns: The response's head, its body still to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func post(_ url: URL, body: RequestBody? = nil) async throws -> Response {
        try await send(.post(url).body(body))
    }

    /// Creates or replaces a resource.
    ///
    /// - Parameters:
    ///   - url: Of `http` or `https`.
    ///   - body: What is sent.
    /// - Returns: The response's head, its body still to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func put(_ url: URL, body: RequestBody? = nil) async throws -> Response {
        try await send(.put(url).body(body))
    }

    /// Changes a part of a resource.
    ///
    /// - Parameters:
    ///   - url: Of `http` or `https`.
    ///   - body: What is sent.
    /// - Returns: The response's head, its body still to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func patch(_ url: URL, body: RequestBody? = nil) async throws -> Response {
        try await send(.patch(url).body(body))
    }

    /// Removes a resource.
    ///
    /// - Parameter url: Of `http` or `https`.
    /// - Returns: The response's head, its body still to be read.
    /// - Throws: What ``send(_:)`` throws.
    public func delete(_ url: URL) async throws -> Response {
        try await send(.delete(url))
    }

    /// Gets a resource as a value, from JSON (RFC 8259).
    ///
    /// - Parameters:
    ///   - url: Of `http` or `https`.
    ///   - type: What is read of the body.
    ///   - limit: Largest body that is read, in bytes.
    ///   - decoder: How dates, keys and the like are read.
    /// - Returns: The value.
    /// - Throws: As ``get(_:as:upTo:using:)-(String,_,_,_)``.
    public func get<Value: Decodable>(
        _ url: URL, as type: Value.Type, upTo limit: Int = ResponseBody.usualLimit,
        using decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await send(.get(url), as: type, upTo: limit, using: decoder)
    }

    /// Gets a resource into a file, and goes on with what an interrupted download left.
    ///
    /// - Parameters:
    ///   - url: Of `http` or `https`.
    ///   - file: A file URL: where the file appears once it is whole, in the place of one that is there.
    /// - Returns: What came.
    /// - Throws: As ``download(_:to:)-(String,String)``; ``RequestError/invalidURL(_:_:)`` where `file` has another scheme than `file`.
    @discardableResult
    public func download(_ url: URL, to file: URL) async throws -> DownloadedFile {
        try await download(Request(url: url), to: file)
    }

    /// Gets the response of a request into a file, and goes on with what an interrupted download left.
    ///
    /// - Parameters:
    ///   - request: A field `Range` in it is not used.
    ///   - file: A file URL: where the file appears once it is whole, in the place of one that is there.
    ///   - resumptions: How often a GET goes on by itself when its connection is lost in mid-body.
    /// - Returns: What came.
    /// - Throws: As ``download(_:to:resumptions:)-(_,String,_)``; ``RequestError/invalidURL(_:_:)`` where `file` has another scheme than
    ///   `file`.
    @discardableResult
    public func download(_ request: Request, to file: URL, resumptions: Int = 3) async throws -> DownloadedFile {
        try await download(request, to: try ConfigurationFile(file).path, resumptions: resumptions)
    }
}
