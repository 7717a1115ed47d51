// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import NIOConcurrencyHelpers

/// Remembers servers whose keys were taken on first sight, for `TrustPolicy.Validation.firstUse`.
public protocol ServerMemory: Sendable {
    /// Looks a server up.
    ///
    /// - Parameter endpoint: Whose key is asked for.
    /// - Returns: What is remembered; `nil` where nothing is.
    /// - Throws: Whatever keeps it from knowing; the connection fails with it.
    func server(at endpoint: Endpoint) async throws -> RememberedServer?

    /// Remembers a server where it is not known yet, in one step.
    ///
    /// Called once the server has proved that it has the key.
    ///
    /// - Parameters:
    ///   - server: What is seen now.
    ///   - endpoint: Whose key it is.
    /// - Returns: What is remembered: what was seen first, or what is seen now.
    /// - Throws: Whatever keeps it from remembering; the connection fails with it.
    func firstSeen(_ server: RememberedServer, at endpoint: Endpoint) async throws -> RememberedServer
}

/// A memory of servers that is lost with its last reference.
public final class VolatileServerMemory: ServerMemory {
    private let servers = NIOLockedValueBox<[Endpoint: RememberedServer]>([:])

    /// Makes an empty memory.
    public init() {}

    /// Looks a server up.
    public func server(at endpoint: Endpoint) -> RememberedServer? { servers.withLockedValue { $0[endpoint] } }

    /// Remembers a server where it is not known yet.
    public func firstSeen(_ server: RememberedServer, at endpoint: Endpoint) -> RememberedServer {
        servers.withLockedValue { servers in
            let first = servers[endpoint] ?? server
            servers[endpoint] = first
            return first
        }
    }
}
