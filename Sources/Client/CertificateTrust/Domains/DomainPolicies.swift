// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The server policies: one for each named domain, and a fallback for all others.
public struct DomainPolicies: Hashable, Sendable {
    /// One domain and its policy.
    public struct Entry: Hashable, Sendable {
        /// The domain: a DNS name or an IP address.
        public let domain: HostName
        /// Whether the policy also applies to names below the domain, unless a more specific entry does.
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

    /// The policy for hosts without an entry.
    public var fallback: ServerPolicy
    /// The entries that apply to a single host.
    private var hosts: [HostName: Entry] = [:]
    /// The entries that include subdomains.
    private var domains: [HostName: Entry] = [:]

    /// Makes policies; the entries are set in order, as by ``set(_:)``.
    public init(fallback: ServerPolicy = ServerPolicy(), entries: [Entry] = []) {
        self.fallback = fallback
        for entry in entries { set(entry) }
    }

    /// All entries, sorted by domain; an entry with subdomains follows the entry for the same domain without them.
    public var entries: [Entry] {
        (Array(hosts.values) + Array(domains.values)).sorted {
            ($0.domain.description, $0.includesSubdomains ? 1 : 0) < (
                $1.domain.description, $1.includesSubdomains ? 1 : 0
            )
        }
    }

    /// Sets an entry, replacing the entry of the same domain with the same ``Entry/includesSubdomains``.
    ///
    /// If a domain has both entries, the one with subdomains applies only to the names below it.
    public mutating func set(_ entry: Entry) {
        if entry.includesSubdomains { domains[entry.domain] = entry } else { hosts[entry.domain] = entry }
    }

    /// Returns the entry for exactly this host, or else that of the longest parent domain that includes subdomains;
    /// `nil` if there is none.
    public func entry(for host: HostName) -> Entry? {
        hosts[host] ?? domains[host] ?? parentEntry(host)
    }

    /// Returns the entry of the longest parent domain that includes
    /// subdomains; `nil` if there is none, and for an address.
    public func parentEntry(_ host: HostName) -> Entry? {
        guard !domains.isEmpty else { return nil }
        var domain = host.parent
        while let current = domain {
            if let entry = domains[current] { return entry }
            domain = current.parent
        }
        return nil
    }

    /// Returns the policy of the entry that applies to a host, or ``fallback``.
    public func policy(for host: HostName) -> ServerPolicy { entry(for: host)?.policy ?? fallback }

    /// Returns the policy of the entry that applies to a proxy, or ``fallback`` without its methods and pins, which
    /// apply to origins only.
    package func proxyPolicy(for host: HostName) -> ServerPolicy {
        if let entry = entry(for: host) { return entry.proxyPolicy }
        var policy = fallback
        policy.methods = .all
        policy.trust.pins = []
        return policy
    }
}
