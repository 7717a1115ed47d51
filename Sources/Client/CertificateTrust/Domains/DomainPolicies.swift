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
        /// The policy of a proxy at the domain.
        let proxyPolicy: ServerPolicy

        /// Makes an entry for a domain and, with subdomains, for the names below it.
        public init(domain: HostName, includesSubdomains: Bool = false, policy: ServerPolicy) {
            self.init(domain: domain, includesSubdomains: includesSubdomains, policy: policy, proxyPolicy: policy)
        }

        init(domain: HostName, includesSubdomains: Bool = false, policy: ServerPolicy, proxyPolicy: ServerPolicy) {
            self.domain = domain
            self.includesSubdomains = includesSubdomains && !domain.isAddress
            (self.policy, self.proxyPolicy) = (policy, proxyPolicy)
        }
    }

    /// The policy of hosts without an entry.
    public var fallback: ServerPolicy
    /// The entries of one host each.
    private var hosts: [HostName: Entry] = [:]
    /// The entries that include subdomains.
    private var domains: [HostName: Entry] = [:]

    /// Makes policies; entries are set one after another, as by ``set(_:)``.
    public init(fallback: ServerPolicy = ServerPolicy(), entries: [Entry] = []) {
        self.fallback = fallback
        for entry in entries { set(entry) }
    }

    /// Every entry, sorted by the name of its domain; an entry with subdomains comes after that of the domain alone.
    public var entries: [Entry] {
        (Array(hosts.values) + Array(domains.values)).sorted {
            ($0.domain.description, $0.includesSubdomains ? 1 : 0) < (
                $1.domain.description, $1.includesSubdomains ? 1 : 0
            )
        }
    }

    /// Sets an entry, which replaces the one of its domain with the same ``Entry/includesSubdomains``.
    ///
    /// Where a domain has both, the one with subdomains is for the names below it.
    public mutating func set(_ entry: Entry) {
        if entry.includesSubdomains { domains[entry.domain] = entry } else { hosts[entry.domain] = entry }
    }

    /// The entry for exactly this host, or for the longest domain above it that includes subdomains; `nil` where there is neither.
    public func entry(for host: HostName) -> Entry? {
        hosts[host] ?? domains[host] ?? entryAbove(host)
    }

    /// The entry of the longest domain above a host that includes subdomains; `nil` for none, and for an address.
    public func entryAbove(_ host: HostName) -> Entry? {
        guard !domains.isEmpty else { return nil }
        var domain = host.parent
        while let current = domain {
            if let entry = domains[current] { return entry }
            domain = current.parent
        }
        return nil
    }

    /// The policy of the entry that applies to a host, or ``fallback``.
    public func policy(for host: HostName) -> ServerPolicy { entry(for: host)?.policy ?? fallback }

    /// The policy of the entry that applies to a proxy, or ``fallback`` without its methods and pins, which are for origins alone.
    package func proxyPolicy(for host: HostName) -> ServerPolicy {
        if let entry = entry(for: host) { return entry.proxyPolicy }
        var policy = fallback
        policy.methods = .all
        policy.trust.pins = []
        return policy
    }
}
