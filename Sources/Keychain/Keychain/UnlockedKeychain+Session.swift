// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
internal import Identities
internal import X509

extension UnlockedKeychain {
    /// The trust settings of the keychain's certificates, for the policies of a session.
    ///
    /// A damaged keychain may hide a pin or a distrusted certificate, so it has no trust settings unless the damage is certainly elsewhere.
    /// Hosts that are neither names nor addresses are left out, and so are certificates that are for such hosts alone.
    ///
    /// - Throws: ``KeychainError``; ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` where a setting may be missing.
    public var trustSettings: TrustSettings {
        get async throws {
            TrustSettings(
                try await complete(.certificate).compactMap { item, secret in
                    guard case .certificate(_, let setting, let hosts) = item.kind,
                        case .certificate(let certificate) = secret
                    else { return nil }
                    let names = hosts.compactMap { try? HostName($0) }
                    // A setting without hosts is for all of them, so one whose hosts are no names must not become that.
                    guard hosts.isEmpty || !names.isEmpty else { return nil }
                    return TrustSettings.Entry(certificate, setting, hosts: names)
                })
        }
    }

    /// The keychain's identities that can be read now, for an `IdentityChoice`; each has one candidate for each of its hosts.
    ///
    /// - Throws: ``KeychainError``; ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` where an identity may be one that
    ///   was put back, which may be for other hosts.
    public var identities: [IdentityChoice.Candidate] {
        get async throws {
            try await all(.identity).flatMap { item, secret in
                guard case .identity(_, let hosts) = item.kind, case .identity(let identity) = secret else {
                    return [IdentityChoice.Candidate]()
                }
                return hosts.isEmpty
                    ? [IdentityChoice.Candidate(identity)] : hosts.map { IdentityChoice.Candidate(identity, host: $0) }
            }
        }
    }
}
