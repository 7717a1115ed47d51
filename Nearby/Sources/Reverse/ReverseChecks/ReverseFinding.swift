// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// A mistake that a check finds in the reverse names of a block.
public struct ReverseFinding: Hashable, Sendable {
    /// How severe a finding is.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Names are not found, or mail servers will refuse the address.
        case error
        /// The names work for most clients, or at present.
        case warning
        /// The names work; the finding is for information.
        case note

        /// Whether the first one is more severe: an error comes before a warning, and a warning before a note.
        public static func < (one: Severity, other: Severity) -> Bool {
            switch (one, other) {
            case (.error, .warning), (.error, .note), (.warning, .note): true
            default: false
            }
        }
    }

    /// The kinds of mistakes.
    public enum Kind: Hashable, Sendable {
        // Of an address.

        /// The parent has no CNAME record for the address, but has them for others.
        case noAlias
        /// The parent has a PTR record for the address itself, where others have CNAME records.
        case pointerInParent
        /// The CNAME record leads to another name than the pattern of the other addresses demands.
        case wrongAlias(DomainName, expected: DomainName)
        /// Several aliases follow each other. Holds the names to which they lead, in their order.
        case aliasChain([DomainName])
        /// Aliases lead back to a name before them. Holds the names to which they lead, in their order.
        case aliasLoop([DomainName])
        /// A host has the address, but the address has no PTR record.
        case noPointer(host: DomainName)
        /// The address has more than one PTR record. Holds the names.
        case severalPointers([DomainName])
        /// The PTR record names an alias. Holds the name to which it leads too.
        case pointerToAlias(DomainName, of: DomainName)
        /// The name of the PTR record has no address of the same kind, IPv4 or IPv6.
        case noForward(DomainName)
        /// The name of the PTR record has only other addresses, which are listed.
        case otherForward(DomainName, [IPAddress])
        /// The servers could not answer for a name. Holds the reason.
        case noAnswer(DomainName, String)

        // Of a zone.

        /// Aliases lead into a zone that the parent does not delegate and that has no records.
        case notDelegated
        /// No address of the block has an alias or a PTR record.
        case nothingFound
        /// A zone's file was given, and no reverse name of the block is in the zone or leads there.
        case unrelated
        /// A server of the zone does not respond.
        case silentServer(DomainName, IPAddress)
        /// A server of the zone responds with an error.
        case refusingServer(DomainName, IPAddress, DNSResponseCode)
        /// A server of the zone has no authority for it.
        case notAuthoritative(DomainName, IPAddress)
        /// Servers of the zone have different versions of it. Holds the serials by the names of the servers.
        case differentSerials([DomainName: ZoneSerial])
        /// The parent names other servers than the zone itself. Holds the servers that only one of them names.
        case differentServers(parentOnly: [DomainName], zoneOnly: [DomainName])
        /// The name of a server is an alias. Holds the name to which it leads too.
        case serverIsAlias(DomainName, of: DomainName)
        /// The name of a server has no address.
        case serverWithoutAddress(DomainName)
        /// The zone has one server only.
        case oneServer(DomainName)
        /// Another delegation has addresses of the block too. Holds its zone.
        case overlap(DomainName)
        /// The name of the zone has a slash.
        case slashLabel
        /// The time to live of records is less than a minute or more than a week.
        case unusualTime(DomainName, DNSRecordType, seconds: UInt32)
        /// Records of the same name and type have different times to live.
        case differentTimes(DomainName, DNSRecordType)
        /// Secondary servers stop serving the zone before they ask for a new version.
        case shortExpiry(StartOfAuthority)
        /// The serial looks like a day that is to come.
        case serialAhead(ZoneSerial)
    }

    /// The subject of a finding: an address or a zone.
    public enum Subject: Hashable, Sendable {
        /// An address of the block.
        case address(IPAddress)
        /// A zone on the way to the reverse names.
        case zone(DomainName)
    }

    /// The subject of the finding.
    public let subject: Subject
    /// The kind of the mistake.
    public let kind: Kind

    /// Makes a finding about an address or a zone.
    public init(_ subject: Subject, _ kind: Kind) { (self.subject, self.kind) = (subject, kind) }
}

extension ReverseFinding.Subject: CustomStringConvertible {
    /// The address, or the name of the zone.
    public var description: String {
        switch self {
        case .address(let address): address.description
        case .zone(let zone): zone.description
        }
    }
}
