// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import TLSTransport

/// The reason why a connection was not opened, or an exchange over it failed.
///
/// The session converts each case into its own error.
package enum TransportError: Error, Equatable, Sendable {
    /// Name resolution found no address for the host of the peer.
    case cannotResolve(ConnectionPeer)
    /// No address of the peer accepted a connection.
    case cannotConnect(ConnectionPeer, ConnectFailureReason)
    /// The connection to a Unix domain socket failed. Holds the path of the socket.
    case cannotConnectToSocket(String, SocketFailure)
    /// The port is not within 1 to 65,535.
    case invalidPort(HostEndpoint)
    /// The peer closed or reset the connection before the exchange was complete.
    case connectionLost(ConnectionPeer, ConnectionPhase)
    /// The server ended the HTTP/2 connection with a GOAWAY, which states a reason, before the exchange was complete.
    case goAway(ConnectionPeer, ConnectionPhase, GoAway)
    /// The timeout passed in the phase. In the phases `attempt` and `total`, the deadline passed.
    case timedOut(ConnectionPeer, ConnectionPhase, Timeout)
    /// The peer does not use TLS.
    case notTLS(ConnectionPeer)
    /// The server did not start TLS in the protocol.
    case startTLSFailed(ConnectionPeer, StartTLS, StartTLSProblem)
    /// The TLS library ended the connection. Holds the library's name for the reason, and the alternative with which the
    /// handshake may succeed; `nil` if none is known.
    case handshakeFailed(ConnectionPeer, String, alternative: TLSAlternative?)
    /// The TLS library cannot use the identity with this server. Holds the library's name for the reason, and the
    /// alternative with which it may be used; `nil` if none is known.
    case identityUnusable(ConnectionPeer, String, alternative: TLSAlternative?)
    /// The TLS library cannot use the settings. Holds its name for the reason.
    case settingsUnusable(ConnectionPeer, String)
    /// The server ended the TLS connection with an alert. Holds the alternative with which the handshake may succeed;
    /// `nil` if none is known.
    case alertReceived(ConnectionPeer, TLSAlert, alternative: TLSAlternative?)
    /// The TLS library is not part of this build, or its version, which the error holds, is too old.
    case libraryUnavailable(ConnectionPeer, TLSLibrary, version: String?)
    /// The server requires a client certificate and received none. Holds its request; `nil` if that is unknown.
    case clientCertificateRequired(ConnectionPeer, TLSIdentityRequest?)
    /// The server received a client certificate and rejected it. The alert is `nil` if the server sent none.
    case clientCertificateRefused(ConnectionPeer, TLSIdentityRequest, alert: TLSAlert?)
    /// The server requests a renegotiation that is not allowed: a second one, or one in HTTP/2.
    case renegotiationRequired(ConnectionPeer)
    /// The peer supports none of the HTTP versions that the error holds.
    case httpVersionNotOffered(ConnectionPeer, HTTPVersions)
    /// The SOCKS proxy did not connect to the destination.
    case socksRefused(HostEndpoint, destination: HostEndpoint, SOCKSRefusal)
    /// The proxy sent a message that violates SOCKS 5 (RFC 1928).
    case malformedSOCKS(HostEndpoint, MalformedSOCKS)
    /// The login for a SOCKS proxy does not fit the protocol's messages (RFC 1929 section 2).
    case unsuitableSOCKSLogin(HostEndpoint, SOCKSLoginProblem)
    /// The peer sent a malformed HTTP response.
    case malformedResponse(ConnectionPeer, MalformedResponse)
    /// The head of a response exceeds the limit, in bytes.
    case headTooLarge(ConnectionPeer, limit: Int)
    /// The head or the trailer of a response has more fields than the limit.
    case tooManyFields(ConnectionPeer, limit: Int)
    /// The body of a response ended early. Holds byte counts; `expected` is `nil` if the length was not announced.
    case truncatedBody(ConnectionPeer, received: Int, expected: Int?)
    /// The length of the request's body differs from the announced length. Holds byte counts.
    case wrongBodyLength(ConnectionPeer, announced: Int, produced: Int)
    /// The server reset the HTTP/2 stream of the request.
    case streamReset(HostEndpoint, StreamReset)
    /// A part of the request target is missing, or contains a line break. Holds the path.
    case malformedTarget(String)
    /// All connections that the limits allow stayed busy until the wait timed out. Holds the time waited.
    case noConnectionFree(ConnectionPeer, waited: Duration)
    /// The first connection was still being opened when the wait for it timed out. Holds the time waited.
    case noConnectionOpened(ConnectionPeer, waited: Duration)
    /// The pool was closed.
    case poolClosed

    /// Whether no connection was opened for a reason that does not depend on the request: the peer cannot be reached, or
    /// does not answer.
    var appliesToAllRequests: Bool {
        switch self {
        case .cannotResolve, .cannotConnect, .cannotConnectToSocket: true
        case .timedOut(_, _, let timeout): ![.total, .attempt].contains(timeout.setting)
        default: false
        }
    }
}

/// The reason why a connection attempt failed.
@nonexhaustive
public enum ConnectFailureReason: Hashable, Sendable {
    /// The peer refused the connection.
    case refused
    /// The peer refused the connection over the only IP version that the session may use, and also has addresses of the
    /// other version. Holds the version that was used.
    case refusedOver(AddressFamily)
    /// The network has no route to the address.
    case unreachable
    /// The host has no address of the only IP version that the session may use. Holds that version.
    case noAddress(AddressFamily)
    /// The connection was not open within the connect timeout. Holds that timeout; `nil` if the system gave up earlier.
    case timedOut(after: Duration?)
    /// Another system error. Holds its `errno`.
    case system(Int32)
}

/// The reason why the connection to a Unix domain socket failed.
@nonexhaustive
public enum SocketFailure: Hashable, Sendable {
    /// No file exists at the path, or a folder of the path does not exist.
    case notFound
    /// The path exceeds the system's limit for a socket, which is about 100 bytes.
    case pathTooLong
    /// No program listens on the socket.
    case refused
    /// The connection was not open within the connect timeout. Holds that timeout; `nil` if the system gave up earlier.
    case timedOut(after: Duration?)
    /// Another system error. Holds its `errno`.
    case system(Int32)
}

/// The phase of a connection in which it failed.
@nonexhaustive
public enum ConnectionPhase: Hashable, Sendable {
    /// The TLS handshake.
    case handshake
    /// Opening a tunnel through an HTTP proxy, or connecting through a SOCKS proxy.
    case proxyTunnel
    /// Sending the request.
    case request
    /// Waiting for the head of the response.
    case response
    /// Reading the body of the response.
    case body
    /// One attempt at the request, from its connection to the last byte.
    case attempt
    /// The complete request, from the first connection to the last byte.
    case total
}

/// A setting that limits the time of a request or of one of its steps.
@nonexhaustive
public enum TimeoutSetting: Hashable, Sendable {
    /// The timeout for the silence of a peer in a TLS handshake, or while a tunnel is opened.
    case handshake
    /// The timeout for the first byte of a response.
    case response
    /// The timeout for the silence of a peer in an exchange.
    case idle
    /// The timeout of one attempt at a request.
    case attempt
    /// The timeout of a complete request.
    case total
}

/// A time limit, and the setting that specifies it.
package struct Timeout: Hashable, Sendable {
    package let duration: Duration
    package let setting: TimeoutSetting

    package init(_ duration: Duration, _ setting: TimeoutSetting) {
        (self.duration, self.setting) = (max(duration, .zero), setting)
    }
}

/// The reason why a SOCKS proxy did not connect to a destination (RFC 1928 sections 3 and 6).
@nonexhaustive
public enum SOCKSRefusal: Hashable, Sendable {
    /// The proxy accepts neither of the offered methods: no authentication, and user and password.
    case noAcceptableMethod
    /// The proxy reports a general failure.
    case generalFailure
    /// The rules of the proxy forbid the destination.
    case notAllowed
    /// The proxy cannot reach the network of the destination.
    case networkUnreachable
    /// The proxy cannot reach the host or, with many proxies, cannot resolve its name.
    case hostUnreachable
    /// The destination refused the connection.
    case connectionRefused
    /// The route from the proxy to the destination is too long.
    case timeToLiveExpired
    /// The proxy does not support the CONNECT command.
    case commandNotSupported
    /// The proxy does not support this address type.
    case addressTypeNotSupported
    /// The proxy sent a code that the standard does not assign. Holds the code.
    case unassigned(UInt8)

    /// Maps the code of a failure reply.
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
@nonexhaustive
public enum MalformedSOCKS: Hashable, Sendable {
    /// The first byte of a message is not the required version. Holds the byte.
    case version(UInt8)
    /// The proxy chose an authentication method that the client did not offer. Holds the method's number.
    case method(UInt8)
    /// A reserved byte is not 0. Holds the byte.
    case reserved(UInt8)
    /// The proxy's bound address has a type that the standard does not define. Holds the type.
    case addressType(UInt8)
    /// The proxy sent more bytes than its messages contain.
    case excess
}

/// The reason why a login for a SOCKS proxy cannot be sent (RFC 1929 section 2).
package enum SOCKSLoginProblem: Error, Hashable {
    /// The user name is empty, or exceeds the limit, in bytes.
    case userLength(limit: Int)
    /// The password exceeds the limit, in bytes.
    case passwordLength(limit: Int)
}
