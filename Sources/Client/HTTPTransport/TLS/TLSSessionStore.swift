// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Identities
import NIOConcurrencyHelpers
import TLSTransport

/// The TLS sessions with which later connections are resumed, in memory and bounded.
///
/// A session is used only for a connection for which all decisions that it depends on would be the same. The trust in
/// the server is evaluated again at each resumption.
final class TLSSessionStore: Sendable {
    /// A server with the requirements for it.
    enum Server: Hashable, Sendable {
        /// The origin of a route; everything that separates connections separates sessions too.
        case origin(Route)
        case proxy(ProxyServer, TLSRequirements)
    }

    /// A stored session.
    struct Entry: Sendable {
        let session: TLSSession
        /// The identity that was presented in the first handshake; `nil` for none.
        let identity: PresentedIdentity?
        /// The server's request for the identity; `nil` if it sent none.
        let request: TLSIdentityRequest?
        fileprivate let server: Server
    }

    /// The maximum number of sessions of all servers.
    private static let limit = 256
    /// The maximum number of sessions of one server; servers send one or two for each connection.
    private static let serverLimit = 32

    /// The sessions, the latest last.
    private let entries = NIOLockedValueBox<[Entry]>([])

    /// The number of stored sessions.
    var count: Int { entries.withLockedValue(\.count) }

    /// Stores a session.
    func add(_ session: TLSSession, of server: Server, identity: PresentedIdentity?, request: TLSIdentityRequest?) {
        let entry = Entry(session: session, identity: identity, request: request, server: server)
        // Released sessions are freed after the lock is released.
        let removed = entries.withLockedValue { entries in
            var removed = Self.removeExpired(from: &entries)
            let others = entries.indices.filter { entries[$0].server == server }
            if others.count >= Self.serverLimit, let first = others.first { removed.append(entries.remove(at: first)) }
            if entries.count >= Self.limit { removed.append(entries.removeFirst()) }
            entries.append(entry)
            return removed
        }
        _ = removed
    }

    /// Returns the latest session of a server and a library with an identity, and removes it if only one connection may
    /// use it.
    func take(of server: Server, by library: TLSLibrary, presenting identity: PresentedIdentity?) -> Entry? {
        let (found, removed) = entries.withLockedValue { entries -> (Entry?, [Entry]) in
            let removed = Self.removeExpired(from: &entries)
            let index = entries.lastIndex {
                $0.server == server && $0.session.library == library && $0.identity == identity
            }
            guard let index else { return (nil, removed) }
            return (entries[index].session.isSingleUse ? entries.remove(at: index) : entries[index], removed)
        }
        _ = removed
        return found
    }

    /// Removes the sessions of a server, one of which could not be resumed.
    func removeAll(of server: Server) {
        let removed = entries.withLockedValue { entries in
            let removed = entries.filter { $0.server == server }
            entries.removeAll { $0.server == server }
            return removed
        }
        _ = removed
    }

    private static func removeExpired(from entries: inout [Entry]) -> [Entry] {
        let now = UInt64(max(0, Date().timeIntervalSince1970))
        guard entries.contains(where: { $0.session.expiry <= now }) else { return [] }
        let expired = entries.filter { $0.session.expiry <= now }
        entries.removeAll { $0.session.expiry <= now }
        return expired
    }
}
