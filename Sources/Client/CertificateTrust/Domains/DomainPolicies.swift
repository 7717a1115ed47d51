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
        /// Whether the policy applies to the domain itself, and not only to names below it.
        public let includesDomain: Bool
        /// The policy.
        public let policy: ServerPolicy
        /// The policy of a proxy at the domain.
        let proxyPolicy: ServerPolicy

        /// Makes an entry for a domain and, with subdomains, for the names below it.
        public init(domain: HostName, includesSubdomains: Bool = false, policy: ServerPolicy) {
            self.init(domain: domain, includesSubdomains: includesSubdomains, policy: policy, proxyPolicy: policy)
        }

        /// Makes an entry for a single host, or for all names below a domain.
        ///
        /// - Parameters:
        ///   - domain: A DNS name or an IP address, such as `example.internal`; or a name after `*.`, such as
        ///     `*.partner.example`, for the names of any depth below it, without the name itself.
        ///   - policy: The policy.
        /// - Throws: `HostNameError` if the text is none of these.
        public init(_ domain: String, policy: ServerPolicy) throws(HostNameError) {
            let isWildcard = domain.hasPrefix("*.")
            let name = try HostName(isWildcard ? String(domain.dropFirst(2)) : domain)
            guard !isWildcard || !name.isAddress else { throw .malformed(domain) }
            self.init(
                domain: name, includesSubdomains: isWildcard, includesDomain: !isWildcard, policy: policy,
                proxyPolicy: policy)
        }

        init(
            domain: HostName, includesSubdomains: Bool = false, includesDomain: Bool = true, policy: ServerPolicy,
            proxyPolicy: ServerPolicy
        ) {
            (self.domain, self.includesDomain) = (domain, includesDomain)
            self.includesSubdomains = includesSubdomains && !domain.isAddress
            (self.policy, self.proxyPolicy) = (policy, proxyPolicy)
        }

        /// Returns the entry with another policy.
        func replacing(_ policy: ServerPolicy) -> Self {
            Self(
                domain: domain, includesSubdomains: includesSubdomains, includesDomain: includesDomain, policy: policy,
                proxyPolicy: policy)
        }
    }

    /// The policy for hosts without an entry.
    public var fallback: ServerPolicy
    /// The entries that apply to a single host.
    private var hosts: [HostName: Entry] = [:]
    /// The entries that include subdomains.
    private var domains: [HostName: Entry] = [:]

    /// Makes policies without entries; the fallback is `ServerPolicy()`.
    public init() { fallback = ServerPolicy() }

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

    /// Sets the policy of a single host, or of all names below a domain.
    ///
    /// - Parameters:
    ///   - policy: The policy, which replaces that of the same domain.
    ///   - domain: A DNS name or an IP address, such as `example.internal`; or a name after `*.`, such as
    ///     `*.partner.example`, for the names of any depth below it, without the name itself.
    /// - Throws: `HostNameError` if the text is none of these.
    public mutating func set(_ policy: ServerPolicy, for domain: String) throws(HostNameError) {
        set(try Entry(domain, policy: policy))
    }

    /// Returns the entry for exactly this host, or else that of the longest parent domain that includes subdomains;
    /// `nil` if there is none.
    public func entry(for host: HostName) -> Entry? {
        if let entry = hosts[host] ?? domains[host], entry.includesDomain { return entry }
        return parentEntry(host)
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

extension DomainPolicies: ExpressibleByDictionaryLiteral {
    /// Makes policies from the domains of a literal, such as `["example.internal": internal, "*.partner.example": pinned]`,
    /// as ``set(_:for:)`` does; the fallback is `ServerPolicy()`.
    ///
    /// The order has no effect. A malformed domain, and one that occurs twice, is a mistake in the source and stops the
    /// program; ``set(_:for:)`` is for domains that are known only when the program runs.
    public init(dictionaryLiteral elements: (StaticString, ServerPolicy)...) {
        self.init()
        for (domain, policy) in elements {
            guard let entry = try? Entry("\(domain)", policy: policy) else {
                preconditionFailure("\"\(domain)\" is not a domain.")
            }
            let isNew = (entry.includesSubdomains ? domains[entry.domain] : hosts[entry.domain]) == nil
            precondition(isNew, "The domain \"\(domain)\" occurs twice.")
            set(entry)
        }
    }
}
