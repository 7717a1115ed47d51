// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
