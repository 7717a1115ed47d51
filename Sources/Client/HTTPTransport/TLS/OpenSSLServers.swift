// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers

/// The servers whose handshakes failed with BoringSSL, and whose policy allows OpenSSL too; in memory and bounded.
final class OpenSSLServers: Sendable {
    /// The maximum number of servers; above it, all are removed, and the next handshake begins with BoringSSL again.
    private static let limit = 256

    private let servers = NIOLockedValueBox<Set<TLSSessionStore.Server>>([])

    func contains(_ server: TLSSessionStore.Server) -> Bool { servers.withLockedValue { $0.contains(server) } }

    func insert(_ server: TLSSessionStore.Server) {
        servers.withLockedValue { servers in
            if servers.count >= Self.limit { servers.removeAll() }
            servers.insert(server)
        }
    }
}
