// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The policies of servers: one for each named domain, and one for all others.
public struct DomainPolicies: Hashable, Sendable {
    /// One domain and its policy.
    public struct Entry: Hashable, Sendable {
        /// The domain: a name or an address.
        public let domain: HostName
        /// Whether the policy applies to names below the domain too, unless a longer entry does.
        ///
        /// An address has no names below it.
        public let includesSubdomains: Bool
        /// The policy.
        public let policy: ServerPolicy

        /// Makes an entry for a domain and, with subdomains, for the names below it.
        public init(domain: HostName, includesSubdomains: Bool = false, policy: ServerPolicy) {
            self.domain = domain
            self.includesSubdomains = includesSubdomains && !domain.isAddress
            self.policy = policy
        }
    }

    /// The policy of hosts without an entry.
    public var fallback: ServerPolicy
    private var entriesByDomain: [HostName: Entry] = [:]

    /// Makes policies; of several entries for one domain, the last one counts.
    public init(fallback: ServerPolicy = ServerPolicy(), entries: [Entry] = []) {
        self.fallback = fallback
        for entry in entries { entriesByDomain[entry.domain] = entry }
    }

    /// Every entry, sorted by the name of its domain.
    public var entries: [Entry] { entriesByDomain.values.sorted { $0.domain.description < $1.domain.description } }

    /// Sets an entry, which replaces the one of its domain.
    public mutating func set(_ entry: Entry) {
        entriesByDomain[entry.domain] = entry
    }

    /// The entry for exactly this host, or for the longest domain above it that includes subdomains; `nil` where there is neither.
    public func entry(for host: HostName) -> Entry? {
        entriesByDomain[host] ?? entryAbove(host)
    }

    /// The entry of the longest domain above a host that includes subdomains; `nil` for none, and for an address.
    public func entryAbove(_ host: HostName) -> Entry? {
        guard !entriesByDomain.isEmpty else { return nil }
        var domain = host.parent
        while let current = domain {
            if let entry = entriesByDomain[current], entry.includesSubdomains { return entry }
            domain = current.parent
        }
        return nil
    }

    /// The policy of the entry that applies to a host, or ``fallback``.
    public func policy(for host: HostName) -> ServerPolicy { entry(for: host)?.policy ?? fallback }
}
