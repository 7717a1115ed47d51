// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// What one server must satisfy in a TLS handshake.
struct TLSRequirements: Hashable, Sendable {
    let trust: TrustPolicy
    let versions: Session.TLSVersions

    /// Takes of the versions that the session allows those that the policy allows too.
    ///
    /// - Throws: ``SessionError/tlsVersionsExcluded(_:minimum:)`` where there is none.
    init(
        _ policy: ServerPolicy, versions: Session.TLSVersions, for peer: SessionError.Peer
    ) throws(SessionError) {
        trust = policy.trust
        switch (policy.minimumTLSVersion, versions) {
        case (.tls12, _): self.versions = versions
        case (.tls13, .all), (.tls13, .onlyTLS13): self.versions = .onlyTLS13
        case (.tls13, .onlyTLS12): throw .tlsVersionsExcluded(peer, minimum: .tls13)
        }
    }
}
