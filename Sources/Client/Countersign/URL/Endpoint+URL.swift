// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Endpoint {
    /// Makes the endpoint that a URL of `http` or `https` leads to; the port is 80 or 443 where the URL has none.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)`` or ``RequestError/unsupportedScheme(_:)``.
    public init(of url: String) throws(SessionError) {
        self = try HTTPURL(url).endpoint
    }
}
