// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import HTTPTypes
import NIOCore

/// Methods that check the status of a response, and that read its body as a whole.
extension Response {
    /// Returns the response if its status is of one class, and throws otherwise.
    ///
    /// - Parameter kind: The class of statuses to accept (RFC 9110 section 15); `.successful` is 2xx.
    /// - Returns: The response.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedStatus(_:)``, with the beginning of the body; `CancellationError` where the
    ///   task is cancelled.
    @discardableResult
    public func expecting(_ kind: HTTPResponse.Status.Kind) async throws -> Response {
        try await expecting(status.kind == kind)
    }

    /// Returns the response if it has one of the given statuses, and throws otherwise.
    ///
    /// - Parameter statuses: The statuses to accept. With none, every response is refused.
    /// - Returns: The response.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedStatus(_:)``, with the beginning of the body; `CancellationError` where the
    ///   task is cancelled.
    @discardableResult
    public func expecting(_ statuses: HTTPResponse.Status...) async throws -> Response {
        try await expecting(statuses.contains(status))
    }

    private func expecting(_ isExpected: Bool) async throws -> Response {
        guard isExpected else { throw SessionError.response(.unexpectedStatus(try await summary())) }
        return self
    }

    /// Reads the body as a value in JSON (RFC 8259).
    ///
    /// The media type must be `application/json`, `text/json` or one with the suffix `+json` (RFC 6839 section 3.1). A response without
    /// `Content-Type` is read too.
    ///
    /// - Parameters:
    ///   - type: The type of the value to read.
    ///   - limit: The largest body that is read, in bytes. A longer one is an error.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedContentType(_:)``, ``ResponseError/undecodableBody(_:_:)`` or
    ///   ``LimitError/bodyTooLarge(limit:)``, and what ``ResponseBody/AsyncIterator/next()`` throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, upTo limit: Int = ResponseBody.usualLimit,
        using decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        guard headerFields[.contentType].map({ MediaType(field: $0)?.isJSON ?? false }) ?? true else {
            throw SessionError.response(.unexpectedContentType(try await summary()))
        }
        let content = try await body.collect(upTo: limit).readableBytesView
        do {
            return try decoder.decode(type, from: Data(content))
        } catch {
            throw SessionError.response(.undecodableBody(summary(beginning: content), error))
        }
    }

    /// Reads the whole body as text.
    ///
    /// - Parameter limit: The largest body that is read, in bytes. A longer one is an error.
    /// - Returns: The text, read as ISO 8859-1 where `Content-Type` names that charset, and otherwise as UTF-8. Bytes that are not UTF-8
    ///   are replaced by U+FFFD.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, and what ``ResponseBody/AsyncIterator/next()`` throws.
    public func text(upTo limit: Int = ResponseBody.usualLimit) async throws -> String {
        let content = try await body.collect(upTo: limit).readableBytesView
        guard headerFields[.contentType].flatMap(MediaType.init(field:))?.charset == "iso-8859-1" else {
            return String(decoding: content, as: UTF8.self)
        }
        return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
    }

    /// Reads the whole body.
    ///
    /// - Parameter limit: The largest body that is read, in bytes. A longer one is an error.
    /// - Returns: All bytes.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, and what ``ResponseBody/AsyncIterator/next()`` throws.
    public func bytes(upTo limit: Int = ResponseBody.usualLimit) async throws -> [UInt8] {
        Array(try await body.collect(upTo: limit).readableBytesView)
    }
}

/// Responses without a server, for clients that stand in for a session.
extension Response {
    /// Makes a response to a request, as if the URL's own server had given it over a connection without TLS.
    ///
    /// - Parameters:
    ///   - request: The request that the response answers.
    ///   - status: The status. The default is 200.
    ///   - headerFields: The header fields, in the order sent.
    ///   - body: The body, which can be read once.
    /// - Throws: What a session throws for the URL: ``SessionError`` of ``RequestError/invalidURL(_:_:)`` or
    ///   ``RequestError/unsupportedScheme(_:)``.
    public init(
        to request: Request, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:],
        body: ResponseBody = ResponseBody()
    ) throws(SessionError) {
        let url = try HTTPURL(request.url)
        self.init(
            status: status, headerFields: headerFields, url: url.description,
            connection: ConnectionReport(endpoint: url.endpoint), body: body)
    }
}
