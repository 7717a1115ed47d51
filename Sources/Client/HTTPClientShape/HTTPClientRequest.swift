// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import HTTPTypes
public import NIOCore
public import NIOHTTP1
import NIOHTTPTypesHTTP1
import Secrets

/// A request, in the form of AsyncHTTPClient.
public struct HTTPClientRequest: Sendable {
    /// An absolute URL of `http` or `https`.
    public var url: String
    /// The method; GET by default.
    public var method: HTTPMethod = .GET
    /// The header fields, sent in this order.
    ///
    /// A field `Host` is left out, because the host is that of the URL.
    public var headers: HTTPHeaders = [:]
    /// The body; `nil` for none.
    public var body: Body?
    /// Sent as Basic before anyone asks; `nil` where nothing was set.
    var basicAuth: BasicAuth?

    /// Makes a GET request for an absolute URL of `http` or `https`.
    public init(url: String) {
        self.url = url
    }

    struct BasicAuth: Hashable, Sendable {
        let username: String
        let password: Secret
    }

    /// Sets a user and a password, which are sent before a challenge, as Basic (RFC 7617), and never to another origin after a redirect.
    ///
    /// - Parameters:
    ///   - username: The user. A request whose user has a colon fails (RFC 7617 section 2).
    ///   - password: The password.
    public mutating func setBasicAuth(username: String, password: String) {
        basicAuth = BasicAuth(username: username, password: Secret(password))
    }
}

extension HTTPClientRequest {
    /// The body of a request.
    public struct Body: Sendable {
        /// The length of a body.
        public struct Length: Hashable, Sendable {
            let count: Int?

            /// The length is not known before the body is sent, so the body is sent in chunks.
            public static let unknown = Self(count: nil)

            /// The length is known.
            ///
            /// - Parameter count: The length in bytes. A body of another length makes the request fail.
            /// - Returns: The length.
            public static func known(_ count: Int64) -> Self { Self(count: Int(count)) }
        }

        let content: RequestBody

        /// Makes a body of bytes in memory.
        public static func bytes(_ buffer: ByteBuffer) -> Self {
            Self(content: .bytes(Array(buffer.readableBytesView)))
        }

        /// Makes a body of bytes in memory.
        public static func bytes(_ bytes: some RandomAccessCollection<UInt8> & Sendable) -> Self {
            Self(content: .bytes(Array(bytes)))
        }

        /// Makes a body of buffers that are read once, while they are sent.
        ///
        /// - Parameters:
        ///   - buffers: The buffers of the body, in order.
        ///   - length: The length of the body.
        /// - Returns: A body that is sent once. The request fails if a challenge or a redirect requires it again.
        public static func stream<Buffers: AsyncSequence & Sendable>(
            _ buffers: Buffers, length: Length
        ) -> Self where Buffers.Element == ByteBuffer {
            Self(content: .oneShot(length: length.count, buffers))
        }

        /// Makes a body of bytes that are read once, while they are sent.
        ///
        /// - Parameters:
        ///   - bytes: The bytes of the body, in order.
        ///   - length: The length of the body.
        /// - Returns: A body that is sent once. The request fails if a challenge or a redirect requires it again.
        public static func stream<Bytes: AsyncSequence & Sendable>(
            _ bytes: Bytes, length: Length
        ) -> Self where Bytes.Element == UInt8 {
            Self(content: .oneShot(length: length.count, Buffered(bytes: bytes)))
        }
    }

    /// Single bytes, gathered into buffers that are worth sending.
    struct Buffered<Bytes: AsyncSequence & Sendable>: AsyncSequence, Sendable where Bytes.Element == UInt8 {
        let bytes: Bytes

        struct AsyncIterator: AsyncIteratorProtocol {
            /// Of one buffer, in bytes.
            private static var size: Int { 64 * 1024 }

            fileprivate var bytes: Bytes.AsyncIterator

            mutating func next() async throws -> ByteBuffer? {
                var buffer = ByteBuffer()
                while buffer.readableBytes < Self.size, let byte = try await bytes.next() { buffer.writeInteger(byte) }
                return buffer.readableBytes > 0 ? buffer : nil
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(bytes: bytes.makeAsyncIterator()) }
    }
}

extension Request {
    /// - Throws: ``HTTPClientError/invalidHeaderFieldNames(_:)``, ``HTTPClientError/invalidMethod(_:)``.
    init(_ request: HTTPClientRequest) throws(HTTPClientError) {
        let invalid = request.headers.map(\.name).filter { HTTPField.Name($0) == nil }
        guard invalid.isEmpty else { throw .invalidHeaderFieldNames(invalid) }
        guard let method = HTTPRequest.Method(request.method.rawValue) else {
            throw .invalidMethod(request.method.rawValue)
        }
        self.init(
            url: request.url, method: method, headerFields: HTTPFields(request.headers, splitCookie: false),
            body: request.body?.content)
        // `HTTPFields` has replaced what could end a line; given again, it makes the request fail.
        for (name, value) in request.headers where !value.isOneLine {
            if let name = HTTPField.Name(name) { self = header(name, value) }
        }
        if let basic = request.basicAuth { self = self.basic(user: basic.username, password: basic.password) }
    }
}
