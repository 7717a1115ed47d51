// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The peers of a device, by key and by a stable position, so that a peer can be modified in place.
struct PeerTable: Sendable {
    private var positions: [WireGuardPublicKey: Int] = [:]
    /// The only peer of a device with one peer, as in a tunnel, so that packets need no lookup.
    private var only: (key: WireGuardPublicKey, position: Int)?
    /// The states by position; a stored property, because an accessor would allocate memory for each packet.
    var states: [PeerState?] = []

    var keys: [WireGuardPublicKey] { Array(positions.keys) }

    func position(of key: WireGuardPublicKey) -> Int? {
        if let only { return only.key == key ? only.position : nil }
        return positions[key]
    }

    /// The current session of a device's only peer.
    var onlySession: WireGuardSession? { only.flatMap { states[$0.position]?.current?.session } }

    subscript(key: WireGuardPublicKey) -> PeerState? {
        get { position(of: key).flatMap { states[$0] } }
        _modify {
            if let position = position(of: key) {
                yield &states[position]
            } else {
                var nothing: PeerState?
                yield &nothing
            }
        }
    }

    mutating func add(_ peer: PeerState) {
        let position = states.firstIndex { $0 == nil } ?? states.count
        if position == states.count { states.append(nil) }
        states[position] = peer
        positions[peer.partner.publicKey] = position
        noteOnly()
    }

    mutating func remove(_ key: WireGuardPublicKey) {
        if let position = positions.removeValue(forKey: key) { states[position] = nil }
        noteOnly()
    }

    private mutating func noteOnly() { only = positions.count == 1 ? positions.first.map { ($0.key, $0.value) } : nil }

    /// The earliest deadline of all peers.
    var deadline: Nanoseconds? {
        var earliest: Nanoseconds?
        // The loop uses positions, because iterating over the elements would copy each one.
        for position in states.indices { earliest = earliest.earlier(states[position]?.deadline) }
        return earliest
    }
}
