// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import GRDB
public import Secrets

extension UnlockedKeychain {
    /// Adds an unlock method.
    ///
    /// - Parameters:
    ///   - method: The secret that opens the new slot; a ``KeyHolder`` gets a new key to store.
    ///   - policy: The rules for a PIN; ignored for other methods.
    /// - Throws: ``KeychainError/rootKeyNeeded`` if the keys came from an agent, ``KeychainError/shortPIN(minimum:)``,
    ///   ``KeychainError/unsuitableKeyFile``, the errors of a ``KeyHolder``, and other ``KeychainError``.
    public func addSlot(_ method: UnlockMethod, policy: PINPolicy = PINPolicy()) async throws {
        try await addSlot(method, policy: policy, cost: method.kind.usesScrypt ? .calibrated : nil)
    }

    func addSlot(
        _ method: UnlockMethod, policy: PINPolicy = PINPolicy(), cost: Scrypt?, replaces: Bool = false
    ) async throws {
        guard let root else { throw KeychainError.rootKeyNeeded }
        try method.check(policy)
        // Another process may take the slot number while the key is derived; the next attempt uses another number.
        while try await !addSlot(method, policy, cost, replaces, wrapping: root) {}
    }

    /// - Returns: Whether the slot was written; `false` if its number was taken.
    private func addSlot(
        _ method: UnlockMethod, _ policy: PINPolicy, _ cost: Scrypt?, _ replaces: Bool, wrapping root: SymmetricKey
    ) async throws -> Bool {
        let id = try await keychain.file.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM slot") ?? 0 } + 1
        let device = method.kind == .pin ? try DeviceSecret.readOrCreate(at: keychain.places.deviceSecret) : nil
        let eraseAfter = method.kind == .pin ? Int64(policy.eraseAfter ?? 0) : 0
        let parameters = SlotRow.Parameters(cost: cost, eraseAfter: eraseAfter)
        let new = Secret(utf8: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
        let key = try await SlotRow.key(
            method, id: id, parameters: parameters, keychain: keychain.id, device: device, keeping: new)
        let slot = try SlotRow(
            id: id, kind: method.kind, parameters: parameters, wrapping: root, with: key, of: keychain.id)
        return try await keychain.file.write { database in
            guard try Int64.fetchOne(database, sql: "SELECT id FROM slot WHERE id = ?", arguments: [id]) == nil else {
                return false
            }
            for old in try SlotRow.all(database).slots where replaces && old.kind == slot.kind {
                try database.execute(sql: "DELETE FROM slot WHERE id = ?", arguments: [old.id])
                try Attempts.forget(database, old.id)
            }
            try Attempts.forget(database, id)
            try slot.write(database)
            return true
        }
    }

    /// Replaces all PINs with a new one.
    ///
    /// - Throws: ``KeychainError/rootKeyNeeded``, ``KeychainError/shortPIN(minimum:)`` and other ``KeychainError``.
    package func changePIN(to pin: Secret, policy: PINPolicy) async throws {
        try await addSlot(.pin(pin), policy: policy, cost: .calibrated, replaces: true)
    }

    /// Replaces all passphrases with a new one; slots of other kinds are not changed.
    ///
    /// The root key does not change, so an older copy of the file and the old passphrase still give access to the new
    /// file.
    ///
    /// - Throws: ``KeychainError/rootKeyNeeded`` and other ``KeychainError``.
    public func changePassphrase(to passphrase: Secret) async throws {
        try await changePassphrase(to: passphrase, cost: .calibrated)
    }

    func changePassphrase(to passphrase: Secret, cost: Scrypt) async throws {
        try await addSlot(.passphrase(passphrase), cost: cost, replaces: true)
    }

    /// Removes an unlock method; does nothing if there is no slot with this number.
    ///
    /// - Throws: ``KeychainError/lastSlot`` if no other slot is left, and other ``KeychainError``.
    public func removeSlot(_ id: KeySlot.ID) async throws {
        try await keychain.file.write { database in
            guard try SlotRow.all(database).slots.contains(where: { $0.id != id }) else { throw KeychainError.lastSlot }
            try database.execute(sql: "DELETE FROM slot WHERE id = ?", arguments: [id])
            try Attempts.forget(database, id)
        }
    }
}
