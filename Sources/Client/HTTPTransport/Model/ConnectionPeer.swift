// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// The other end of a connection: an origin, or the proxy that a request goes through.
public struct ConnectionPeer: Hashable, Sendable, CustomStringConvertible {
    /// The role of a peer in a request.
    public enum Role: Hashable, Sendable {
        /// An origin server.
        case origin
        /// A proxy between the client and the origin.
        case proxy
    }

    /// The endpoint at which the peer listens.
    public let endpoint: Endpoint
    /// Whether the peer is an origin or a proxy.
    public let role: Role

    /// Makes a peer from its endpoint and its role.
    public init(_ endpoint: Endpoint, role: Role) {
        self.endpoint = endpoint
        self.role = role
    }

    /// The host of the peer: a name or an address.
    public var host: HostName { endpoint.host }
    /// The port of the peer, from 1 to 65,535.
    public var port: Int { endpoint.port }

    /// `host:port` of an origin, and `the proxy host:port` of a proxy.
    public var description: String { role == .proxy ? "the proxy \(endpoint)" : endpoint.description }
}

extension ConnectionPeer {
    /// Makes the peer of an origin.
    package static func origin(_ endpoint: Endpoint) -> Self { Self(endpoint, role: .origin) }

    /// Makes the peer of a proxy.
    package static func proxy(_ endpoint: Endpoint) -> Self { Self(endpoint, role: .proxy) }
}
