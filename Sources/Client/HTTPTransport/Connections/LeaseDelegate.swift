// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Decides for one request which idle connection it may use, and answers the questions that arise while a connection is opened for it.
package protocol LeaseDelegate {
    /// Whether the request may use every connection that is plain (``HTTPConnection/Attachment/isPlain``).
    var acceptsPlainConnections: Bool { get }

    /// Returns what the request can do with an idle connection, or with one of HTTP/2 that can take another request.
    func fitness(of connection: HTTPConnection) -> HTTPConnection.Fitness

    /// A connection was opened; the delegate attaches what it keeps with the connection.
    func connectionOpened(_ connection: HTTPConnection)

    /// Returns the delegate of a TLS handshake with an origin or a proxy, which begins next.
    ///
    /// - Parameters:
    ///   - peer: The server of the handshake.
    ///   - record: The facts of the connection, which the transport completes after this call too.
    /// - Returns: The delegate of the handshake.
    func handshakeDelegate(for peer: ConnectionPeer, record: PeerRecord) -> any HandshakeDelegate

    /// Asks a proxy of HTTP for a tunnel to a target, by CONNECT (RFC 9110 section 9.3.6), over a connection to the proxy.
    ///
    /// The delegate calls ``HTTPConnection/detach()`` when the proxy has opened the tunnel.
    ///
    /// - Throws: ``ReconnectRequired`` where the answer to the proxy must go over another connection; every other error ends the attempt.
    func openTunnel(to target: Endpoint, over connection: HTTPConnection) async throws

    /// Returns the login for a proxy of SOCKS, and whether it was known before this call.
    ///
    /// - Throws: An error that ends the attempt, where there is no login.
    func socksLogin() async throws -> (login: SOCKSLogin, wasKnown: Bool)

    /// The proxy of SOCKS has accepted the login and connected to the destination.
    func socksLoginAccepted()

    /// The proxy of SOCKS has rejected the login; the transport asks for the next one over another connection.
    ///
    /// - Throws: An error that ends the attempt, where there is no other login.
    func socksLoginRejected() async throws
}

/// The answer to a proxy must go over another connection.
package struct ReconnectRequired: Error {
    package init() {}
}
