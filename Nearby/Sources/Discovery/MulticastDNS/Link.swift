// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import DNSNames

/// A network interface with one of its two protocols.
///
/// Each is a separate network to multicast DNS, with its own cache and its own probes (RFC 6762 section 14).
package struct Link: Hashable, Sendable {
    /// The index that the system has given to the interface.
    package let interface: Int
    package let isIPv4: Bool

    package init(interface: Int, isIPv4: Bool) { (self.interface, self.isIPv4) = (interface, isIPv4) }
}

/// An address of an interface, and how many of its first bits the addresses of its network share.
package struct InterfaceAddress: Hashable, Sendable {
    package let address: IPAddress
    package let prefixLength: Int

    package init(_ address: IPAddress, prefixLength: Int) {
        (self.address, self.prefixLength) = (address, prefixLength)
    }

    func isOnSameNetwork(as other: IPAddress) -> Bool {
        guard address.isIPv4 == other.isIPv4 else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let bits = min(max(prefixLength - index * 8, 0), 8)
            return (pair.0 ^ pair.1) >> (8 - bits) == 0
        }
    }
}

/// Where a message came from or goes to.
package struct Endpoint: Hashable, Sendable {
    package let address: IPAddress
    package let port: UInt16

    package init(_ address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }

    var isLegacy: Bool { port != MulticastDNS.port }
}

/// Where a message goes to.
package enum Destination: Hashable, Sendable {
    /// All on the link.
    case multicast
    case unicast(Endpoint)
}

/// A message that is to be sent.
package struct OutgoingMessage: Hashable, Sendable {
    package let destination: Destination
    package let bytes: [UInt8]
}

/// The numbers of multicast DNS.
package enum MulticastDNS {
    package static let port: UInt16 = 5353
    /// The groups of RFC 6762 section 3.
    package static let group4 = IPAddress("224.0.0.251")
    package static let group6 = IPAddress("ff02::fb")
    /// How long records may be kept that hold the name of a host or are found there, in seconds (RFC 6762 section 10).
    static let hostTimeToLive: UInt32 = 120
    /// How long other records may be kept, in seconds.
    static let timeToLive: UInt32 = 4500
    /// The largest message with its headers, in bytes (RFC 6762 section 17).
    static let largestPacket = 9000
}
