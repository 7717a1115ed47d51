// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
public import NIOCore

/// A response whose body is still to be read.
public struct Response: Sendable {
    public let status: HTTPResponse.Status
    public let headerFields: HTTPFields
    /// Where the response came from, after redirects.
    public let url: String
    public let connection: ConnectionReport
    public let body: ResponseBody
}

/// The bytes of a response, read once, as they arrive and no faster than they are taken.
public struct ResponseBody: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer

    public struct AsyncIterator: AsyncIteratorProtocol {
        public mutating func next() async throws -> ByteBuffer? { nil }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }

    /// Gathers the whole body.
    ///
    /// - Parameter limit: In bytes.
    /// - Throws: ``SessionError/bodyTooLarge(limit:)`` and what reading throws.
    public func collect(upTo limit: Int) async throws -> ByteBuffer { ByteBuffer() }
}
