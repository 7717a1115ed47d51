// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import NIOHTTP1
import Secrets

/// A request, in the form of AsyncHTTPClient.
public struct HTTPClientRequest: Sendable {
    /// An absolute URL of `http` or `https`.
    public var url: String
    /// The method; GET by default.
    public var method: HTTPMethod = .GET
    /// The header fields, sent in this order.
    ///
    /// A field `Host` is left out, because the host is that of the URL.
    public var headers: HTTPHeaders = [:]
    /// The body; `nil` for none.
    public var body: Body?
    /// Sent as Basic before anyone asks; `nil` where nothing was set.
    var basicAuth: BasicAuth?

    /// Makes a GET request for an absolute URL of `http` or `https`.
    public init(url: String) {
        self.url = url
    }

    struct BasicAuth: Hashable, Sendable {
        let username: String
        let password: Secret
    }

    /// Sets a user and a password, which are sent before a challenge, as Basic (RFC 7617), and never to another origin after a redirect.
    ///
    /// - Parameters:
    ///   - username: The user. A request whose user has a colon fails (RFC 7617 section 2).
    ///   - password: The password.
    public mutating func setBasicAuth(username: String, password: String) {
        basicAuth = BasicAuth(username: username, password: Secret(password))
    }
}
