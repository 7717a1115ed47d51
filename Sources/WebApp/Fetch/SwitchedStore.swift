// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import CommandSupport

/// The keychain, asked only while the settings say so.
struct SwitchedStore: CredentialStore {
    let keychain: KeychainClient
    let isOn: @Sendable () -> Bool

    func read(for space: ProtectionSpace) async throws -> Credential? {
        isOn() ? try await keychain.read(for: space) : nil
    }

    func save(_ credential: Credential, for space: ProtectionSpace) async throws {
        if isOn() { try await keychain.save(credential, for: space) }
    }

    func remove(for space: ProtectionSpace) async throws {
        if isOn() { try await keychain.remove(for: space) }
    }
}
