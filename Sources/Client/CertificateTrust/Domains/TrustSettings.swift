// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// A user's certificate settings in addition to a policy: anchors, pins, and distrusted certificates.
public struct TrustSettings: Hashable, Sendable {
    /// The setting of a certificate.
    @nonexhaustive
    public enum Setting: String, Hashable, Sendable, Codable, CaseIterable {
        /// A path may end at the certificate.
        case anchor
        /// A path must contain the certificate's key, or satisfy another pin.
        case pin
        /// No path may contain the certificate.
        case distrusted
    }

    /// A certificate and its setting.
    public struct Entry: Hashable, Sendable {
        /// The certificate.
        public let certificate: Certificate
        /// The setting.
        public let setting: Setting
        /// The hosts to which the setting applies; empty for all hosts.
        public let hosts: [HostName]

        /// Makes an entry for some hosts, or for all.
        public init(_ certificate: Certificate, _ setting: Setting, hosts: [HostName] = []) {
            (self.certificate, self.setting, self.hosts) = (certificate, setting, hosts)
        }
    }

    /// The certificates with their settings.
    public var entries: [Entry]

    /// Makes settings for certificates; without entries, they change no policy.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// Returns a policy with the settings for a host added.
    ///
    /// - Parameters:
    ///   - policy: The policy without the settings.
    ///   - host: The server; `nil` omits settings that apply to particular hosts only.
    /// - Returns: The policy with the anchors, pins and distrusted certificates added.
    public func policy(_ policy: TrustPolicy, for host: HostName?) -> TrustPolicy {
        var policy = policy
        for entry in entries where entry.hosts.isEmpty || host.map(entry.hosts.contains) ?? false {
            switch entry.setting {
            case .anchor: policy.anchors = policy.anchors.adding(entry.certificate)
            case .pin: policy.pins.pins.insert(Pin(of: entry.certificate))
            case .distrusted: policy.distrusted.insert(entry.certificate)
            }
        }
        return policy
    }

    /// Returns the policies of a session with the settings added.
    ///
    /// - Parameter policies: The policies without the settings.
    /// - Returns: The same policies with the settings added, and an entry for each host that has settings.
    public func policies(_ policies: DomainPolicies) -> DomainPolicies {
        var result = DomainPolicies(
            fallback: applied(to: policies.fallback, for: nil),
            entries: policies.entries.map { entry in
                entry.replacing(applied(to: entry.policy, for: entry.includesSubdomains ? nil : entry.domain))
            })
        for host in Set(entries.flatMap(\.hosts)) {
            result.set(
                DomainPolicies.Entry(
                    domain: host, policy: applied(to: policies.policy(for: host), for: host),
                    proxyPolicy: applied(to: policies.proxyPolicy(for: host), for: host)))
        }
        return result
    }

    private func applied(to policy: ServerPolicy, for host: HostName?) -> ServerPolicy {
        var policy = policy
        policy.trust = self.policy(policy.trust, for: host)
        return policy
    }
}

extension TrustPolicy.Anchors {
    fileprivate func adding(_ added: Certificate) -> Self {
        let certificate = CertificateSummary(added)
        return switch self {
        case .system: .systemAnd([certificate])
        case .systemAnd(let others): .systemAnd(others + [certificate])
        case .only(let others): .only(others + [certificate])
        }
    }
}
