// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import HTTPTypes
public import NIOCore
public import NIOHTTP1
import Secrets

/// A request with the interface of AsyncHTTPClient.
public struct HTTPClientRequest: Sendable {
    /// An absolute `http` or `https` URL.
    public var url: String
    /// The method; GET by default.
    public var method: HTTPMethod = .GET
    /// The header fields, sent in this order.
    ///
    /// A `Host` field is ignored, because the host comes from the URL.
    public var headers: HTTPHeaders = [:]
    /// The body; `nil` for none.
    public var body: Body?
    /// The credential for preemptive Basic authentication; `nil` for none.
    var basicAuth: BasicAuth?

    /// Makes a GET request for an absolute `http` or `https` URL.
    public init(url: String) {
        self.url = url
    }

    struct BasicAuth: Hashable, Sendable {
        let username: String
        let password: Secret
    }

    /// Sets a user name and a password for preemptive Basic authentication (RFC 7617).
    ///
    /// They never follow a redirect to another origin.
    ///
    /// - Parameters:
    ///   - username: The user name. If it contains a colon, the request fails (RFC 7617 section 2).
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

            /// An unknown length; the body is sent in chunks.
            public static let unknown = Self(count: nil)

            /// Makes a known length.
            ///
            /// - Parameter count: The length in bytes. If the body has another length, the request fails.
            /// - Returns: The length.
            public static func known(_ count: Int64) -> Self { Self(count: Int(count)) }
        }

        let content: SessionRequestBody

        /// Makes a body of bytes in memory.
        public static func bytes(_ buffer: ByteBuffer) -> Self {
            Self(content: .bytes(Array(buffer.readableBytesView)))
        }

        /// Makes a body of bytes in memory.
        public static func bytes(_ bytes: some RandomAccessCollection<UInt8> & Sendable) -> Self {
            Self(content: .bytes(Array(bytes)))
        }

        /// Makes a body from buffers that are read once, while they are sent.
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

        /// Makes a body from bytes that are read once, while they are sent.
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

    /// A sequence that collects single bytes into buffers of an efficient size.
    struct Buffered<Bytes: AsyncSequence & Sendable>: AsyncSequence, Sendable where Bytes.Element == UInt8 {
        let bytes: Bytes

        struct AsyncIterator: AsyncIteratorProtocol {
            /// The maximum size of a buffer, in bytes.
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

extension SessionRequest {
    /// Converts a request of this module.
    ///
    /// - Throws: ``HTTPClientError/invalidHeaderFieldNames(_:)``, ``HTTPClientError/invalidMethod(_:)``.
    init(_ request: HTTPClientRequest) throws(HTTPClientError) {
        let invalid = request.headers.map(\.name).filter { HTTPField.Name($0) == nil }
        guard invalid.isEmpty else { throw .invalidHeaderFieldNames(invalid) }
        guard let method = HTTPRequest.Method(request.method.rawValue) else {
            throw .invalidMethod(request.method.rawValue)
        }
        var fields = HTTPFields()
        for (name, value) in request.headers where name.lowercased() != "host" {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        self.init(url: request.url, method: method, headerFields: fields, body: request.body?.content)
        // `HTTPField` has replaced the characters that could end a line; setting the original value makes the request
        // fail.
        for (name, value) in request.headers where !value.isOneLine {
            if let name = HTTPField.Name(name) { self = header(name, value) }
        }
        if let basic = request.basicAuth { self = self.basic(user: basic.username, password: basic.password) }
    }
}
