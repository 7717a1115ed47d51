// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import NIOHTTP1
import Secrets

/// A request of AsyncHTTPClient's shape.
public struct HTTPClientRequest: Sendable {
    /// An absolute URL of `http` or `https`.
    public var url: String
    /// GET unless said otherwise.
    public var method: HTTPMethod = .GET
    /// Sent in their order; a `Host` among them is left out, because it is the URL's.
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

    /// Sets a user and a password that are sent at once, as Basic (RFC 7617), and follow no redirect to another origin.
    ///
    /// - Parameters:
    ///   - username: The user, without a colon.
    ///   - password: The password.
    public mutating func setBasicAuth(username: String, password: String) {
        basicAuth = BasicAuth(username: username, password: Secret(password))
    }
}
