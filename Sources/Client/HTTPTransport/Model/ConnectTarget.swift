// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The target of a connection, instead of the host and port of the URL.
public enum ConnectTarget: Hashable, Sendable {
    /// Another host and port.
    case endpoint(Endpoint)
    /// A socket of this machine's file system, without TCP and without a proxy.
    case unixSocket(path: String)
}
