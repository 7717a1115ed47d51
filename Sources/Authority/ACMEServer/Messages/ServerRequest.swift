// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

/// A request that the HTTP server passes to the ACME server.
public struct ServerRequest: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The path behind the server's base URL, which begins with a slash and has no query.
    public var path: String
    /// The value of the field `Content-Type`; `nil` if there is none.
    public var contentType: String?
    /// The whole body; `nil` where it is longer than ``ACMEServer/largestRequest``, beyond which it is not read.
    public var body: [UInt8]?

    /// A request by its parts.
    public init(method: HTTPRequest.Method, path: String, contentType: String? = nil, body: [UInt8]? = []) {
        (self.method, self.path, self.contentType, self.body) = (method, path, contentType, body)
    }
}
