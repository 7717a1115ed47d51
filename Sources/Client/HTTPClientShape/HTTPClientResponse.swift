// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import EssentialFoundation
import HTTPTypes
import NIOCore
public import NIOHTTP1

/// A response with the interface of AsyncHTTPClient.
public struct HTTPClientResponse: Sendable {
    /// The body of a response: buffers that are read once, as they arrive.
    ///
    /// `collect(upTo:)` reads all of them.
    public typealias Body = SessionResponseBody

    /// The HTTP version.
    public var version: HTTPVersion
    /// The status.
    public var status: HTTPResponseStatus
    /// The header fields, in the order sent.
    public var headers: HTTPHeaders
    /// The body, which has yet to be read or dropped.
    ///
    /// An unread body keeps its connection in use.
    public var body: Body
    /// The URL of the response, after redirects; `nil` for a response without a server.
    public var url: URL?

    /// Makes a response without a server, for tests.
    ///
    /// - Parameters:
    ///   - version: The HTTP version. The default is HTTP/1.1.
    ///   - status: The status. The default is 200.
    ///   - headers: The header fields, in the order sent.
    ///   - body: The body, which can be read once.
    public init(
        version: HTTPVersion = .http1_1, status: HTTPResponseStatus = .ok, headers: HTTPHeaders = [:],
        body: Body = Body()
    ) {
        self.version = version
        self.status = status
        self.headers = headers
        self.body = body
    }

    init(_ response: SessionResponse) {
        self.init(
            version: response.connection.httpVersion == .http2 ? .http2 : .http1_1,
            status: HTTPResponseStatus(
                statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headers: HTTPHeaders(response.headerFields.map { ($0.name.rawName, $0.value) }),
            body: .stream(DeadlineMappingParts(parts: response.body)))
        url = URL(string: response.url)
    }
}

extension HTTPClientResponse: CustomStringConvertible, CustomReflectable {
    /// The version and the status, without the header fields, which may hold secrets.
    public var description: String { "\(version) \(status.reasonPhrase.isEmpty ? "\(status.code)" : "\(status)")" }

    /// A mirror that shows only the description.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

/// A body that throws this module's error if the deadline passes.
struct DeadlineMappingParts: AsyncSequence, Sendable {
    let parts: SessionResponseBody

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var parts: SessionResponseBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            do {
                return try await parts.next()
            } catch SessionError.limit(.timedOut(_, .total, _, _)) {
                throw HTTPClientError.deadlineExceeded
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts.makeAsyncIterator()) }
}
