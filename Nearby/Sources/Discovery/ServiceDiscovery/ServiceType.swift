// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

/// A service type, such as `_https._tcp` (RFC 6763 section 7).
public struct ServiceType: Hashable, Sendable {
    /// The protocol name, with its underscore.
    public let name: String
    /// Whether the service uses TCP; otherwise it uses UDP or another protocol (RFC 6763 section 7).
    public let usesTCP: Bool
    /// The subtype, such as `_printer` (RFC 6763 section 7.1).
    public let subtype: String?

    /// Parses a type: `_https._tcp`, or `_printer._sub._http._tcp` with a subtype; `.local` may follow.
    ///
    /// - Throws: ``ServiceDiscoveryError/malformedType(_:)``.
    public init(_ text: String) throws(ServiceDiscoveryError) {
        var labels = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if labels.last == "" { labels.removeLast() }
        if labels.last?.lowercased() == "local" { labels.removeLast() }
        var subtype: String?
        if labels.count == 4, labels[1].lowercased() == "_sub" {
            subtype = labels[0]
            labels.removeFirst(2)
        }
        guard labels.count == 2, let name = labels.first, name.hasPrefix("_"), (2...63).contains(name.utf8.count),
            ["_tcp", "_udp"].contains(labels[1].lowercased()), subtype.map({ (1...63).contains($0.utf8.count) }) ?? true
        else { throw .malformedType(text) }
        (self.name, self.usesTCP, self.subtype) = (name, labels[1].lowercased() == "_tcp", subtype)
    }

    private init(name: String, usesTCP: Bool, subtype: String?) {
        (self.name, self.usesTCP, self.subtype) = (name, usesTCP, subtype)
    }

    /// The type without its subtype.
    public var base: ServiceType { ServiceType(name: name, usesTCP: usesTCP, subtype: nil) }

    /// The domain name to query for services of the type.
    var domainName: DomainName {
        let labels = (subtype.map { [$0, "_sub"] } ?? []) + [name, usesTCP ? "_tcp" : "_udp", "local"]
        // The labels were validated, and are short.
        return (try? DomainName(labels: labels.map { Array($0.utf8) })) ?? .root
    }

    /// The domain name that lists the service types (RFC 6763 section 9).
    static let enumeration =
        (try? DomainName(labels: ["_services", "_dns-sd", "_udp", "local"].map { Array($0.utf8) })) ?? .root

    /// - Returns: `nil` if the name is not a service type below `local.`.
    init?(domainName: DomainName) {
        let labels = domainName.labels.compactMap { String(validating: $0, as: UTF8.self) }
        guard labels.count == 3, labels.count == domainName.labels.count, !labels.contains(where: { $0.contains(".") }),
            let type = try? ServiceType(labels.joined(separator: "."))
        else { return nil }
        self = type
    }
}

extension ServiceType: CustomStringConvertible {
    /// The type as text, such as `_https._tcp`.
    public var description: String {
        (subtype.map { $0 + "._sub." } ?? "") + name + (usesTCP ? "._tcp" : "._udp")
    }
}
