// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames
public import ReverseZones

/// Where a check gets records from: zone files, or servers.
public protocol RecordSource: Sendable {
    /// What a resolver says to a question, with the aliases on the way.
    func answer(to question: DNSQuestion) async throws -> RecordAnswer

    /// The zone that a name is in; `nil` where that is not known.
    func zone(of name: DomainName) async throws -> DomainName?

    /// What both sides say of the servers of a zone.
    func delegation(of zone: DomainName) async throws -> DelegationView

    /// The addresses of a block that have PTR records, found without asking for each address.
    func addresses(of block: AddressBlock) async throws -> [IPAddress]
}

/// What is known of the records of a name and type.
public struct RecordAnswer: Hashable, Sendable {
    /// What became of the question.
    public enum Outcome: Hashable, Sendable {
        /// There are records.
        case found
        /// The name has no records of the type.
        case noRecords
        /// There is no such name.
        case noName
        /// The servers could not say; holds what they answered, as programs of DNS print it.
        case failed(String)
        /// The name is in none of the zones that are known.
        case unknown
    }

    /// What became of the question.
    public let outcome: Outcome
    /// The aliases from name to name, and the records of the name that the last one leads to.
    public let records: [DNSRecord]
    /// Whether the times of the records are those of the zone, and not what is left of them in a resolver.
    public let hasOriginalTimes: Bool

    /// An answer of its parts.
    public init(_ outcome: Outcome, _ records: [DNSRecord] = [], hasOriginalTimes: Bool) {
        (self.outcome, self.records, self.hasOriginalTimes) = (outcome, records, hasOriginalTimes)
    }
}

/// What both sides say of the servers of a zone.
public struct DelegationView: Hashable, Sendable {
    /// The zone.
    public let zone: DomainName
    /// The servers that the parent's zone names; `nil` where that is not known.
    public var parentServers: Set<DomainName>?
    /// What is known of each address of each server that one of the sides names.
    public var servers: [ServerView] = []

    /// A view of nothing yet.
    public init(of zone: DomainName) { self.zone = zone }
}

/// What is known of a name server of a zone.
public struct ServerView: Hashable, Sendable {
    /// How the server does its work.
    public enum State: Hashable, Sendable {
        /// It has authority; holds the SOA and NS records of the zone that it gave.
        case answers([DNSRecord])
        /// It does not respond; says why.
        case silent
        /// It responds with an error.
        case refuses(DNSResponseCode)
        /// It responds without authority.
        case notAuthoritative
        /// Its name is an alias.
        case isAlias(of: DomainName)
        /// Its name has no address.
        case hasNoAddress
        /// It was not asked.
        case notAsked
    }

    /// The name of the server.
    public let host: DomainName
    /// The address at which it was asked; `nil` where it was not.
    public let address: IPAddress?
    /// How it does its work.
    public let state: State

    /// A view of a server.
    public init(_ host: DomainName, at address: IPAddress? = nil, _ state: State) {
        (self.host, self.address, self.state) = (host, address, state)
    }
}
