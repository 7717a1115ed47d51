// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Keychain

/// The keychain of the pages, asked only while the settings say so.
///
/// While it is locked it knows nothing, so that a person is asked; what is to be kept then is an error.
struct SwitchedStore: CredentialStore {
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

    /// `nil` where it is locked, or not asked.
    private var open: UnlockedKeychain? {
        get async throws {
            guard isOn(), case .open(let keychain) = try await keychain.state else { return nil }
            return keychain
        }
    }
}
