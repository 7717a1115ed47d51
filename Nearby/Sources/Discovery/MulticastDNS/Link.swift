// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import DNSNames

/// A network interface with one of the two IP versions.
///
/// Multicast DNS treats each link as a separate network, with its own cache and probes (RFC 6762 section 14).
package struct Link: Hashable, Sendable {
    /// The system's index of the interface.
    package let interface: Int
    package let isIPv4: Bool

    package init(interface: Int, isIPv4: Bool) { (self.interface, self.isIPv4) = (interface, isIPv4) }
}

/// An address of an interface, with the prefix length of its network.
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

/// The source or destination of a message.
package struct Endpoint: Hashable, Sendable {
    package let address: IPAddress
    package let port: UInt16

    package init(_ address: IPAddress, port: UInt16) { (self.address, self.port) = (address, port) }

    var isLegacy: Bool { port != MulticastDNS.port }
}

/// The destination of a message.
package enum Destination: Hashable, Sendable {
    /// All hosts on the link.
    case multicast
    case unicast(Endpoint)
}

/// A message to send.
package struct OutgoingMessage: Hashable, Sendable {
    package let destination: Destination
    package let bytes: [UInt8]
}

/// The constants of multicast DNS.
package enum MulticastDNS {
    package static let port: UInt16 = 5353
    /// The multicast groups of RFC 6762 section 3.
    package static let group4 = IPAddress("224.0.0.251")
    package static let group6 = IPAddress("ff02::fb")
    /// The time to live of records whose owner or data is a host name, in seconds (RFC 6762 section 10).
    static let hostTimeToLive: UInt32 = 120
    /// The time to live of other records, in seconds.
    static let timeToLive: UInt32 = 4500
    /// The maximum packet size including headers, in bytes (RFC 6762 section 17).
    static let maximumPacketLength = 9000
}
