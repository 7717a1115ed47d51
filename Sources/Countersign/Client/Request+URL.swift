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
    /// A request; with a URL alone, a GET.
    ///
    /// - Parameters:
    ///   - url: Of `http` or `https`.
    ///   - method: What is asked of the resource.
    ///   - headerFields: The fields to send.
    ///   - body: What is sent; `nil` for no body.
    public init(url: URL, method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:], body: RequestBody? = nil) {
        self.init(url: url.absoluteString, method: method, headerFields: headerFields, body: body)
    }

    /// A GET.
    public static func get(_ url: URL) -> Request { .get(url.absoluteString) }

    /// A HEAD: what a GET would be answered with, without the body.
    public static func head(_ url: URL) -> Request { .head(url.absoluteString) }

    /// A POST.
    public static func post(_ url: URL) -> Request { .post(url.absoluteString) }

    /// A PUT.
    public static func put(_ url: URL) -> Request { .put(url.absoluteString) }

    /// A PATCH (RFC 5789).
    public static func patch(_ url: URL) -> Request { .patch(url.absoluteString) }

    /// A DELETE.
    public static func delete(_ url: URL) -> Request { .delete(url.absoluteString) }
}
