// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a connection was not opened, or an exchange over it failed.
///
/// The session turns each case into its own error.
package enum TransportError: Error, Sendable {
    /// Name resolution found no address for the host of the peer.
    case cannotResolve(ConnectionPeer)
    /// No address of the peer accepted a connection.
    case cannotConnect(ConnectionPeer, ConnectFailureReason)
    /// No connection to a socket of the file system was made. Holds the path of the socket.
    case cannotConnectToSocket(String, SocketFailure)
    /// The port is not within 1 to 65,535.
    case invalidPort(Endpoint)
    /// The peer closed or reset the connection before the exchange was complete.
    case connectionLost(ConnectionPeer, ConnectionPhase)
    /// The server ended the connection of HTTP/2 by GOAWAY, with a reason, before the exchange was complete.
    case goAway(ConnectionPeer, ConnectionPhase, GoAway)
    /// The peer was silent for longer than the timeout of the phase. In the phase `total`, the deadline passed.
    case timedOut(ConnectionPeer, ConnectionPhase)
    /// The peer does not speak TLS.
    case notTLS(ConnectionPeer)
    /// The TLS handshake failed. Holds BoringSSL's name for the reason, which is never empty.
    case handshakeFailed(ConnectionPeer, String)
    /// The server insists on a client certificate and got none.
    case clientCertificateRequired(ConnectionPeer, IdentityRequest)
    /// The server got a client certificate and refused it. Holds BoringSSL's name of its alert; `nil` where it sent none.
    case clientCertificateRefused(ConnectionPeer, IdentityRequest, alert: String?)
    /// The server asks for a client certificate in mid-connection (TLS 1.2, RFC 5246 section 7.4.1.1).
    case renegotiationRequired(ConnectionPeer)
    /// The peer speaks none of the versions of HTTP that the error holds.
    case httpVersionNotOffered(ConnectionPeer, HTTPVersions)
    /// The proxy of SOCKS did not connect to the destination.
    case socksRefused(Endpoint, destination: Endpoint, SOCKSRefusal)
    /// The proxy sent a message that is not one of SOCKS 5 (RFC 1928).
    case malformedSOCKS(Endpoint, MalformedSOCKS)
    /// The login for a proxy of SOCKS does not fit its messages (RFC 1929 section 2).
    case unsuitableSOCKSLogin(Endpoint, SOCKSLoginFlaw)
    /// The peer sent a malformed HTTP response.
    case malformedResponse(ConnectionPeer, MalformedResponse)
    /// The head of a response is larger than the limit, which is in bytes.
    case headTooLarge(ConnectionPeer, limit: Int)
    /// The head or the trailer of a response has more fields than the limit.
    case tooManyFields(ConnectionPeer, limit: Int)
    /// The body of a response ended early. Byte counts; `expected` is `nil` where the length was not announced.
    case truncatedBody(ConnectionPeer, received: Int, expected: Int?)
    /// The body of a request has another length than was announced. Byte counts.
    case wrongBodyLength(ConnectionPeer, announced: Int, produced: Int)
    /// The server reset the stream of HTTP/2 that the request went over.
    case streamReset(Endpoint, StreamReset)
    /// A part of the request's target is missing, or would end its line. Holds the path.
    case malformedTarget(String)
    /// Every connection that the limits allow was busy for as long as a request waits for one. Holds that time.
    case noConnectionFree(ConnectionPeer, waited: Duration)
    /// The pool was closed.
    case poolClosed
}
