// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

/// How a packet came.
package struct PacketSource: Hashable, Sendable {
    package let endpoint: Endpoint
    package let link: Link
    /// Whether it was sent to all on the link, and not to an address of this host.
    package let isMulticast: Bool

    package init(_ endpoint: Endpoint, on link: Link, isMulticast: Bool) {
        (self.endpoint, self.link, self.isMulticast) = (endpoint, link, isMulticast)
    }

    /// Whether the packet came from the link itself (RFC 6762 section 11).
    ///
    /// Routers do not pass on the groups of multicast DNS. A packet to an address of this host can come from anywhere.
    func isOnLink(_ addresses: [InterfaceAddress]) -> Bool {
        let isLinkLocal =
            !endpoint.address.isIPv4 && endpoint.address.bytes[0] == 0xFE
            && endpoint.address.bytes[1] & 0xC0 == 0x80
        return isMulticast || isLinkLocal || addresses.contains { $0.isOnSameNetwork(as: endpoint.address) }
    }
}

/// Limits how many packets of a link are read, so that a flood costs a bounded time.
struct PacketBudget: Sendable {
    private static let perSecond = 1000.0
    private static let burst = 4000.0
    private var left = burst
    private var updated: Instant

    init(at now: Instant) { updated = now }

    mutating func spend(at now: Instant) -> Bool {
        left = min(Self.burst, left + updated.duration(to: now) / .seconds(1) * Self.perSecond)
        updated = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
