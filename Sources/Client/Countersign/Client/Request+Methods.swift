// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A request by its method.
extension Request {
    /// Makes a GET request for an absolute URL of `http` or `https`.
    public static func get(_ url: String) -> Request { Request(url: url) }

    /// Makes a HEAD request: the response has the head that a GET would get, and no body.
    public static func head(_ url: String) -> Request { Request(url: url, method: .head) }

    /// Makes a POST request for an absolute URL of `http` or `https`.
    public static func post(_ url: String) -> Request { Request(url: url, method: .post) }

    /// Makes a PUT request for an absolute URL of `http` or `https`.
    public static func put(_ url: String) -> Request { Request(url: url, method: .put) }

    /// Makes a PATCH request (RFC 5789) for an absolute URL of `http` or `https`.
    public static func patch(_ url: String) -> Request { Request(url: url, method: .patch) }

    /// Makes a DELETE request for an absolute URL of `http` or `https`.
    public static func delete(_ url: String) -> Request { Request(url: url, method: .delete) }
}
