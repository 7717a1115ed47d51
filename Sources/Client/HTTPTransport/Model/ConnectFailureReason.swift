// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
