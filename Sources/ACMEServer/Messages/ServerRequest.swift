// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// A request as the HTTP server hands it on.
public struct ServerRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The path below the server's base URL, which begins with a slash, without a query.
    public var path: String
    /// The field `Content-Type`.
    public var contentType: String?
    /// The whole body; `nil` where it is longer than ``ACMEServer/largestRequest``, beyond which it is not read.
    public var body: [UInt8]?

    /// A request by its parts.
    public init(method: HTTPRequest.Method, path: String, contentType: String? = nil, body: [UInt8]? = []) {
        (self.method, self.path, self.contentType, self.body) = (method, path, contentType, body)
    }
}
