// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import WireGuardProtocol

/// Detects that the segments are also connected outside the tunnel, so that frames loop.
///
/// A host's address belongs to one side of the tunnel. In a loop, its frames repeatedly come out of the tunnel on the
/// side on which they were sent; for a host that moves, this happens only once.
struct LoopDetector {
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

    /// The MAC addresses of this side's interfaces, which no frame from the tunnel may have as its source unless there
    /// is a loop.
    private let ownAddresses: [UInt64]
    private var hosts: [Host?] = Array(repeating: nil, count: slots)
    private var lastWarning: Instant?

    init(ownAddresses: Set<UInt64>) { self.ownAddresses = Array(ownAddresses) }

    /// Records a frame's source address.
    ///
    /// - Returns: The address if it is in a loop; at most once a minute.
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
