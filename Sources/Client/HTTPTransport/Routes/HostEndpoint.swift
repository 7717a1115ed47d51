// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import EssentialFoundation

/// The host and port of one end of a connection.
public struct HostEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The host: a name or an address.
    public let host: HostName
    /// The port, from 1 to 65,535.
    public let port: Int

    /// Makes an endpoint from a host and a port, without checking the port.
    public init(host: HostName, port: Int) {
        self.host = host
        self.port = port
    }

    /// The endpoint as `host:port`, with an IPv6 address in brackets.
    public var description: String { hostInURL + ":" + String(port) }

    /// The host in the form of URLs: an IPv6 address is in brackets (RFC 3986 section 3.2.2).
    package var hostInURL: String {
        let name = host.description
        return name.utf8.contains(UInt8(ascii: ":")) ? "[" + name + "]" : name
    }
}

/// The peer of a connection: an origin, or a proxy.
public struct ConnectionPeer: Hashable, Sendable, CustomStringConvertible {
    /// The role of a peer in a request.
    public enum Role: Hashable, Sendable {
        /// An origin server.
        case origin
        /// A proxy between the client and the origin.
        case proxy
    }

    /// The endpoint at which the peer listens.
    public let endpoint: HostEndpoint
    /// Whether the peer is an origin or a proxy.
    public let role: Role

    /// Makes a peer from its endpoint and its role.
    public init(_ endpoint: HostEndpoint, role: Role) {
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
    package static func origin(_ endpoint: HostEndpoint) -> Self { Self(endpoint, role: .origin) }

    /// Makes the peer of a proxy.
    package static func proxy(_ endpoint: HostEndpoint) -> Self { Self(endpoint, role: .proxy) }
}

/// The target of a connection, instead of the host and port of the URL.
@nonexhaustive
public enum ConnectTarget: Hashable, Sendable {
    /// Another host and port.
    case endpoint(HostEndpoint)
    /// A Unix domain socket on this machine, without TCP and without a proxy.
    ///
    /// The URL is a file URL; a request with any other URL fails with `RequestError.invalidURL`.
    case unixSocket(URL)
}

/// The versions of IP by which connections are opened.
@nonexhaustive
public enum AddressFamily: Hashable, Sendable {
    /// IPv6 and IPv4, whichever answers first (RFC 8305).
    case any
    /// IPv4 only.
    case ipv4
    /// IPv6 only.
    case ipv6
}
