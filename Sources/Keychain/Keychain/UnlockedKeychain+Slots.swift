// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import GRDB
public import Secrets

extension UnlockedKeychain {
    /// Adds a way to unlock the keychain.
    ///
    /// - Parameters:
    ///   - method: The secret that opens the new slot; a ``KeyHolder`` gets a new key to keep.
    ///   - policy: The rules of a PIN; ignored for other methods.
    /// - Throws: ``KeychainError/rootKeyNeeded`` where an agent gave the keys, ``KeychainError/shortPIN(least:)``,
    ///   ``KeychainError/unsuitableKeyFile``, what a ``KeyHolder`` throws, and other ``KeychainError``.
    public func addSlot(_ method: UnlockMethod, policy: PINPolicy = PINPolicy()) async throws {
        try await addSlot(method, policy: policy, cost: method.kind.usesScrypt ? .calibrated : nil)
    }

    func addSlot(
        _ method: UnlockMethod, policy: PINPolicy = PINPolicy(), cost: Scrypt?, replaces: Bool = false
    ) async throws {
        guard let root else { throw KeychainError.rootKeyNeeded }
        try method.check(policy)
        // Another one may take the number while the key is computed.
        while try await !addSlot(method, policy, cost, replaces, wrapping: root) {}
    }

    /// - Returns: Whether the slot was written; its number was free then.
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

    /// Puts a new PIN in the place of those that there are.
    ///
    /// - Throws: ``KeychainError/rootKeyNeeded``, ``KeychainError/shortPIN(least:)`` and other ``KeychainError``.
    package func changePIN(to pin: Secret, policy: PINPolicy) async throws {
        try await addSlot(.pin(pin), policy: policy, cost: .calibrated, replaces: true)
    }

    /// Replaces all passphrases by a new one; slots of other kinds stay.
    ///
    /// With an older copy of the file and the older passphrase, the newer file can be opened too, because the root key stays the same.
    ///
    /// - Throws: ``KeychainError/rootKeyNeeded`` and other ``KeychainError``.
    public func changePassphrase(to passphrase: Secret) async throws {
        try await changePassphrase(to: passphrase, cost: .calibrated)
    }

    func changePassphrase(to passphrase: Secret, cost: Scrypt) async throws {
        try await addSlot(.passphrase(passphrase), cost: cost, replaces: true)
    }

    /// Removes a way to unlock the keychain; without a slot of this number, nothing changes.
    ///
    /// - Throws: ``KeychainError/lastSlot`` where no other slot is left, and other ``KeychainError``.
    public func removeSlot(_ id: KeySlot.ID) async throws {
        try await keychain.file.write { database in
            guard try SlotRow.all(database).slots.contains(where: { $0.id != id }) else { throw KeychainError.lastSlot }
            try database.execute(sql: "DELETE FROM slot WHERE id = ?", arguments: [id])
            try Attempts.forget(database, id)
        }
    }
}
