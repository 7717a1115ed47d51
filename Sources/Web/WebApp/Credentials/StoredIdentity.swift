// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import EssentialFoundation
import Identities
import Keychains
import X509

/// An identity in the keychain that may be presented to a server.
struct StoredIdentity: Sendable {
    /// The number of the item.
    let id: Int64
    let title: String
    /// The issuer and the expiry, for display.
    let text: String
    let identity: Identity
    /// The hosts to which the identity may be presented; empty for any host.
    let hosts: [String]

    fileprivate init?(_ item: KeychainItem, _ secret: ItemSecret, at now: Date) {
        guard case .identity(_, let hosts) = item.kind, case .identity(let identity) = secret,
            let view = CredentialView(item, at: now)
        else { return nil }
        (id, self.identity, self.hosts) = (view.id, identity, hosts)
        title = view.label ?? view.title
        let subject = view.label == nil ? nil : view.title
        text = [subject, view.place, view.validity].compactMap(\.self).joined(separator: ", ")
    }

    /// Returns whether a server that requests a certificate can accept this one.
    func isFit(for request: ClientCertificateRequest, from host: HostName, at now: Date) -> Bool {
        IdentityChoice([IdentityChoice.Candidate(identity)]).identity(for: request, from: host, at: now) != nil
    }
}

extension WebKeychain {
    /// Returns the identities, or `nil` if the keychain is locked or does not exist.
    ///
    /// - Throws: `KeychainError`, `KeychainAgentError`.
    func identities(at now: Date = Date()) async throws -> [StoredIdentity]? {
        guard case .open(let keychain) = try await state else { return nil }
        do {
            let found = try await keychain.contents(of: KeychainQuery(.identity)) {
                StoredIdentity($0.item, try $0.secret, at: now)
            }
            // An identity that was reset to an earlier version may be for other hosts.
            for case .group(let numbers) in found.damage { throw KeychainDamage.group(numbers).error }
            return found.values.compactMap(\.self)
        } catch KeychainError.unlockNeeded {
            return nil
        }
    }
}

/// The credential store of the pages, which uses the keychain only if the settings allow it.
///
/// While the keychain is locked, reading returns nothing, so that the user is asked, and saving is an error.
struct OptionalCredentialStore: CredentialStore {
    let keychain: WebKeychain
    let isOn: @Sendable () -> Bool

    func read(for space: ProtectionSpace) async throws -> Credential? {
        try await open?.read(for: space)
    }

    func save(_ credential: Credential, for space: ProtectionSpace) async throws {
        guard isOn() else { return }
        guard let open = try await open else { throw KeychainError.unlockNeeded }
        try await open.save(credential, for: space)
    }

    func remove(for space: ProtectionSpace) async throws {
        try await open?.remove(for: space)
    }

    /// The unlocked keychain; `nil` if it is locked or not used.
    private var open: UnlockedKeychain? {
        get async throws {
            guard isOn(), case .open(let keychain) = try await keychain.state else { return nil }
            return keychain
        }
    }
}
