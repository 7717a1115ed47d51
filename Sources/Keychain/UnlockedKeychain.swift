// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import GRDB
public import Secrets

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A keychain whose items can be read and written.
///
/// Asynchronous functions of this type also throw `CancellationError` where the task is cancelled.
public struct UnlockedKeychain: Sendable {
    /// The keychain.
    public let keychain: Keychain
    /// The keys, for an agent.
    public let keys: KeyRing
    /// Not where an agent gave the keys.
    private let root: SymmetricKey?

    init(_ keychain: Keychain, _ keys: KeyRing, root: SymmetricKey?) {
        (self.keychain, self.keys, self.root) = (keychain, keys, root)
    }

    func check(acceptsOlderState: Bool) async throws {
        let header = try await read { $0.header }
        guard let memory = keychain.epochMemory() else { return }
        if acceptsOlderState { try memory.remember(header, keys) } else { try memory.check(header, keys) }
    }

    // MARK: Reading

    /// Returns the items that match a query, older ones first; all items by default.
    ///
    /// - Throws: ``KeychainError``; ``KeychainError/damaged(_:)`` also where another program removed an item.
    public func items(_ query: KeychainQuery = KeychainQuery()) async throws -> [KeychainItem] {
        try await read { try $0.items(query) }
    }

    /// Returns the item with a number.
    ///
    /// - Throws: ``KeychainError/noItem(_:)`` and other ``KeychainError``.
    public func item(_ id: KeychainItem.ID) async throws -> KeychainItem {
        try await read { try $0.item(id.number) }
    }

    /// Returns the secret of an item.
    ///
    /// - Throws: ``KeychainError/unlockNeeded``, ``KeychainError/notOnThisDevice``, ``KeychainError/noItem(_:)`` where the item was
    ///   replaced or removed, and other ``KeychainError``.
    public func secret(of item: KeychainItem) async throws -> ItemSecret {
        try await read { try $0.secret(of: item) }
    }

    /// Returns the bytes of the first attachment of a note with a name.
    ///
    /// - Throws: ``KeychainError/noAttachment(_:)``, the errors of ``secret(of:)``, and other ``KeychainError``.
    public func attachment(_ name: String, of item: KeychainItem) async throws -> [UInt8] {
        try await read { try $0.attachment(name, of: item) }
    }

    /// The first item of a query that meets a condition, with its secret; `nil` where there is none.
    func first(
        _ query: KeychainQuery, where isMeant: @Sendable @escaping (KeychainItem) -> Bool = { _ in true }
    ) async throws -> (KeychainItem, ItemSecret)? {
        try await read { reader in
            try reader.items(query).first(where: isMeant).map { ($0, try reader.secret(of: $0)) }
        }
    }

    /// The items of a class with their secrets; those that cannot be read now are left out.
    func all(_ itemClass: KeychainItem.Class) async throws -> [(KeychainItem, ItemSecret)] {
        try await read { reader in
            try reader.items(KeychainQuery(itemClass)).compactMap { item in
                do {
                    return (item, try reader.secret(of: item))
                } catch KeychainError.unlockNeeded, KeychainError.notOnThisDevice {
                    return nil
                }
            }
        }
    }

    /// Whether an item of a query has the same kind and secret as a new one.
    func hasSecret(of new: NewItem, _ query: KeychainQuery) async throws -> Bool {
        try await read { reader in
            let kept = ItemCoding.secret(of: new)
            return try reader.items(query).contains { item in
                try item.kind == new.kind && reader.plaintext(of: item) == kept
            }
        }
    }

    // MARK: Writing

    /// Adds items, all of them or none.
    ///
    /// - Parameters:
    ///   - items: The new items.
    ///   - now: The time of the change.
    /// - Returns: The items, in the same order.
    /// - Throws: ``KeychainError/unlockNeeded`` for the accessibility ``KeychainItem/Accessibility/whenUnlocked`` where the last unlock is
    ///   too long ago, and other ``KeychainError``.
    @discardableResult
    public func add(_ items: [NewItem], at now: Date = .now) async throws -> [KeychainItem] {
        try await write(now, needsDevice: items.contains { $0.accessibility.isThisDeviceOnly }) { writer in
            try items.map { try writer.add($0) }
        }
    }

    /// Adds an item.
    ///
    /// - Throws: ``KeychainError/unlockNeeded`` for the accessibility ``KeychainItem/Accessibility/whenUnlocked`` where the last unlock is
    ///   too long ago, and other ``KeychainError``.
    @discardableResult
    public func add(_ item: NewItem, at now: Date = .now) async throws -> KeychainItem {
        let items = try await add([item], at: now)
        guard let item = items.first else { throw KeychainError.damaged(.record) }
        return item
    }

    /// Replaces an item by another, which gets its number and its time of creation.
    ///
    /// - Throws: ``KeychainError/noItem(_:)``, ``KeychainError/unlockNeeded`` and other ``KeychainError``.
    @discardableResult
    public func replace(
        _ id: KeychainItem.ID, by item: NewItem, at now: Date = .now
    ) async throws -> KeychainItem {
        try await write(now, needsDevice: item.accessibility.isThisDeviceOnly) { try $0.replace(id.number, by: item) }
    }

    /// Removes items, all of them or none.
    ///
    /// - Throws: ``KeychainError/noItem(_:)`` and other ``KeychainError``.
    public func remove(_ ids: [KeychainItem.ID]) async throws {
        try await write(.now, needsDevice: false) { writer in for id in ids { try writer.remove(id.number) } }
    }

    /// Adds an item in the place of those that a query finds.
    func put(_ item: NewItem, insteadOf query: KeychainQuery) async throws {
        try await write(.now, needsDevice: item.accessibility.isThisDeviceOnly) { writer in
            let old = try writer.items(query)
            guard let first = old.first else {
                _ = try writer.add(item)
                return
            }
            _ = try writer.replace(first.id.number, by: item)
            for other in old.dropFirst() { try writer.remove(other.id.number) }
        }
    }

    // MARK: The whole

    /// Checks that no other program removed, added or put back an item, and that every item and attachment can be opened.
    ///
    /// Secrets that cannot be read now (``KeychainError/unlockNeeded``, ``KeychainError/notOnThisDevice``) are left out.
    ///
    /// - Parameter progress: Called with the part that is done, from 0 to 1.
    /// - Returns: The number of items.
    /// - Throws: ``KeychainError/damaged(_:)`` and other ``KeychainError``.
    public func verify(progress: @Sendable @escaping (Double) -> Void = { _ in }) async throws -> Int {
        try await read { reader in
            try reader.verifyAll { progress($0 / 2) }
            let items = try reader.items(KeychainQuery())
            for (number, item) in items.enumerated() {
                do throws(KeychainError) {
                    try reader.check(item)
                } catch .unlockNeeded {
                } catch .notOnThisDevice {
                }
                progress(0.5 + Double(number + 1) / Double(2 * items.count))
            }
            return items.count
        }
    }

    /// Copies the keychain to a new file, and checks that the copy opens.
    ///
    /// - Parameter path: The path of the new file. No file may exist there; its folder is made where it is missing.
    /// - Throws: ``KeychainError/exists(path:)``, ``KeychainError/unsafeRights(path:)``, ``KeychainError/damaged(_:)`` and other
    ///   ``KeychainError``.
    public func backup(to path: String) async throws {
        try PrivateFile.createFolder(of: path)
        guard try !PrivateFile.check(path) else { throw KeychainError.exists(path: path) }
        guard try PrivateFile.create(path, []) else { throw KeychainError.exists(path: path) }
        do {
            try keychain.file.copy(to: path)
            try await verifyCopy(at: path)
        } catch {
            PrivateFile.removeDatabase(path)
            throw error
        }
    }

    private func verifyCopy(at path: String) async throws {
        let copy = try await Keychain.open(
            at: path, places: Keychain.Places(deviceSecret: keychain.places.deviceSecret, rememberedStates: nil))
        _ = try await copy.unlock(with: keys).verify()
    }

    /// Makes the file smaller by the space of removed items.
    ///
    /// - Throws: ``KeychainError``.
    public func compact() async throws { try await keychain.file.vacuum() }

    // MARK: Slots

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
        let slots = try await keychain.slots
        let id = (slots.map(\.id).max() ?? 0) + 1
        let device = method.kind == .pin ? try DeviceSecret.readOrCreate(at: keychain.places.deviceSecret) : nil
        let eraseAfter = method.kind == .pin ? Int64(policy.eraseAfter ?? 0) : 0
        let parameters = SlotRow.Parameters(cost: cost, eraseAfter: eraseAfter)
        let new = Secret(utf8: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
        let key = try await SlotRow.key(
            method, id: id, parameters: parameters, keychain: keychain.id, device: device, keeping: new)
        let slot = try SlotRow(
            id: id, kind: method.kind, parameters: parameters, wrapping: root, with: key, of: keychain.id)
        return try await keychain.file.write { database in
            let slots = try SlotRow.all(database)
            guard !slots.contains(where: { $0.id == id }) else { return false }
            for old in slots where replaces && old.kind == slot.kind {
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
            guard try SlotRow.all(database).contains(where: { $0.id != id }) else { throw KeychainError.lastSlot }
            try database.execute(sql: "DELETE FROM slot WHERE id = ?", arguments: [id])
            try Attempts.forget(database, id)
        }
    }

    // MARK: Transactions

    func read<Value: Sendable>(
        _ body: @Sendable @escaping (inout KeychainReader) throws -> Value
    ) async throws -> Value {
        let device = try keychain.device()
        return try await keychain.file.read { [keys] database in
            var reader = try KeychainReader(database, keys, device: device)
            return try body(&reader)
        }
    }

    private func write<Value: Sendable>(
        _ now: Date, needsDevice: Bool, _ body: @Sendable @escaping (inout KeychainWriter) throws -> Value
    ) async throws -> Value {
        let device =
            needsDevice ? try DeviceSecret.readOrCreate(at: keychain.places.deviceSecret) : try keychain.device()
        let (value, header) = try await keychain.file.write { [keys] database in
            var writer = try KeychainWriter(database, keys, device: device, now: now)
            let value = try body(&writer)
            return (value, try writer.finish())
        }
        // What cannot be remembered is not noticed later; what was written is written.
        try? keychain.epochMemory()?.remember(header, keys)
        return value
    }
}
