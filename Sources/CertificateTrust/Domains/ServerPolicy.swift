// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What is asked of a server, its chain included, before anything is entrusted to it.
public struct ServerPolicy: Hashable, Sendable {
    /// What its chain must satisfy.
    public var trust: TrustPolicy
    /// The oldest version of TLS that it may negotiate.
    public var minimumTLSVersion: TLSVersion
    /// Whether it may be spoken to without TLS, where anyone on the way can read and change everything.
    public var allowsPlainHTTP: Bool
    /// The authentication methods by which its challenges may be answered.
    ///
    /// A server that offers only others is given nothing. For a proxy only the entry of its domain counts.
    public var methods: AllowedMethods

    /// A policy; without arguments, every check of a chain, TLS 1.2 or later, and plain http where a URL says so.
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
