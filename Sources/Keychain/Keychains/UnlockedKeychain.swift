// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import EssentialFoundation

/// A keychain whose items can be read and written.
///
/// Asynchronous functions of this type also throw `CancellationError` if the task is cancelled.
public struct UnlockedKeychain: Sendable {
    /// The keychain.
    public let keychain: Keychain
    /// The keys, for an agent.
    public let keys: KeyRing
    /// The root key; `nil` if the keys came from an agent.
    let root: SymmetricKey?

    init(_ keychain: Keychain, _ keys: KeyRing, root: SymmetricKey?) {
        (self.keychain, self.keys, self.root) = (keychain, keys, root)
    }

    func check(acceptsOlderState: Bool) async throws {
        guard let memory = keychain.epochMemory(keys) else {
            _ = try await read { $0.header }
            return
        }
        // The stored epoch is read first, because another process may commit and store an epoch between the two reads.
        let known = try memory.epoch()
        let epoch = try await read { $0.header.epoch }
        if epoch < known {
            guard acceptsOlderState else { throw KeychainError.rolledBack }
            try memory.remember(epoch, insteadOf: known)
        } else if epoch > known {
            // If the epoch cannot be stored, a later rollback to this state goes undetected.
            try? memory.remember(epoch)
        }
    }

    // MARK: Reading

    /// Returns the items that match a query, older ones first; all items by default.
    ///
    /// - Throws: ``KeychainError``; ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` if one of them
    ///   is damaged, or another program removed one. ``listing(_:)`` returns the others.
    public func items(_ query: KeychainQuery = KeychainQuery()) async throws -> [KeychainItem] {
        try await read { try $0.items(query) }
    }

    /// Returns the readable items that match a query, and the damage that was met.
    ///
    /// Damage of a secret is found by ``examine(progress:)``, not by this function.
    ///
    /// - Throws: ``KeychainError``.
    public func listing(_ query: KeychainQuery = KeychainQuery()) async throws -> KeychainListing {
        try await read { try $0.listing(query) }
    }

    /// Returns the item with a number.
    ///
    /// - Throws: ``KeychainError/noItem(_:)``, ``KeychainError/damagedItem(_:)`` and other ``KeychainError``.
    public func item(_ id: KeychainItem.ID) async throws -> KeychainItem {
        try await read { try $0.item(id.number) }
    }

    /// Returns the current secret of an item.
    ///
    /// Another program may have changed the item since it was read; ``contents(of:_:)`` reads both in one transaction.
    ///
    /// - Throws: ``KeychainError/unlockNeeded``, ``KeychainError/notOnThisDevice``, ``KeychainError/noItem(_:)`` if the
    ///   item was removed, and other ``KeychainError``.
    public func secret(of item: KeychainItem) async throws -> ItemSecret {
        try await contents(of: item.id) { try $0.secret }
    }

    /// Returns the current bytes of the first attachment of a note with the given name.
    ///
    /// - Throws: ``KeychainError/noAttachment(_:)``, the errors of ``secret(of:)``, and other ``KeychainError``.
    public func attachment(_ name: String, of item: KeychainItem) async throws -> [UInt8] {
        try await contents(of: item.id) { try $0.attachment(name) }
    }

    /// Reads an item, its secret and its attachments in one transaction.
    ///
    /// - Parameters:
    ///   - id: The number of the item.
    ///   - body: Reads the contents, which are valid only during the call.
    /// - Returns: The result of the closure.
    /// - Throws: ``KeychainError/noItem(_:)``, other ``KeychainError``, and the closure's errors.
    public func contents<Value: Sendable>(
        of id: KeychainItem.ID, _ body: @Sendable @escaping (ItemContents) throws -> Value
    ) async throws -> Value {
        try await read { try body(ItemContents(try $0.item(id.number), $0)) }
    }

    /// Reads the items that match a query, their secrets and their attachments, in one transaction.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - body: Reads the contents of one item, which are valid only during the call.
    /// - Returns: The results of the closure, those of older items first, and the damage that was met. It includes
    ///   items for which the closure throws ``KeychainError/damagedItem(_:)`` or ``KeychainError/damaged(_:)``.
    /// - Throws: ``KeychainError``, and the closure's other errors.
    public func contents<Value: Sendable>(
        of query: KeychainQuery, _ body: @Sendable @escaping (ItemContents) throws -> Value
    ) async throws -> (values: [Value], damage: [KeychainDamage]) {
        try await read { reader in
            let listing = try reader.listing(query)
            var (damage, known, values) = (listing.damage, Set(listing.damage), [Value]())
            for item in listing.items {
                do {
                    values.append(try body(ItemContents(item, reader)))
                } catch  where KeychainFile.isDamage(error) {
                    if known.insert(.secret(item)).inserted { damage.append(.secret(item)) }
                }
            }
            return (values, damage)
        }
    }

    /// Returns the newest item with its secret that meets the condition, from the first query with such an item; `nil`
    /// if there is none.
    ///
    /// An item does not replace a newer, damaged one with the same identity.
    ///
    /// - Throws: ``KeychainError/damagedItem(_:)`` if there is no such item, but a damaged candidate.
    func newest(
        _ queries: [KeychainQuery], where isMatch: @Sendable @escaping (KeychainItem, KeychainQuery) -> Bool
    ) async throws -> (KeychainItem, ItemSecret)? {
        try await read { try Self.newest(queries, in: &$0, where: isMatch) }
    }

    static func newest(
        _ queries: [KeychainQuery], in reader: inout KeychainReader,
        where isMatch: (KeychainItem, KeychainQuery) -> Bool
    ) throws -> (KeychainItem, ItemSecret)? {
        var damage: KeychainError?
        var damaged: Set<ItemIdentity> = []
        for query in queries {
            let listing = try reader.listing(query)
            let items = listing.items.filter { isMatch($0, query) }.sorted { $1.isOlder(than: $0) }
            for item in items where !damaged.contains(item.identity) {
                do {
                    try reader.checkGroup(of: item.id.number)
                    return (item, try reader.secret(of: item))
                } catch KeychainError.damagedItem(let id) {
                    damage = damage ?? .damagedItem(id)
                    damaged.insert(item.identity)
                }
            }
            // If the index answers the query, only damage of the items in the index matters.
            if damage == nil, let ids = try reader.indexedItems(query) {
                damage = listing.damage.first { $0.item.map { ids.contains($0.number) } ?? false }?.error
            }
        }
        if let damage { throw damage }
        return nil
    }

    /// Returns the items of a class with their secrets, without those that cannot be read now or are damaged.
    ///
    /// - Throws: ``KeychainError/damaged(_:)`` if an item may be of an earlier version, with other hosts.
    func all(_ itemClass: KeychainItem.Class) async throws -> [(KeychainItem, ItemSecret)] {
        try await read { reader in
            try reader.verifiedItems(itemClass).compactMap { item in
                do {
                    return (item, try reader.secret(of: item))
                } catch KeychainError.unlockNeeded, KeychainError.notOnThisDevice, KeychainError.damagedItem {
                    return nil
                }
            }
        }
    }

    /// Returns all items of a class with their secrets.
    ///
    /// - Throws: ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` if an item may be missing.
    func complete(_ itemClass: KeychainItem.Class) async throws -> [(KeychainItem, ItemSecret)] {
        try await read { reader in
            try reader.items(KeychainQuery(itemClass)).map { ($0, try reader.secret(of: $0)) }
        }
    }

    // MARK: Writing

    /// Stores items, all of them or none: adds new items and updates stored ones.
    ///
    /// Two logins are the same if their protection spaces and users are equal, two passwords if their services and
    /// accounts are, two certificates if their fingerprints and trust settings are, two identities if their
    /// certificates are, and two notes if their titles, texts and attachments are. An empty label or comment does not
    /// replace that of the stored item, and new hosts are added to the stored ones. If the new item has no hosts, pins
    /// and distrusted certificates then apply to all hosts, but anchors and identities still apply
    /// only to the stored hosts.
    ///
    /// If the secret of the stored item is damaged, or an unreadable item may be the same, the item is added as another
    /// one, and the change reports the damage.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - replaces: Whether different contents of a stored item are replaced.
    ///   - now: The time of the change.
    /// - Returns: The effect of each item, in the same order.
    /// - Throws: ``KeychainError/unlockNeeded`` if the secret of a stored item cannot be read now,
    ///   ``KeychainError/damagedItem(_:)`` if an unreadable item may be the same as an anchor or identity without
    ///   hosts, and other ``KeychainError``.
    @discardableResult
    public func store(
        _ items: [NewItem], replacing replaces: Bool = true, at now: Date = .now
    ) async throws -> [ItemChange] {
        try await write(now) { try $0.store(items, replaces: replaces) }
    }

    /// Returns the effects that ``store(_:replacing:at:)`` would have, without changing anything.
    ///
    /// - Throws: ``KeychainError``, as ``store(_:replacing:at:)`` does.
    public func effects(ofStoring items: [NewItem], replacing replaces: Bool = true) async throws -> [ItemChange] {
        try await read { reader in
            try StoringPlan(items, &reader, replaces: replaces).steps.map { step in
                switch step.action {
                case .add: ItemChange(effect: .added, item: nil, damage: step.damage)
                case .replace(let old, _): ItemChange(effect: .changed, item: old, damage: step.damage)
                case .leave(let effect, let item): ItemChange(effect: effect, item: item, damage: step.damage)
                }
            }
        }
    }

    /// Adds items, all of them or none, without comparing them with stored items; ``store(_:replacing:at:)`` compares
    /// them.
    ///
    /// - Parameters:
    ///   - items: The new items.
    ///   - now: The time of the change.
    /// - Returns: The items, in the same order.
    /// - Throws: ``KeychainError/unlockNeeded`` for the accessibility ``KeychainItem/Accessibility/whenUnlocked`` if
    ///   the last unlock is too long ago, and other ``KeychainError``.
    @discardableResult
    public func add(_ items: [NewItem], at now: Date = .now) async throws -> [KeychainItem] {
        try await write(now) { writer in try items.map { try writer.add($0) } }
    }

    /// Adds an item.
    ///
    /// - Throws: ``KeychainError/unlockNeeded`` for the accessibility ``KeychainItem/Accessibility/whenUnlocked`` if
    ///   the last unlock is too long ago, and other ``KeychainError``.
    @discardableResult
    public func add(_ item: NewItem, at now: Date = .now) async throws -> KeychainItem {
        let items = try await add([item], at: now)
        guard let item = items.first else { throw KeychainError.damaged(.record) }
        return item
    }

    /// Replaces an item with another, which keeps the number and the creation time.
    ///
    /// - Throws: ``KeychainError/noItem(_:)``, ``KeychainError/itemExists(_:)`` if the new item would have the identity
    ///   of another stored item, ``KeychainError/unlockNeeded`` and other ``KeychainError``.
    @discardableResult
    public func replace(
        _ id: KeychainItem.ID, by item: NewItem, at now: Date = .now
    ) async throws -> KeychainItem {
        try await write(now) { try $0.replace(id.number, by: item) }
    }

    /// Replaces an item with a changed version of itself in one transaction, so that no change by another program is
    /// lost.
    ///
    /// - Parameters:
    ///   - id: The number of the item, which does not change.
    ///   - now: The time of the change.
    ///   - change: Returns the new item for the present one; no other program writes during the call.
    /// - Returns: The changed item.
    /// - Throws: The errors of ``replace(_:by:at:)``, and the closure's errors; in each case, nothing is changed.
    @discardableResult
    public func edit(
        _ id: KeychainItem.ID, at now: Date = .now, _ change: @Sendable @escaping (ItemContents) throws -> NewItem
    ) async throws -> KeychainItem {
        try await write(now) { writer in
            let old = try writer.item(id.number)
            return try writer.replace(id.number, by: try change(ItemContents(old, writer.reader)))
        }
    }

    /// Replaces the newest item that meets the condition, from the first query with such an item; does nothing if there
    /// is none.
    func editNewest(
        _ queries: [KeychainQuery], where isMatch: @Sendable @escaping (KeychainItem, KeychainQuery) -> Bool,
        _ change: @Sendable @escaping (KeychainItem, ItemSecret) throws -> NewItem?
    ) async throws {
        try await write(.now) { writer in
            guard let (item, secret) = try Self.newest(queries, in: &writer.reader, where: isMatch),
                let new = try change(item, secret)
            else { return }
            _ = try writer.replace(item.id.number, by: new)
        }
    }

    /// Removes items, all of them or none.
    ///
    /// - Throws: ``KeychainError/noItem(_:)`` and other ``KeychainError``.
    public func remove(_ ids: [KeychainItem.ID]) async throws {
        try await write(.now) { writer in for id in ids { try writer.remove(id.number) } }
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

    func write<Value: Sendable>(
        _ now: Date, _ body: @Sendable @escaping (inout KeychainWriter) throws -> Value
    ) async throws -> Value {
        let (value, epoch) = try await keychain.file.write { [keys, places = keychain.places] database in
            var writer = try KeychainWriter(database, keys, device: places.deviceSecret, now: now)
            let value = try body(&writer)
            return (value, try writer.finish().epoch)
        }
        // The change is committed; if its epoch cannot be stored, a later rollback to this state goes undetected.
        try? keychain.epochMemory(keys)?.remember(epoch)
        return value
    }
}

/// An item with its secret and its attachments in one transaction; valid only within the closure that receives it.
public struct ItemContents {
    /// The item.
    public let item: KeychainItem
    private let reader: KeychainReader

    init(_ item: KeychainItem, _ reader: KeychainReader) { (self.item, self.reader) = (item, reader) }

    /// The secret of the item.
    ///
    /// - Throws: ``KeychainError/unlockNeeded``, ``KeychainError/notOnThisDevice``, ``KeychainError/damagedItem(_:)``.
    public var secret: ItemSecret { get throws { try reader.secret(of: item) } }

    /// Returns the bytes of the first attachment of a note with the given name.
    ///
    /// - Throws: ``KeychainError/noAttachment(_:)``, the errors of ``secret``, and other ``KeychainError``.
    public func attachment(_ name: String) throws -> [UInt8] { try reader.attachment(name, of: item) }
}
