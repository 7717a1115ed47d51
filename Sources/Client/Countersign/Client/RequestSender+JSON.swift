// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
import HTTPTypes

/// Methods that decode the response as JSON (RFC 8259).
extension RequestSender {
    /// Sends a request and decodes the response as a value.
    ///
    /// A request without an `Accept` field gets `Accept: application/json`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - type: The type of the value that the body is decoded as.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: Any error that ``send(_:)`` throws; ``SessionError`` of ``ResponseError/unexpectedStatus(_:)`` for a
    ///   status other than 2xx; any error that ``SessionResponse/json(as:upTo:decoder:)`` throws.
    public func send<Value: Decodable>(
        _ request: SessionRequest, as type: Value.Type, upTo limit: Int = SessionResponseBody.defaultLimit,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        var request = request
        if request.explicitFields[.accept] == nil { request.explicitFields[.accept] = MediaType.json.essence }
        return try await send(request).expecting(.successful).json(as: type, upTo: limit, decoder: decoder)
    }

    /// Gets a resource as a value.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - type: The type of the value that the body is decoded as.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: Any error that ``send(_:as:upTo:decoder:)`` throws.
    public func get<Value: Decodable>(
        _ url: String, as type: Value.Type, upTo limit: Int = SessionResponseBody.defaultLimit,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await send(.get(url), as: type, upTo: limit, decoder: decoder)
    }

    /// Sends a POST request with a value, and decodes the response as a value.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - value: The value to send.
    ///   - type: The type of the value that the body of the response is decoded as.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - encoder: The encoder, which determines how dates and keys are written.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value in the response.
    /// - Throws: `EncodingError`, and any error that ``send(_:as:upTo:decoder:)`` throws.
    public func post<Value: Decodable>(
        _ url: String, json value: some Encodable, as type: Value.Type,
        upTo limit: Int = SessionResponseBody.defaultLimit,
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await send(.post(url).json(value, encoder: encoder), as: type, upTo: limit, decoder: decoder)
    }
}

/// Methods that take a Foundation `URL`, and decode the response as JSON.
extension RequestSender {
    /// Gets a resource as a value.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - type: The type of the value that the body is decoded as.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: Any error that ``send(_:as:upTo:decoder:)`` throws.
    public func get<Value: Decodable>(
        _ url: URL, as type: Value.Type, upTo limit: Int = SessionResponseBody.defaultLimit,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await send(.get(url), as: type, upTo: limit, decoder: decoder)
    }

    /// Sends a POST request with a value, and decodes the response as a value.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - value: The value to send.
    ///   - type: The type of the value that the body of the response is decoded as.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - encoder: The encoder, which determines how dates and keys are written.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value in the response.
    /// - Throws: `EncodingError`, and any error that ``send(_:as:upTo:decoder:)`` throws.
    public func post<Value: Decodable>(
        _ url: URL, json value: some Encodable, as type: Value.Type, upTo limit: Int = SessionResponseBody.defaultLimit,
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        try await send(.post(url).json(value, encoder: encoder), as: type, upTo: limit, decoder: decoder)
    }
}
