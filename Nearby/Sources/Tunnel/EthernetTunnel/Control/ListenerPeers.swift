// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if os(Linux)
    import Synchronization

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The peers of a listener, with their interfaces and keys.
    final class ListenerPeers: Sendable {
        /// The identity of a peer: the subject of its certificate, which remains the same after a renewal, and its
        /// process.
        struct Key: Hashable, Sendable {
            let subject: String
            let instance: Data
        }

        /// A key generation of a peer, to be released later.
        struct Lease: Hashable, Sendable {
            let key: Key
            let generation: Generation.Identifier
            let interface: String
            /// Whether the peer already had keys.
            let isRoll: Bool

            var label: String { key.subject }
        }

        private struct Peer {
            let port: Int
            let interface: String
            var generations: Set<Generation.Identifier> = []
        }

        private let segment: OpenSegment
        private let plane: PlaneHandle
        private let limit: Int
        private let peers = Mutex<[Key: Peer]>([:])

        init(_ segment: OpenSegment, _ plane: PlaneHandle, limit: Int) {
            (self.segment, self.plane, self.limit) = (segment, plane, limit)
        }

        /// Adds a key generation for a peer, and creates its interface if it has none.
        func admit(
            _ key: Key, _ settings: GenerationSettings, sendEvent: @escaping @Sendable (DataPlaneEvent) -> Void
        ) throws(TunnelError) -> Lease {
            try peers.withLock { peers throws(TunnelError) in
                let isRoll = peers[key] != nil
                var peer: Peer
                if let known = peers[key] {
                    peer = known
                } else {
                    guard peers.count < limit else { throw .tooManyPeers(limit: limit) }
                    let tap = try segment.makeTAP()
                    let port = plane.addPort(tap, ownAddresses: segment.ownAddresses(tap))
                    peer = Peer(port: port, interface: tap.link.name)
                }
                let generation = plane.add(settings, port: peer.port, sendEvent: sendEvent)
                peer.generations.insert(generation)
                peers[key] = peer
                return Lease(key: key, generation: generation, interface: peer.interface, isRoll: isRoll)
            }
        }

        /// Removes a key generation, and with the last one the peer's interface.
        ///
        /// - Returns: Whether the peer was removed.
        @discardableResult func end(_ lease: Lease) -> Bool {
            peers.withLock { peers in
                plane.remove(lease.generation)
                guard peers[lease.key]?.generations.remove(lease.generation) != nil,
                    peers[lease.key]?.generations.isEmpty == true, let peer = peers.removeValue(forKey: lease.key)
                else { return false }
                plane.removePort(peer.port)
                return true
            }
        }

        /// Removes all key generations of a peer.
        func removePeer(_ lease: Lease) {
            peers.withLock { peers in
                guard let peer = peers.removeValue(forKey: lease.key) else { return }
                for generation in peer.generations { plane.remove(generation) }
                plane.removePort(peer.port)
            }
        }

        func removeAll() {
            peers.withLock { peers in
                for peer in peers.values { plane.removePort(peer.port) }
                peers = [:]
            }
        }
    }
#endif
