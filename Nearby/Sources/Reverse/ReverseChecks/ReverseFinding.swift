// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// A problem in the reverse DNS of a block.
public struct ReverseFinding: Hashable, Sendable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Names cannot be resolved, or mail servers will reject the address.
        case error
        /// The names resolve for most clients, or for now.
        case warning
        /// The names resolve; the finding is informational.
        case note

        /// Returns whether the first severity is higher: errors sort before warnings, and warnings before notes.
        public static func < (one: Severity, other: Severity) -> Bool {
            switch (one, other) {
            case (.error, .warning), (.error, .note), (.warning, .note): true
            default: false
            }
        }
    }

    /// The kinds of problems.
    public enum Kind: Hashable, Sendable {
        // The problems of an address.

        /// The parent has no CNAME record for the address, although it has CNAME records for other addresses.
        case noAlias
        /// The parent has a PTR record for the address, although it has CNAME records for other addresses.
        case pointerInParent
        /// The CNAME record has a different target than the pattern of the other addresses requires.
        case wrongAlias(DomainName, expected: DomainName)
        /// Several aliases form a chain. Holds the targets of the aliases, in order.
        case aliasChain([DomainName])
        /// The aliases form a loop. Holds the targets of the aliases, in order.
        case aliasLoop([DomainName])
        /// A host has the address, but the address has no PTR record.
        case noPointer(host: DomainName)
        /// The address has more than one PTR record. Holds the names.
        case severalPointers([DomainName])
        /// The PTR record names an alias. Also holds the target of the alias.
        case pointerToAlias(DomainName, of: DomainName)
        /// The host name in the PTR record has no address of the same IP version.
        case noForward(DomainName)
        /// The host name in the PTR record has only other addresses. Holds these addresses.
        case forwardMismatch(DomainName, [IPAddress])
        /// The servers could not answer a query for a name. Holds the reason.
        case noAnswer(DomainName, String)

        // The problems of a zone.

        /// Aliases point into a zone that the parent does not delegate and that has no records.
        case notDelegated
        /// No address of the block has an alias or a PTR record.
        case nothingFound
        /// The zone of a file is unrelated: it contains no reverse name of the block, and no alias of the block points
        /// into it.
        case unrelated
        /// A server of the zone does not respond.
        case silentServer(DomainName, IPAddress)
        /// A server of the zone responds with an error.
        case refusingServer(DomainName, IPAddress, DNSResponseCode)
        /// A server of the zone is not authoritative for it.
        case notAuthoritative(DomainName, IPAddress)
        /// The servers have different versions of the zone. Holds the serials by server name.
        case differentSerials([DomainName: ZoneSerial])
        /// The parent zone and the zone have different NS records. Holds the servers that only one of them specifies.
        case differentServers(parentOnly: [DomainName], zoneOnly: [DomainName])
        /// The name of a server is an alias. Also holds the target of the alias.
        case serverIsAlias(DomainName, of: DomainName)
        /// The name of a server has no address.
        case serverWithoutAddress(DomainName)
        /// The zone has only one server.
        case oneServer(DomainName)
        /// Another delegation also covers addresses of the block. Holds its zone.
        case overlap(DomainName)
        /// The zone name contains a slash.
        case slashLabel
        /// The time to live of records is less than a minute or more than a week.
        case unusualTime(DomainName, DNSRecordType, seconds: UInt32)
        /// Records of the same name and type have different times to live.
        case differentTimes(DomainName, DNSRecordType)
        /// Secondary servers stop serving the zone before they check for a new version.
        case shortExpiry(StartOfAuthority)
        /// The serial looks like a future date.
        case serialAhead(ZoneSerial)
    }

    /// The subject of a finding: an address or a zone.
    public enum Subject: Hashable, Sendable {
        /// An address in the block.
        case address(IPAddress)
        /// A zone involved in the reverse DNS of the block.
        case zone(DomainName)
    }

    /// The subject of the finding.
    public let subject: Subject
    /// The kind of the problem.
    public let kind: Kind

    /// Creates a finding about an address or a zone.
    public init(_ subject: Subject, _ kind: Kind) { (self.subject, self.kind) = (subject, kind) }
}

extension ReverseFinding.Subject: CustomStringConvertible {
    /// The address or the zone name.
    public var description: String {
        switch self {
        case .address(let address): address.description
        case .zone(let zone): zone.description
        }
    }
}
