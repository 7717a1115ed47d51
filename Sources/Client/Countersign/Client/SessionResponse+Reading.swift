// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import HTTPTypes
import NIOCore

/// Methods that check the status of a response, or read its complete body.
extension SessionResponse {
    /// Returns the response if its status belongs to the given class; otherwise throws an error.
    ///
    /// - Parameter kind: The status class to accept (RFC 9110 section 15); `.successful` is 2xx.
    /// - Returns: The response.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedStatus(_:)``, with the beginning of the body;
    ///   `CancellationError` if the task is cancelled.
    @discardableResult
    public func expecting(_ kind: HTTPResponse.Status.Kind) async throws -> SessionResponse {
        try await expecting(status.kind == kind)
    }

    /// Returns the response if it has one of the given statuses; otherwise throws an error.
    ///
    /// - Parameter statuses: The statuses to accept. If there are none, every response is an error.
    /// - Returns: The response.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedStatus(_:)``, with the beginning of the body;
    ///   `CancellationError` if the task is cancelled.
    @discardableResult
    public func expecting(_ statuses: HTTPResponse.Status...) async throws -> SessionResponse {
        try await expecting(statuses.contains(status))
    }

    /// Returns the response if its body has the given media type; otherwise throws an error.
    ///
    /// - Parameter type: The media type to accept, without parameters, such as `text/event-stream`.
    /// - Returns: The response.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedContentType(_:)``, with the beginning of the body;
    ///   `CancellationError` if the task is cancelled.
    @discardableResult
    public func expecting(type: String) async throws -> SessionResponse {
        guard headerFields[.contentType].flatMap(MediaType.init(field:))?.essence == type.lowercased() else {
            throw SessionError.response(.unexpectedContentType(try await summary()))
        }
        return self
    }

    private func expecting(_ isExpected: Bool) async throws -> SessionResponse {
        guard isExpected else { throw SessionError.response(.unexpectedStatus(try await summary())) }
        return self
    }

    /// Decodes the JSON body as a value (RFC 8259).
    ///
    /// The media type must be `application/json`, `text/json` or a type with the suffix `+json` (RFC 6839 section 3.1).
    /// A response without `Content-Type` is accepted too.
    ///
    /// - Parameters:
    ///   - type: The type of the value to read.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedContentType(_:)``,
    ///   ``ResponseError/undecodableBody(_:as:_:)`` or ``LimitError/bodyTooLarge(limit:)``, and any error that
    ///   ``SessionResponseBody/AsyncIterator/next()`` throws.
    public func json<Value: Decodable>(
        as type: Value.Type, upTo limit: Int = SessionResponseBody.defaultLimit, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        guard headerFields[.contentType].map({ MediaType(field: $0)?.isJSON ?? false }) ?? true else {
            throw SessionError.response(.unexpectedContentType(try await summary()))
        }
        let content = try await body.collect(upTo: limit).readableBytesView
        do {
            return try decoder.decode(type, from: Data(content))
        } catch {
            throw SessionError.response(.undecodableBody(summary(beginning: content), as: "\(type)", error))
        }
    }

    /// Reads the complete body as text.
    ///
    /// - Parameter limit: The largest body that is read, in bytes. A longer one is an error.
    /// - Returns: The text, decoded as ISO 8859-1 if `Content-Type` names that charset, and otherwise as UTF-8. Invalid
    ///   UTF-8 is replaced by U+FFFD.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, and any error that
    ///   ``SessionResponseBody/AsyncIterator/next()`` throws.
    public func text(upTo limit: Int = SessionResponseBody.defaultLimit) async throws -> String {
        let content = try await body.collect(upTo: limit).readableBytesView
        guard headerFields[.contentType].flatMap(MediaType.init(field:))?.charset == "iso-8859-1" else {
            return String(decoding: content, as: UTF8.self)
        }
        return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
    }

    /// Reads the complete body.
    ///
    /// - Parameter limit: The largest body that is read, in bytes. A longer one is an error.
    /// - Returns: All bytes.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, and any error that
    ///   ``SessionResponseBody/AsyncIterator/next()`` throws.
    public func bytes(upTo limit: Int = SessionResponseBody.defaultLimit) async throws -> [UInt8] {
        Array(try await body.collect(upTo: limit).readableBytesView)
    }
}

/// Responses that need no server, for test clients that replace a session.
extension SessionResponse {
    /// Makes a response to a request, as if it had been received from the URL's origin over a connection without TLS.
    ///
    /// - Parameters:
    ///   - request: The request that the response answers.
    ///   - status: The status. The default is 200.
    ///   - headerFields: The header fields, in the order sent.
    ///   - body: The body, which can be read once.
    /// - Throws: The errors that a session throws for the URL:
    ///   ``SessionError`` of ``RequestError/invalidURL(_:_:)`` or ``RequestError/unsupportedScheme(_:)``.
    public init(
        to request: SessionRequest, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:],
        body: SessionResponseBody = SessionResponseBody()
    ) throws(SessionError) {
        let url = try HTTPURL(request.url)
        self.init(
            status: status, headerFields: headerFields, url: url.description,
            connection: ConnectionReport(endpoint: url.endpoint), body: body)
    }
}
