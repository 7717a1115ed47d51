// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Decides for one request: which idle connection it may use, and what is asked while a connection is opened for it.
package protocol ConnectionDelegate {
    /// Whether the request may use every connection that is plain (``ConnectionAttachment/isPlain``).
    var acceptsPlainConnections: Bool { get }

    /// Judges an idle connection, or one of HTTP/2 that has room.
    func fitness(of connection: HTTPConnection) -> ConnectionFitness

    /// A connection was opened; the delegate attaches what it keeps with the connection.
    func connectionOpened(_ connection: HTTPConnection)

    /// Returns the delegate of a TLS handshake with an origin or a proxy, which begins next.
    ///
    /// - Parameters:
    ///   - peer: The server of the handshake.
    ///   - record: What the transport finds out about the connection, also after this call.
    /// - Returns: Who answers the questions of the handshake.
    func handshakeDelegate(for peer: ConnectionPeer, record: ConnectionRecord) -> any HandshakeDelegate

    /// Asks a proxy of HTTP for a tunnel to a target, by CONNECT (RFC 9110 section 9.3.6), over a connection to the proxy.
    ///
    /// The delegate calls ``HTTPConnection/detach()`` when the proxy has opened the tunnel.
    ///
    /// - Throws: ``ReconnectRequired`` where the proxy wants its answer over another connection.
    func openTunnel(to target: Endpoint, over connection: HTTPConnection) async throws

    /// Returns the login for a proxy of SOCKS, and whether it was known before this call.
    func socksLogin() async throws -> (login: SOCKSLogin, wasKnown: Bool)

    /// The proxy of SOCKS has accepted the login and opened the way.
    func socksLoginAccepted()

    /// The proxy of SOCKS has rejected the login; the transport asks for the next one over another connection.
    ///
    /// - Throws: What ends the attempt where there is no other login.
    func socksLoginRejected() async throws
}

/// What a request can do with a connection of the pool.
package enum ConnectionFitness: Hashable, Sendable {
    /// Nothing, and later requests neither: the answers that opened it are not those that would be given now. The pool closes it.
    case outdated
    /// Nothing: the connection is for other requests.
    case foreign
    case usable
    /// The connection is authenticated as the request needs it.
    case authenticated
}

/// A proxy wants its answer over another connection.
package struct ReconnectRequired: Error {
    package init() {}
}
