// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Requests for a `URL` of Foundation. A relative one is resolved against its base.
extension Request {
    /// Makes a request; with a URL alone, a GET request.
    ///
    /// - Parameters:
    ///   - url: An absolute URL of `http` or `https`.
    ///   - method: The method of the request.
    ///   - headerFields: The fields to send.
    ///   - body: The body to send; `nil` for no body.
    public init(url: URL, method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:], body: RequestBody? = nil) {
        self.init(url: url.absoluteString, method: method, headerFields: headerFields, body: body)
    }

    /// A GET request.
    public static func get(_ url: URL) -> Request { .get(url.absoluteString) }

    /// A HEAD request: the response has the head that a GET would get, and no body.
    public static func head(_ url: URL) -> Request { .head(url.absoluteString) }

    /// A POST request.
    public static func post(_ url: URL) -> Request { .post(url.absoluteString) }

    /// A PUT request.
    public static func put(_ url: URL) -> Request { .put(url.absoluteString) }

    /// A PATCH request (RFC 5789).
    public static func patch(_ url: URL) -> Request { .patch(url.absoluteString) }

    /// A DELETE request.
    public static func delete(_ url: URL) -> Request { .delete(url.absoluteString) }
}
