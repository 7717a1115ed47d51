// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A request by its method.
extension Request {
    /// A GET.
    public static func get(_ url: String) -> Request { Request(url: url) }

    /// A HEAD: what a GET would be answered with, without the body.
    public static func head(_ url: String) -> Request { Request(url: url, method: .head) }

    /// A POST.
    public static func post(_ url: String) -> Request { Request(url: url, method: .post) }

    /// A PUT.
    public static func put(_ url: String) -> Request { Request(url: url, method: .put) }

    /// A PATCH (RFC 5789).
    public static func patch(_ url: String) -> Request { Request(url: url, method: .patch) }

    /// A DELETE.
    public static func delete(_ url: String) -> Request { Request(url: url, method: .delete) }
}
