// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Requests for a `URL` of Foundation. A relative URL is resolved against its base.
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

    /// Makes a GET request for an absolute URL of `http` or `https`.
    public static func get(_ url: URL) -> Request { .get(url.absoluteString) }

    /// Makes a HEAD request: the response has the head that a GET would get, and no body.
    public static func head(_ url: URL) -> Request { .head(url.absoluteString) }

    /// Makes a POST request for an absolute URL of `http` or `https`.
    public static func post(_ url: URL) -> Request { .post(url.absoluteString) }

    /// Makes a PUT request for an absolute URL of `http` or `https`.
    public static func put(_ url: URL) -> Request { .put(url.absoluteString) }

    /// Makes a PATCH request (RFC 5789) for an absolute URL of `http` or `https`.
    public static func patch(_ url: URL) -> Request { .patch(url.absoluteString) }

    /// Makes a DELETE request for an absolute URL of `http` or `https`.
    public static func delete(_ url: URL) -> Request { .delete(url.absoluteString) }
}
