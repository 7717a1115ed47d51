// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import NIOCore

/// The settings by which connections are opened and used.
package struct ConnectionSettings: Sendable {
    /// The event loops of the connections.
    package let group: any EventLoopGroup
    /// How long TCP may take, for all addresses of a name together.
    package let connectTimeout: Duration
    /// How long a server may be silent in a TLS handshake, and a proxy of SOCKS before each message; the time that a delegate takes is not
    /// counted.
    package let handshakeTimeout: Duration
    /// How long a peer may be silent in an exchange.
    package let idleTimeout: Duration
    /// How the lines of a response's head may end in HTTP/1.1.
    package let lineEnding: HeadLineEnding
    /// Returns whether a socket that leads to an origin without a proxy may connect to an address; `nil` allows all addresses.
    package let allowsAddress: (@Sendable (SocketAddress) -> Bool)?
    /// Contexts of TLS that are free; all copies of the settings share them.
    let contexts = TLSContextCache()

    package init(
        group: any EventLoopGroup, connectTimeout: Duration, handshakeTimeout: Duration, idleTimeout: Duration,
        lineEnding: HeadLineEnding, allowsAddress: (@Sendable (SocketAddress) -> Bool)? = nil
    ) {
        self.group = group
        self.connectTimeout = connectTimeout
        self.handshakeTimeout = handshakeTimeout
        self.idleTimeout = idleTimeout
        self.lineEnding = lineEnding
        self.allowsAddress = allowsAddress
    }
}
