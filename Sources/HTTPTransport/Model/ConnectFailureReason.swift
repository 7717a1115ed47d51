// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why no connection was made.
public enum ConnectFailureReason: Hashable, Sendable {
    case refused
    case unreachable
    case timedOut
    /// Another error of the system, by its `errno`.
    case system(Int32)
}

/// Why no connection to a socket of the file system was made.
public enum SocketFailure: Hashable, Sendable {
    /// There is nothing at that path, or no way to it.
    case notFound
    /// The path is longer than the system allows for a socket, which is about 100 bytes.
    case pathTooLong
    /// The path is empty, or has a zero byte.
    case malformedPath
    /// Nothing listens there.
    case refused
    case timedOut
    /// Another error of the system, by its `errno`.
    case system(Int32)
}

/// What a connection was doing when it failed.
public enum ConnectionPhase: Hashable, Sendable {
    case handshake
    case proxyTunnel
    case request
    case response
    case body
    /// All of it, from the first connection to the last byte.
    case total
}
