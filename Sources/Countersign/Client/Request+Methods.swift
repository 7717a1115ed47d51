// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A request by its method.
extension Request {
    /// A GET request.
    public static func get(_ url: String) -> Request { Request(url: url) }

    /// A HEAD request: the response has the head that a GET would get, and no body.
    public static func head(_ url: String) -> Request { Request(url: url, method: .head) }

    /// A POST request.
    public static func post(_ url: String) -> Request { Request(url: url, method: .post) }

    /// A PUT request.
    public static func put(_ url: String) -> Request { Request(url: url, method: .put) }

    /// A PATCH request (RFC 5789).
    public static func patch(_ url: String) -> Request { Request(url: url, method: .patch) }

    /// A DELETE request.
    public static func delete(_ url: String) -> Request { Request(url: url, method: .delete) }
}
