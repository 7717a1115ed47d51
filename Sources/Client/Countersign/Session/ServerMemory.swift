// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import NIOConcurrencyHelpers

/// A memory of server keys from their first use, for `TrustPolicy.Validation.firstUse`.
public protocol ServerMemory: Sendable {
    /// Returns the remembered key of a server.
    ///
    /// - Parameter endpoint: The host and port of the server.
    /// - Returns: The remembered key; `nil` if none is remembered.
    /// - Throws: An error if the memory cannot be read. The connection fails with that error.
    func server(at endpoint: Endpoint) async throws -> RememberedServer?

    /// Remembers a server's key unless one is remembered already, in one atomic step.
    ///
    /// The session calls this after the server has proved possession of the private key.
    ///
    /// - Parameters:
    ///   - server: The key that the server presents now.
    ///   - endpoint: The host and port of the server.
    /// - Returns: The remembered key: the one seen first, or the one that the server presents now.
    /// - Throws: An error if the memory cannot be written. The connection fails with that error.
    func firstSeen(_ server: RememberedServer, at endpoint: Endpoint) async throws -> RememberedServer
}

/// A server memory in the process, which is lost when its last reference is released.
public final class VolatileServerMemory: ServerMemory {
    private let servers = NIOLockedValueBox<[Endpoint: RememberedServer]>([:])

    /// Makes an empty memory.
    public init() {}

    /// Returns the remembered key of a server; `nil` if none is remembered.
    public func server(at endpoint: Endpoint) -> RememberedServer? { servers.withLockedValue { $0[endpoint] } }

    /// Remembers a server's key unless one is remembered already, and returns the remembered key.
    public func firstSeen(_ server: RememberedServer, at endpoint: Endpoint) -> RememberedServer {
        servers.withLockedValue { servers in
            let first = servers[endpoint] ?? server
            servers[endpoint] = first
            return first
        }
    }
}
