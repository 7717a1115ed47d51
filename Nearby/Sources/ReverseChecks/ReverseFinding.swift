// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames

/// What a check finds wrong in the reverse names of a block.
public struct ReverseFinding: Hashable, Sendable {
    /// How bad a finding is.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Names are not found, or mail servers will refuse the address.
        case error
        /// It works for most, or now.
        case warning
        /// It works, and one should know it.
        case note

        /// Errors come first.
        public static func < (one: Severity, other: Severity) -> Bool {
            switch (one, other) {
            case (.error, .warning), (.error, .note), (.warning, .note): true
            default: false
            }
        }
    }

    /// What is wrong.
    public enum Kind: Hashable, Sendable {
        // Of an address.

        /// The parent has no CNAME record for the address, but has them for others.
        case noAlias
        /// The parent has a PTR record for the address itself, where others have CNAME records.
        case pointerInParent
        /// The CNAME record leads to another name than those of the other addresses let expect.
        case wrongAlias(DomainName, expected: DomainName)
        /// Several aliases follow each other.
        case aliasChain([DomainName])
        /// Aliases lead back to where they came from.
        case aliasLoop([DomainName])
        /// A host has the address, but the address has no PTR record.
        case noPointer(host: DomainName)
        /// The address has more than one PTR record.
        case severalPointers([DomainName])
        /// The PTR record names an alias.
        case pointerToAlias(DomainName, of: DomainName)
        /// The name of the PTR record has no address.
        case noForward(DomainName)
        /// The name of the PTR record has other addresses only.
        case otherForward(DomainName, [IPAddress])
        /// The servers could not say what is at a name.
        case noAnswer(DomainName, String)

        // Of a zone.

        /// Aliases lead into a zone that the parent does not delegate and that has no records.
        case notDelegated
        /// No address of the block has an alias or a PTR record.
        case nothingFound
        /// A server of the zone does not respond.
        case silentServer(DomainName, IPAddress)
        /// A server of the zone responds with an error.
        case refusingServer(DomainName, IPAddress, DNSResponseCode)
        /// A server of the zone has no authority for it.
        case notAuthoritative(DomainName, IPAddress)
        /// Servers of the zone have different versions of it.
        case differentSerials([DomainName: ZoneSerial])
        /// The parent names other servers than the zone itself.
        case differentServers(parentOnly: [DomainName], zoneOnly: [DomainName])
        /// The name of a server is an alias.
        case serverIsAlias(DomainName, of: DomainName)
        /// The name of a server has no address.
        case serverWithoutAddress(DomainName)
        /// The zone has one server only.
        case oneServer(DomainName)
        /// Another delegation has addresses of the block too.
        case overlap(DomainName)
        /// The name of the zone has a slash.
        case slashLabel
        /// Records are kept for less than a minute or more than a week.
        case unusualTime(DomainName, DNSRecordType, seconds: UInt32)
        /// Records of the same name and type are kept for different times.
        case differentTimes(DomainName, DNSRecordType)
        /// Secondary servers stop to serve the zone before they ask for a new version.
        case shortExpiry(StartOfAuthority)
        /// The serial looks like a day that is to come.
        case serialAhead(ZoneSerial)
    }

    /// What the finding is about.
    public enum Subject: Hashable, Sendable {
        case address(IPAddress)
        case zone(DomainName)
    }

    /// What the finding is about.
    public let subject: Subject
    /// What is wrong.
    public let kind: Kind

    /// A finding about an address or a zone.
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
