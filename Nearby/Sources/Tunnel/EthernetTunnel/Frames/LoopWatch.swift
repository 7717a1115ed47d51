// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WireGuardProtocol

/// Notices that the segments are also joined beside the tunnel, so that frames go round.
///
/// A host's address is on one side of the tunnel. In a loop its frames soon come out of the tunnel on the side from which they went in,
/// again and again; a host that moves does so once.
struct LoopWatch {
    enum Direction { case sent, received }

    private struct Host {
        var address: UInt64
        var direction: Direction
        var changes = 0
        var since: Instant
    }

    private static let slots = 1_024
    private static let period = Duration.seconds(10)
    private static let suspiciousChanges = 8

    /// The addresses of the interfaces on this side, from which no frame comes out of the tunnel otherwise.
    private let ownAddresses: [UInt64]
    private var hosts: [Host?] = Array(repeating: nil, count: slots)
    private var lastWarning: Instant?

    init(ownAddresses: Set<UInt64>) { self.ownAddresses = Array(ownAddresses) }

    /// Looks at a frame's source address.
    ///
    /// - Returns: The address, where it is in a loop; once in a while.
    mutating func note(
        _ frame: UnsafeRawBufferPointer, _ direction: Direction, now: Instant
    ) -> UInt64? {
        let address = UInt64(frame.longWord(6)) << 16 | UInt64(frame.word(10))
        if direction == .received, ownAddresses.contains(address) { return warn(of: address, now: now) }
        let slot = Int((address &* 0x9E37_79B9_7F4A_7C15) >> 54)
        guard var host = hosts[slot], host.address == address else {
            hosts[slot] = Host(address: address, direction: direction, since: now)
            return nil
        }
        guard host.direction != direction else { return nil }
        host.direction = direction
        if now - host.since > Self.period { (host.changes, host.since) = (0, now) }
        host.changes += 1
        hosts[slot] = host
        return host.changes >= Self.suspiciousChanges ? warn(of: address, now: now) : nil
    }

    private mutating func warn(of address: UInt64, now: Instant) -> UInt64? {
        guard lastWarning.map({ now - $0 > Self.period * 6 }) ?? true else { return nil }
        lastWarning = now
        return address
    }
}
