// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// A host and port that a connection goes to.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The host: a name or an address.
    public let host: HostName
    /// The port, from 1 to 65,535.
    public let port: Int

    /// Makes an endpoint from a host and a port, which is not checked.
    public init(host: HostName, port: Int) {
        self.host = host
        self.port = port
    }

    /// The endpoint as `host:port`, with an IPv6 address in brackets.
    public var description: String { hostInURL + ":" + String(port) }

    /// The host as URLs have it: an IPv6 address in brackets (RFC 3986 section 3.2.2).
    package var hostInURL: String {
        let name = host.description
        return name.utf8.contains(UInt8(ascii: ":")) ? "[" + name + "]" : name
    }
}
