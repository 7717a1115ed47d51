// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOConcurrencyHelpers
import NIOCore

/// The servers whose handshakes failed with BoringSSL and succeeded with OpenSSL; in memory and bounded.
final class OpenSSLServers: Sendable {
    /// The maximum number of servers; above it, all are removed, and the next handshake begins with BoringSSL again.
    private static let limit = 256
    /// The time for which a server is stored, because its failure may have been temporary or forged.
    private static let lifetime = TimeAmount.hours(1)

    /// The servers with the times until which they are stored.
    private let servers = NIOLockedValueBox<[TLSSessionStore.Server: NIODeadline]>([:])

    func contains(_ server: TLSSessionStore.Server) -> Bool {
        servers.withLockedValue { $0[server].map { $0 > .now() } ?? false }
    }

    func insert(_ newServers: Set<TLSSessionStore.Server>) {
        guard !newServers.isEmpty else { return }
        servers.withLockedValue { servers in
            if servers.count + newServers.count > Self.limit { servers.removeAll() }
            for server in newServers { servers[server] = .now() + Self.lifetime }
        }
    }
}
