// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// Where a service is, and what it says about itself.
///
/// The host's name is not authenticated, as the service's own name is not: check a certificate against a name or a key that the user knows from elsewhere.
public struct ResolvedService: Hashable, Sendable {
    /// The service.
    public let instance: ServiceInstance
    /// The host's name, such as `printer.local.`.
    public let host: DomainName
    /// The port.
    public let port: UInt16
    /// The host's addresses, those of IPv4 first.
    public let addresses: [ScopedAddress]
    /// The attributes.
    public let attributes: ServiceAttributes
}

/// An address, with the interface where it needs one.
public struct ScopedAddress: Hashable, Sendable {
    /// The address.
    public let address: IPAddress
    /// The interface on which a link-local address of IPv6 is reached (RFC 4007); `nil` for any other one.
    public let scope: NetworkInterface?

    init(_ address: IPAddress, on interface: NetworkInterface?) {
        self.address = address
        scope = !address.isIPv4 && address.bytes.prefix(2).elementsEqual([0xFE, 0x80]) ? interface : nil
    }
}

extension ScopedAddress: CustomStringConvertible {
    /// The address as text, such as `fe80::1%eth0` (RFC 4007 section 11).
    public var description: String { address.description + (scope.map { "%" + $0.name } ?? "") }
}
