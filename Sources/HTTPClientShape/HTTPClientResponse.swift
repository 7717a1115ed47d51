// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
import NIOHTTPTypesHTTP1
public import NIOHTTP1

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A response of AsyncHTTPClient's shape.
public struct HTTPClientResponse: Sendable {
    /// Buffers as they arrive, read once; `collect(upTo:)` gathers them.
    public typealias Body = ResponseBody

    /// The version of HTTP.
    public var version: HTTPVersion
    /// The status.
    public var status: HTTPResponseStatus
    /// The header fields, in the order sent.
    public var headers: HTTPHeaders
    /// Read it or drop it: while it is unread its connection is held.
    public var body: Body
    /// Where the response came from, after redirects; `nil` for one that no server gave.
    public var url: URL?

    /// Makes a response without a server, for tests.
    ///
    /// - Parameters:
    ///   - version: The version of HTTP. The default is HTTP/1.1.
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

    init(_ response: Response) {
        self.init(
            version: response.connection.httpVersion == .http2 ? .http2 : .http1_1,
            status: HTTPResponseStatus(
                statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headers: HTTPHeaders(response.headerFields),
            body: .stream(ShapedParts(parts: response.body)))
        url = URL(string: response.url)
    }
}

extension HTTPClientResponse: CustomStringConvertible, CustomReflectable {
    /// Version and status; fields may hold what is secret.
    public var description: String { "\(version) \(status.reasonPhrase.isEmpty ? "\(status.code)" : "\(status)")" }

    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
