// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

/// The source and destination of a received packet.
package struct PacketSource: Hashable, Sendable {
    package let endpoint: Endpoint
    package let link: Link
    /// Whether the packet was sent to the multicast group, rather than to an address of this host.
    package let isMulticast: Bool

    package init(_ endpoint: Endpoint, on link: Link, isMulticast: Bool) {
        (self.endpoint, self.link, self.isMulticast) = (endpoint, link, isMulticast)
    }

    /// Returns whether the packet came from the local link (RFC 6762 section 11).
    ///
    /// Routers do not forward the multicast DNS groups. A packet to an address of this host can come from anywhere.
    func isOnLink(_ addresses: [InterfaceAddress]) -> Bool {
        let isLinkLocal =
            !endpoint.address.isIPv4 && endpoint.address.bytes[0] == 0xFE
            && endpoint.address.bytes[1] & 0xC0 == 0x80
        return isMulticast || isLinkLocal || addresses.contains { $0.isOnSameNetwork(as: endpoint.address) }
    }
}

/// Limits the number of packets read on a link, so that a flood costs bounded time.
struct PacketBudget: Sendable {
    private static let perSecond = 1000.0
    private static let burst = 4000.0
    private var remaining = burst
    private var updated: Instant

    init(at now: Instant) { updated = now }

    mutating func spend(at now: Instant) -> Bool {
        remaining = min(Self.burst, remaining + updated.duration(to: now) / .seconds(1) * Self.perSecond)
        updated = now
        guard remaining >= 1 else { return false }
        remaining -= 1
        return true
    }
}
