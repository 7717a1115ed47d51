// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames
public import ReverseZones

/// The source from which a check gets records: zone files, or servers.
public protocol RecordSource: Sendable {
    /// Answers a question as a resolver does, with the aliases on the way.
    ///
    /// - Parameter question: The question.
    /// - Returns: The answer; a failure of servers is one too.
    /// - Throws: Any error, which ends the check, such as `CancellationError`.
    func answer(to question: DNSQuestion) async throws -> RecordAnswer

    /// Finds the zone that a name is in.
    ///
    /// - Parameter name: The name.
    /// - Returns: The name of the zone; `nil` if that is not known.
    /// - Throws: Any error, which ends the check.
    func zone(of name: DomainName) async throws -> DomainName?

    /// Finds the servers of a zone, as the parent's zone and the zone itself name them.
    ///
    /// - Parameter zone: The name of the zone.
    /// - Returns: The servers and their states.
    /// - Throws: Any error, which ends the check.
    func delegation(of zone: DomainName) async throws -> DelegationView

    /// Finds the addresses of a block that have PTR records, without asking for each address.
    ///
    /// - Parameter block: The addresses.
    /// - Returns: The addresses found.
    /// - Throws: Any error, which ends the check.
    func addresses(of block: AddressBlock) async throws -> [IPAddress]
}

/// The answer to a question for the records of a name and type.
public struct RecordAnswer: Hashable, Sendable {
    /// The result of a question.
    public enum Outcome: Hashable, Sendable {
        /// There are records.
        case found
        /// The name has no records of the type.
        case noRecords
        /// There is no such name.
        case noName
        /// The servers could not answer. Holds the reason, such as the response code as `dig` prints it.
        case failed(String)
        /// The name is in no zone that the source has.
        case unknown
    }

    /// The result of the question.
    public let outcome: Outcome
    /// The aliases from name to name, and the records of the name that the last one leads to.
    public let records: [DNSRecord]
    /// Whether the times to live are those of the zone, and not the rest of them in a resolver's cache.
    public let hasOriginalTimes: Bool

    /// Makes an answer of its parts.
    public init(_ outcome: Outcome, _ records: [DNSRecord] = [], hasOriginalTimes: Bool) {
        (self.outcome, self.records, self.hasOriginalTimes) = (outcome, records, hasOriginalTimes)
    }
}

/// The servers of a zone, as the parent's zone and the zone itself name them.
public struct DelegationView: Hashable, Sendable {
    /// The name of the zone.
    public let zone: DomainName
    /// The servers that the parent's zone names; `nil` if that is not known.
    public var parentServers: Set<DomainName>?
    /// The state of each server that the parent or the zone names, for each of its addresses.
    public var servers: [ServerView] = []

    /// Makes a view without servers.
    public init(of zone: DomainName) { self.zone = zone }
}

/// The state of a name server of a zone, at one of its addresses.
public struct ServerView: Hashable, Sendable {
    /// How a server answers for the zone.
    public enum State: Hashable, Sendable {
        /// The server has authority for the zone. Holds the SOA and NS records that it gave.
        case answers([DNSRecord])
        /// The server does not respond.
        case silent
        /// The server responds with an error. Holds the response code.
        case refuses(DNSResponseCode)
        /// The server responds without authority for the zone.
        case notAuthoritative
        /// The server's name is an alias. Holds the name to which it leads.
        case isAlias(of: DomainName)
        /// The server's name has no address.
        case hasNoAddress
        /// The server was not asked.
        case notAsked
    }

    /// The name of the server.
    public let host: DomainName
    /// The address at which the server was asked; `nil` if it was not asked.
    public let address: IPAddress?
    /// How the server answers for the zone.
    public let state: State

    /// Makes a view of a server.
    public init(_ host: DomainName, at address: IPAddress? = nil, _ state: State) {
        (self.host, self.address, self.state) = (host, address, state)
    }
}
