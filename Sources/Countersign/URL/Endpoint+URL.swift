// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Endpoint {
    /// The host and port that a URL of `http` or `https` leads to.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)``, ``RequestError/unsupportedScheme(_:)``.
    public init(of url: String) throws(SessionError) {
        self = try HTTPURL(url).endpoint
    }
}
