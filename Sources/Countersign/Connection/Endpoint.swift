// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// A host and port that a connection goes to.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address.
    public let host: HostName
    /// 1 to 65,535.
    public let port: Int

    /// An endpoint by its parts.
    public init(host: HostName, port: Int) {
        self.host = host
        self.port = port
    }

    /// `host:port`, an IPv6 address in brackets.
    public var description: String {
        host.description.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension Endpoint {
    /// The host and port that a URL of `http` or `https` leads to.
    ///
    /// - Throws: ``SessionError/invalidURL(_:_:)``, ``SessionError/unsupportedScheme(_:)``.
    public init(of url: String) throws(SessionError) {
        self = try HTTPURL(url).endpoint
    }
}
