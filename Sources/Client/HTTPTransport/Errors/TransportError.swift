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

/// Why no connection was made.
public enum ConnectFailureReason: Hashable, Sendable {
    /// The peer refused the connection.
    case refused
    /// The network has no route to the address.
    case unreachable
    /// The connection was not open within the connect timeout.
    case timedOut
    /// Another error of the system. Holds its `errno`.
    case system(Int32)
}

/// Why no connection to a socket of the file system was made.
public enum SocketFailure: Hashable, Sendable {
    /// No file exists at the path, or a folder of the path does not exist.
    case notFound
    /// The path is longer than the system allows for a socket, which is about 100 bytes.
    case pathTooLong
    /// The path is empty, or has a NUL byte.
    case malformedPath
    /// No program listens on the socket.
    case refused
    /// The connection was not open within the connect timeout.
    case timedOut
    /// Another error of the system. Holds its `errno`.
    case system(Int32)
}

/// What a connection was doing when it failed.
public enum ConnectionPhase: Hashable, Sendable {
    /// In the TLS handshake.
    case handshake
    /// Opening a tunnel through a proxy of HTTP, or connecting through a proxy of SOCKS.
    case proxyTunnel
    /// Sending the request.
    case request
    /// Waiting for the head of the response.
    case response
    /// Reading the body of the response.
    case body
    /// The whole request, from the first connection to the last byte.
    case total
}

/// Why a proxy of SOCKS did not connect to a destination (RFC 1928 sections 3 and 6).
public enum SOCKSRefusal: Hashable, Sendable {
    /// The proxy accepts neither a client without a login nor a user with a password.
    case noAcceptableMethod
    /// The proxy reports a general failure.
    case generalFailure
    /// The rules of the proxy forbid the destination.
    case notAllowed
    /// The proxy cannot reach the network of the destination.
    case networkUnreachable
    /// The proxy cannot reach the host, or, with many proxies, cannot resolve its name.
    case hostUnreachable
    /// The destination refused the connection.
    case connectionRefused
    /// The route from the proxy to the destination is too long.
    case timeToLiveExpired
    /// The proxy does not support the command CONNECT.
    case commandNotSupported
    /// The proxy does not support this type of address.
    case addressTypeNotSupported
    /// The proxy sent a code that the standard does not assign. Holds the code.
    case unassigned(UInt8)

    /// Reads the code of a reply that is no success.
    init(code: UInt8) {
        self =
            switch code {
            case 1: .generalFailure
            case 2: .notAllowed
            case 3: .networkUnreachable
            case 4: .hostUnreachable
            case 5: .connectionRefused
            case 6: .timeToLiveExpired
            case 7: .commandNotSupported
            case 8: .addressTypeNotSupported
            default: .unassigned(code)
            }
    }
}

/// The defect in a message of a SOCKS proxy (RFC 1928).
public enum MalformedSOCKS: Hashable, Sendable {
    /// The first byte of a message is not the required version. Holds the byte.
    case version(UInt8)
    /// The proxy chose an authentication method that the client did not offer. Holds the method's number.
    case method(UInt8)
    /// A reserved byte is not 0. Holds the byte.
    case reserved(UInt8)
    /// The proxy names its own address by a type that the standard does not define. Holds the type.
    case addressType(UInt8)
    /// The proxy sent more bytes than its messages have.
    case excess
}

/// Why a login for a proxy of SOCKS cannot be sent (RFC 1929 section 2).
package enum SOCKSLoginFlaw: Error, Hashable {
    /// The user is empty, or longer than the limit, which is in bytes.
    case userLength(limit: Int)
    /// The password is longer than the limit, which is in bytes.
    case passwordLength(limit: Int)
}
