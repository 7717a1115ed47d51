// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import NIOConcurrencyHelpers

/// Remembers the keys of servers from their first use, for `TrustPolicy.Validation.firstUse`.
public protocol ServerMemory: Sendable {
    /// Returns the key that is remembered for a server.
    ///
    /// - Parameter endpoint: The host and port of the server.
    /// - Returns: The remembered key; `nil` where none is remembered.
    /// - Throws: An error where the memory cannot be read. The connection fails with that error.
    func server(at endpoint: Endpoint) async throws -> RememberedServer?

    /// Remembers a server's key unless one is remembered already, in one atomic step.
    ///
    /// The session calls this when the server has proved that it has the private key.
    ///
    /// - Parameters:
    ///   - server: The key that the server presents now.
    ///   - endpoint: The host and port of the server.
    /// - Returns: The key that is remembered: the one seen first, or the one that the server presents now.
    /// - Throws: An error where the memory cannot be written. The connection fails with that error.
    func firstSeen(_ server: RememberedServer, at endpoint: Endpoint) async throws -> RememberedServer
}

/// A memory of servers that is lost when its last reference is released.
public final class VolatileServerMemory: ServerMemory {
    private let servers = NIOLockedValueBox<[Endpoint: RememberedServer]>([:])

    /// Makes an empty memory.
    public init() {}

    /// Returns the key that is remembered for a server; `nil` where none is remembered.
    public func server(at endpoint: Endpoint) -> RememberedServer? { servers.withLockedValue { $0[endpoint] } }

    /// Remembers a server's key unless one is remembered already, and returns the one that is remembered.
    public func firstSeen(_ server: RememberedServer, at endpoint: Endpoint) -> RememberedServer {
        servers.withLockedValue { servers in
            let first = servers[endpoint] ?? server
            servers[endpoint] = first
            return first
        }
    }
}
