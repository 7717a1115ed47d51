// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

/// A service found on an interface.
///
/// The name is not authenticated: any computer on the network can claim any name. Trust requires a certificate, as for
/// any other connection.
public struct ServiceInstance: Hashable, Sendable {
    /// The name that users see, in any script (RFC 6763 section 4.1.1).
    public let name: String
    /// The type of the service.
    public let type: ServiceType
    /// The interface on which the service was found; `nil` for a service that the user named, on any interface.
    public let interface: NetworkInterface?

    /// Creates a service instance from its name.
    public init(_ name: String, type: ServiceType, interface: NetworkInterface? = nil) {
        (self.name, self.type, self.interface) = (name, type.base, interface)
    }

    /// Parses a name followed by a type, such as `My Printer._https._tcp`; `.local` may follow.
    ///
    /// The name may contain dots.
    ///
    /// - Throws: ``ServiceDiscoveryError`` if the text does not end with a type, or the name is too long.
    public init(_ text: String) throws(ServiceDiscoveryError) {
        var labels = text.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last == "" { labels.removeLast() }
        if labels.last?.lowercased() == "local" { labels.removeLast() }
        guard labels.count >= 3, labels.dropLast(2).last != "_sub" else { throw .malformedType(text) }
        let type = try ServiceType(labels.suffix(2).joined(separator: "."))
        self.init(labels.dropLast(2).joined(separator: "."), type: type)
        _ = try domainName()
    }

    /// Creates a service from its full domain name; returns `nil` if a label is not UTF-8 or the type is invalid.
    init?(domainName: DomainName, interface: NetworkInterface?) {
        guard let label = domainName.labels.first, let name = String(validating: label, as: UTF8.self),
            let parent = try? DomainName(labels: Array(domainName.labels.dropFirst())),
            let type = ServiceType(domainName: parent)
        else { return nil }
        self.init(name, type: type, interface: interface)
    }

    func domainName() throws(ServiceDiscoveryError) -> DomainName {
        do throws(DomainNameError) {
            return try type.domainName.adding(name)
        } catch {
            throw .malformedName(name)
        }
    }
}

/// A change in the services of a network.
public enum ServiceEvent: Hashable, Sendable {
    /// A service was found.
    case found(ServiceInstance)
    /// The service sent a goodbye packet, its records expired, or its interface is down.
    case lost(ServiceInstance)
}
