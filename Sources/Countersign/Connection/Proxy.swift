// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An HTTP proxy, through which every request of a session goes.
public struct Proxy: Hashable, Sendable, CustomStringConvertible {
    /// Where the proxy listens.
    public let endpoint: Endpoint
    /// Whether the connection to the proxy itself is TLS.
    public let usesTLS: Bool

    /// A proxy by its address.
    public init(endpoint: Endpoint, usesTLS: Bool = false) {
        self.endpoint = endpoint
        self.usesTLS = usesTLS
    }

    /// Reads `http://host:port` or `https://host:port`; the port must be there, because no default is common to proxies.
    ///
    /// - Throws: ``SessionError/invalidURL(_:_:)``, ``SessionError/unsupportedScheme(_:)``.
    public init(_ url: String) throws(SessionError) {
        let parsed = try HTTPURL(url)
        let afterScheme = url.dropFirst(parsed.scheme.rawValue.count + "://".count)
        let authority = afterScheme.prefix { $0 != "/" }
        guard authority.last?.isNumber == true,
            authority.drop(while: { $0 != "]" }).contains(":") || !authority.contains("]"),
            authority.contains(":")
        else { throw .invalidURL(url, .port) }
        self.init(endpoint: parsed.endpoint, usesTLS: parsed.scheme == .https)
    }

    /// The proxy's URL.
    public var description: String { "\(usesTLS ? "https" : "http")://\(endpoint)" }
}
