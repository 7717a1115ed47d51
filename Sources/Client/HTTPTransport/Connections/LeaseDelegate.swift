// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The delegate of one request, which selects an idle connection and answers the challenges while a new one is opened.
package protocol LeaseDelegate {
    /// Whether the request may use every plain connection (``HTTPConnection/Attachment/isPlain``).
    var acceptsPlainConnections: Bool { get }

    /// Whether a connection may be authenticated with the request's credential (``HTTPConnection/Fitness/authenticated``).
    ///
    /// Without such a connection, the request takes the first one that it can use.
    var prefersAuthenticatedConnections: Bool { get }

    /// Returns whether the request can use an idle connection, or an HTTP/2 connection with a free stream.
    func fitness(of connection: HTTPConnection) -> HTTPConnection.Fitness

    /// Tells the delegate that a connection was opened, so that it can set the connection's attachment.
    func connectionOpened(_ connection: HTTPConnection)

    /// Returns the delegate for the next TLS handshake with an origin or a proxy.
    ///
    /// - Parameters:
    ///   - peer: The server of the handshake.
    ///   - record: The facts of the connection, which the transport still completes after this call.
    /// - Returns: The delegate of the handshake.
    func handshakeDelegate(for peer: ConnectionPeer, record: PeerRecord) -> any HandshakeDelegate

    /// Opens a tunnel to a target with CONNECT (RFC 9110 section 9.3.6) over a connection to an HTTP proxy.
    ///
    /// The delegate calls ``HTTPConnection/detach()`` when the proxy has opened the tunnel.
    ///
    /// - Throws: ``ReconnectRequired`` if the answer to the proxy's challenge needs another connection; every other
    ///   error ends the attempt.
    func openTunnel(to target: HostEndpoint, over connection: HTTPConnection) async throws

    /// Returns the login for a SOCKS proxy, and whether it was known before this call.
    ///
    /// - Throws: An error that ends the attempt if there is no login.
    func socksLogin() async throws -> (login: SOCKSLogin, wasKnown: Bool)

    /// Tells the delegate that the SOCKS proxy has accepted the login and connected to the destination.
    func socksLoginAccepted()

    /// Tells the delegate that the SOCKS proxy has rejected the login;
    /// the transport requests another over a new connection.
    ///
    /// - Throws: An error that ends the attempt if there is no other login.
    func socksLoginRejected() async throws
}
