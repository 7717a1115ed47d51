// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import DNSMessages
public import DNSNames
public import ReverseZones

/// A source of DNS records for a check: zone files or servers.
public protocol RecordSource: Sendable {
    /// Answers a question as a resolver does, including the aliases of the chain.
    ///
    /// - Parameter question: The question.
    /// - Returns: The answer, which may also be a server failure.
    /// - Throws: Any error, which stops the check, such as `CancellationError`.
    func answer(to question: DNSQuestion) async throws -> RecordAnswer

    /// Returns the zone that contains a name.
    ///
    /// - Parameter name: The name.
    /// - Returns: The name of the zone; `nil` if it is unknown.
    /// - Throws: Any error, which stops the check.
    func zone(of name: DomainName) async throws -> DomainName?

    /// Returns the servers of a zone, as specified by the parent zone and the zone itself.
    ///
    /// - Parameter zone: The name of the zone.
    /// - Returns: The servers and their states.
    /// - Throws: Any error, which stops the check.
    func delegation(of zone: DomainName) async throws -> DelegationView

    /// Returns the addresses of a block that have PTR records, without a query for each address.
    ///
    /// - Parameter block: The address block.
    /// - Returns: The addresses with PTR records.
    /// - Throws: Any error, which stops the check.
    func addresses(of block: AddressBlock) async throws -> [IPAddress]
}

/// The answer to a question for the records of a name and type.
public struct RecordAnswer: Hashable, Sendable {
    /// The outcome of a question.
    public enum Outcome: Hashable, Sendable {
        /// There are records.
        case found
        /// The name has no records of the type (NODATA).
        case noRecords
        /// The name does not exist (NXDOMAIN).
        case noName
        /// The servers could not answer. Holds the reason, such as the response code as `dig` prints it.
        case failed(String)
        /// The source has no zone that contains the name.
        case unknown
    }

    /// The outcome of the question.
    public let outcome: Outcome
    /// The aliases in the chain, and the records of the last name.
    public let records: [DNSRecord]
    /// Whether the times to live are the original ones of the zone, rather than the remaining ones of a resolver's
    /// cache.
    public let hasOriginalTimes: Bool

    /// Creates an answer from its parts.
    public init(_ outcome: Outcome, _ records: [DNSRecord] = [], hasOriginalTimes: Bool) {
        (self.outcome, self.records, self.hasOriginalTimes) = (outcome, records, hasOriginalTimes)
    }
}

/// The servers of a zone, as specified by the parent zone and the zone itself.
public struct DelegationView: Hashable, Sendable {
    /// The name of the zone.
    public let zone: DomainName
    /// The servers in the parent zone; `nil` if unknown.
    public var parentServers: Set<DomainName>?
    /// The state of each server that the parent or the zone specifies, for each of its addresses.
    public var servers: [ServerView] = []

    /// Creates a view without servers.
    public init(of zone: DomainName) { self.zone = zone }
}

/// The state of a name server of a zone, at one of its addresses.
public struct ServerView: Hashable, Sendable {
    /// The response of a server for the zone.
    public enum State: Hashable, Sendable {
        /// The server is authoritative for the zone. Holds its SOA and NS records.
        case answers([DNSRecord])
        /// The server does not respond.
        case silent
        /// The server responds with an error. Holds the response code.
        case refuses(DNSResponseCode)
        /// The server responds without authority for the zone.
        case notAuthoritative
        /// The server's name is an alias. Holds the target of the alias.
        case isAlias(of: DomainName)
        /// The server's name has no address.
        case hasNoAddress
        /// The server was not queried.
        case notAsked
    }

    /// The name of the server.
    public let host: DomainName
    /// The queried address of the server; `nil` if it was not queried.
    public let address: IPAddress?
    /// The response of the server for the zone.
    public let state: State

    /// Creates a view of a server.
    public init(_ host: DomainName, at address: IPAddress? = nil, _ state: State) {
        (self.host, self.address, self.state) = (host, address, state)
    }
}
