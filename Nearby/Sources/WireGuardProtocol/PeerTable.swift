// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The peers of a device, by key and by a position that does not change, so that one is changed in place.
struct PeerTable: Sendable {
    private var positions: [WireGuardPublicKey: Int] = [:]
    /// By position; not behind an accessor, which would allocate its frame for each packet.
    var states: [PeerState?] = []

    var keys: [WireGuardPublicKey] { Array(positions.keys) }

    func position(of key: WireGuardPublicKey) -> Int? { positions[key] }

    subscript(key: WireGuardPublicKey) -> PeerState? {
        get { positions[key].flatMap { states[$0] } }
        _modify {
            if let position = positions[key] {
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
    }

    mutating func remove(_ key: WireGuardPublicKey) {
        if let position = positions.removeValue(forKey: key) { states[position] = nil }
    }

    /// The first time at which something is due for a peer.
    var deadline: Nanoseconds? { states.lazy.compactMap { $0?.deadline }.min() }
}
