// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
package import DNSNames

/// A service that this host announces (RFC 6763 section 4).
package struct AnnouncedService: Hashable, Sendable {
    /// The name that users see, at most 63 bytes of UTF-8.
    package var label: String
    /// The type with its domain, such as `_http._tcp.local.`.
    package let type: DomainName
    /// The labels of the subtypes, such as `_printer` (RFC 6763 section 7.1).
    package let subtypes: [String]
    package let port: UInt16
    package var text: [[UInt8]]

    package init(label: String, type: DomainName, subtypes: [String], port: UInt16, text: [[UInt8]]) {
        (self.label, self.type, self.subtypes, self.port, self.text) = (label, type, subtypes, port, text)
    }

    /// The name of a service, compared case-insensitively.
    struct Instance: Hashable {
        let label: String
        let type: DomainName
    }

    var instance: Instance { Instance(label: label.lowercased(), type: type) }

    /// Returns the claim with the records of the service on this host.
    func claim(_ id: Claim.ID, host: DomainName) throws(DomainNameError) -> Claim {
        let instance = try type.adding(label)
        func pointer(_ name: DomainName, _ target: DomainName) -> DNSRecord {
            DNSRecord(name, .pointer(target), timeToLive: MulticastDNS.timeToLive)
        }
        var shared = [pointer(type, instance), pointer(try AnnouncedService.types(near: type), type)]
        for subtype in subtypes {
            shared.append(pointer(try type.adding("_sub").adding(subtype), instance))
        }
        return Claim(
            id, instance,
            unique: [
                DNSRecord(
                    instance, .service(ServiceLocation(port: port, target: host)),
                    timeToLive: MulticastDNS.hostTimeToLive),
                DNSRecord(instance, .text(text), timeToLive: MulticastDNS.timeToLive),
            ], shared: shared)
    }

    /// Returns the name that lists all service types of a domain (RFC 6763 section 9).
    private static func types(near type: DomainName) throws(DomainNameError) -> DomainName {
        try DomainName(labels: ["_services", "_dns-sd", "_udp"].map { Array($0.utf8) } + type.labels.dropFirst(2))
    }
}
