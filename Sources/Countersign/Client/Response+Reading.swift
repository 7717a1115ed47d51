// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
import NIOCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What callers want of a response, and its body as more than a sequence of buffers.
extension Response {
    /// Takes the response only where its status is of one kind.
    ///
    /// - Parameter kind: The class of statuses to accept (RFC 9110 section 15). The default is 2xx.
    /// - Returns: The response.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedStatus(_:)``; `CancellationError` where the task is cancelled.
    @discardableResult
    public func expecting(_ kind: HTTPResponse.Status.Kind) async throws -> Response {
        try await expecting(status.kind == kind)
    }

    /// Takes the response only where it has one of some statuses.
    ///
    /// - Parameter statuses: The statuses to accept.
    /// - Returns: The response.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedStatus(_:)``; `CancellationError` where the task is cancelled.
    @discardableResult
    public func expecting(_ statuses: HTTPResponse.Status...) async throws -> Response {
        try await expecting(statuses.contains(status))
    }

    private func expecting(_ isExpected: Bool) async throws -> Response {
        guard isExpected else { throw SessionError.response(.unexpectedStatus(try await summary())) }
        return self
    }

    /// Reads the body as a value written in JSON.
    ///
    /// A body of which nothing says that it is JSON is read as well; one of another media type is not.
    ///
    /// - Parameters:
    ///   - type: The type of the value to read.
    ///   - limit: The largest body that is read, in bytes.
    ///   - decoder: The decoder, which determines how dates and keys are read.
    /// - Returns: The value.
    /// - Throws: ``SessionError`` of ``ResponseError/unexpectedContentType(_:)``, ``ResponseError/undecodableBody(_:_:)``,
    ///   ``LimitError/bodyTooLarge(limit:)``, and what reading throws.
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
    /// - Parameter limit: The largest body that is read, in bytes.
    /// - Returns: The text, read as UTF-8 unless `Content-Type` says ISO 8859-1; what is no UTF-8 is replaced.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, and what reading throws.
    public func text(upTo limit: Int = ResponseBody.usualLimit) async throws -> String {
        let content = try await body.collect(upTo: limit).readableBytesView
        guard headerFields[.contentType].flatMap(MediaType.init(field:))?.charset == "iso-8859-1" else {
            return String(decoding: content, as: UTF8.self)
        }
        return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
    }

    /// Reads the whole body.
    ///
    /// - Parameter limit: The largest body that is read, in bytes.
    /// - Returns: All bytes.
    /// - Throws: ``SessionError`` of ``LimitError/bodyTooLarge(limit:)``, and what reading throws.
    public func bytes(upTo limit: Int = ResponseBody.usualLimit) async throws -> [UInt8] {
        Array(try await body.collect(upTo: limit).readableBytesView)
    }
}
