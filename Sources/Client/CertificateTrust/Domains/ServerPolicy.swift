// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The requirements that a server must meet: trust in its chain, TLS, and authentication methods.
public struct ServerPolicy: Hashable, Sendable {
    /// The trust policy of its chain.
    public var trust: TrustPolicy
    /// The oldest version of TLS that it may negotiate.
    public var minimumTLSVersion: TLSVersion
    /// Whether URLs of `http` are allowed, with which an attacker on the network can read and change everything.
    public var allowsPlainHTTP: Bool
    /// The authentication methods by which its challenges may be answered.
    ///
    /// A server that offers only other methods gets no credentials. For a proxy, only an entry for its domain counts, never
    /// ``DomainPolicies/fallback``.
    public var methods: AllowedMethods

    /// Makes a policy.
    ///
    /// The defaults are those of ``TrustPolicy``, TLS 1.2 or later, URLs of `http` allowed, and every authentication method.
    public init(
        trust: TrustPolicy = TrustPolicy(), minimumTLSVersion: TLSVersion = .tls12, allowsPlainHTTP: Bool = true,
        methods: AllowedMethods = .all
    ) {
        self.trust = trust
        self.minimumTLSVersion = minimumTLSVersion
        self.allowsPlainHTTP = allowsPlainHTTP
        self.methods = methods
    }
}
