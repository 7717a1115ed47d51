// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSNames

/// The host, port, addresses and attributes of a service.
///
/// Neither the host name nor the service name is authenticated: verify the certificate against a name or key that the
/// user knows from elsewhere.
public struct ResolvedService: Hashable, Sendable {
    /// The service.
    public let instance: ServiceInstance
    /// The host name, such as `printer.local.`.
    public let host: DomainName
    /// The port.
    public let port: UInt16
    /// The addresses of the host, IPv4 first.
    public let addresses: [ScopedAddress]
    /// The attributes.
    public let attributes: ServiceAttributes
}

/// An address, with an interface if the address needs one.
public struct ScopedAddress: Hashable, Sendable {
    /// The address.
    public let address: IPAddress
    /// The interface of a link-local IPv6 address (RFC 4007); `nil` for any other address.
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
