// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
public import EssentialFoundation

/// A keychain whose items can be read and written.
///
/// Asynchronous functions of this type also throw `CancellationError` where the task is cancelled.
public struct UnlockedKeychain: Sendable {
    /// The keychain.
    public let keychain: Keychain
    /// The keys, for an agent.
    public let keys: KeyRing
    /// Not where an agent gave the keys.
    let root: SymmetricKey?

    init(_ keychain: Keychain, _ keys: KeyRing, root: SymmetricKey?) {
        (self.keychain, self.keys, self.root) = (keychain, keys, root)
    }

    func check(acceptsOlderState: Bool) async throws {
        guard let memory = keychain.epochMemory(keys) else {
            _ = try await read { $0.header }
            return
        }
        // The memory first: another process may commit and remember between the two.
        let known = try memory.epoch()
        let epoch = try await read { $0.header.epoch }
        if epoch < known {
            guard acceptsOlderState else { throw KeychainError.rolledBack }
            try memory.remember(epoch, insteadOf: known)
        } else if epoch > known {
            // A state that cannot be remembered is not noticed later.
            try? memory.remember(epoch)
        }
    }

    // MARK: Reading

    /// Returns the items that match a query, older ones first; all items by default.
    ///
    /// - Throws: ``KeychainError``; ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` where one of them is damaged, or
    ///   another program removed one. ``listing(_:)`` returns the others.
    public func items(_ query: KeychainQuery = KeychainQuery()) async throws -> [KeychainItem] {
        try await read { try $0.items(query) }
    }

    /// Returns the items that match a query and can be read, and the damage that was met.
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

    /// Returns the secret of an item, as it is now.
    ///
    /// Other programs may have changed the item since; ``contents(of:_:)`` reads both at one moment.
    ///
    /// - Throws: ``KeychainError/unlockNeeded``, ``KeychainError/notOnThisDevice``, ``KeychainError/noItem(_:)`` where the item was
    ///   removed, and other ``KeychainError``.
    public func secret(of item: KeychainItem) async throws -> ItemSecret {
        try await contents(of: item.id) { try $0.secret }
    }

    /// Returns the bytes of the first attachment of a note with a name, as it is now.
    ///
    /// - Throws: ``KeychainError/noAttachment(_:)``, the errors of ``secret(of:)``, and other ``KeychainError``.
    public func attachment(_ name: String, of item: KeychainItem) async throws -> [UInt8] {
        try await contents(of: item.id) { try $0.attachment(name) }
    }

    /// Reads an item, its secret and its attachments as they are at one moment.
    ///
    /// - Parameters:
    ///   - id: The number of the item.
    ///   - body: Reads the contents, which must not be used after it.
    /// - Returns: The value that the closure returns.
    /// - Throws: ``KeychainError/noItem(_:)``, other ``KeychainError``, and the closure's errors.
    public func contents<Value: Sendable>(
        of id: KeychainItem.ID, _ body: @Sendable @escaping (ItemContents) throws -> Value
    ) async throws -> Value {
        try await read { try body(ItemContents(try $0.item(id.number), $0)) }
    }

    /// Reads the items that match a query, their secrets and their attachments, as they are at one moment.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - body: Reads the contents of one item, which must not be used after it.
    /// - Returns: The closure's values, those of older items first, and the damage that was met: an item of which the closure throws
    ///   ``KeychainError/damagedItem(_:)`` or ``KeychainError/damaged(_:)`` is a part of it.
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

    /// The newest item that meets a condition of the first query that has one, with its secret; `nil` where there is none.
    ///
    /// An item is not used in the place of a newer one with the same identity that is damaged.
    ///
    /// - Throws: ``KeychainError/damagedItem(_:)`` where there is none but one of them is damaged.
    func newest(
        _ queries: [KeychainQuery], where isMeant: @Sendable @escaping (KeychainItem, KeychainQuery) -> Bool
    ) async throws -> (KeychainItem, ItemSecret)? {
        try await read { try Self.newest(queries, in: &$0, where: isMeant) }
    }

    static func newest(
        _ queries: [KeychainQuery], in reader: inout KeychainReader,
        where isMeant: (KeychainItem, KeychainQuery) -> Bool
    ) throws -> (KeychainItem, ItemSecret)? {
        var damage: KeychainError?
        var damaged: Set<ItemIdentity> = []
        for query in queries {
            let listing = try reader.listing(query)
            let items = listing.items.filter { isMeant($0, query) }.sorted { $1.isOlder(than: $0) }
            for item in items where !damaged.contains(item.identity) {
                do {
                    try reader.checkGroup(of: item.id.number)
                    return (item, try reader.secret(of: item))
                } catch KeychainError.damagedItem(let id) {
                    damage = damage ?? .damagedItem(id)
                    damaged.insert(item.identity)
                }
            }
            // Other damage than of the items that the index names is not about the query.
            if damage == nil, let ids = try reader.indexedItems(query) {
                damage = listing.damage.first { $0.item.map { ids.contains($0.number) } ?? false }?.error
            }
        }
        if let damage { throw damage }
        return nil
    }

    /// The items of a class with their secrets; those that cannot be read now, or are damaged, are left out.
    ///
    /// - Throws: ``KeychainError/damaged(_:)`` where the hosts that an item is for may be those of an earlier version.
    func all(_ itemClass: KeychainItem.Class) async throws -> [(KeychainItem, ItemSecret)] {
        try await read { reader in
            try reader.provenItems(itemClass).compactMap { item in
                do {
                    return (item, try reader.secret(of: item))
                } catch KeychainError.unlockNeeded, KeychainError.notOnThisDevice, KeychainError.damagedItem {
                    return nil
                }
            }
        }
    }

    /// The items of a class with their secrets.
    ///
    /// - Throws: ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` where one may be missing.
    func complete(_ itemClass: KeychainItem.Class) async throws -> [(KeychainItem, ItemSecret)] {
        try await read { reader in
            try reader.items(KeychainQuery(itemClass)).map { ($0, try reader.secret(of: $0)) }
        }
    }

    // MARK: Writing

    /// Stores items, all of them or none: adds those that are new, and updates those that are there.
    ///
    /// Two logins are the same if their protection space and user are, two passwords if service and account are, two certificates if
    /// certificate and trust setting are, two identities if their certificate is, and two notes if title, text and attachments are.
    /// A label and a comment that are empty leave those of the stored item, and hosts are added to its hosts. Without hosts, pins and
    /// distrusted certificates are for all hosts then, and anchors and identities stay for the hosts that they are for.
    ///
    /// An item whose secret is damaged, or that may be one that cannot be opened, is added beside that one, and the change names the damage.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - replaces: Whether the contents of a stored item are replaced where they differ.
    ///   - now: The time of the change.
    /// - Returns: The effect of each item, in the same order.
    /// - Throws: ``KeychainError/unlockNeeded`` where the secret of a stored item cannot be read now, ``KeychainError/damagedItem(_:)``
    ///   where an anchor or an identity without hosts may be one that cannot be opened, and other ``KeychainError``.
    @discardableResult
    public func store(
        _ items: [NewItem], replacing replaces: Bool = true, at now: Date = .now
    ) async throws -> [ItemChange] {
        try await write(now) { try $0.store(items, replaces: replaces) }
    }

    /// Returns the effects that ``store(_:replacing:at:)`` would have, and changes nothing.
    ///
    /// - Throws: ``KeychainError``, as storing does.
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

    /// Adds items, all of them or none, without comparing them with those that are there; ``store(_:replacing:at:)`` does.
    ///
    /// - Parameters:
    ///   - items: The new items.
    ///   - now: The time of the change.
    /// - Returns: The items, in the same order.
    /// - Throws: ``KeychainError/unlockNeeded`` for the accessibility ``KeychainItem/Accessibility/whenUnlocked`` where the last unlock is
    ///   too long ago, and other ``KeychainError``.
    @discardableResult
    public func add(_ items: [NewItem], at now: Date = .now) async throws -> [KeychainItem] {
        try await write(now) { writer in try items.map { try writer.add($0) } }
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
    /// - Throws: ``KeychainError/noItem(_:)``, ``KeychainError/itemExists(_:)`` where the change makes it the same as another item,
    ///   ``KeychainError/unlockNeeded`` and other ``KeychainError``.
    @discardableResult
    public func replace(
        _ id: KeychainItem.ID, by item: NewItem, at now: Date = .now
    ) async throws -> KeychainItem {
        try await write(now) { try $0.replace(id.number, by: item) }
    }

    /// Replaces an item by another that is made from it, so that no change of another program in between is lost.
    ///
    /// - Parameters:
    ///   - id: The number of the item, which stays.
    ///   - now: The time of the change.
    ///   - change: Makes the new item from the present one; no other program writes while it runs.
    /// - Returns: The item as it is now.
    /// - Throws: The errors of ``replace(_:by:at:)``, and the closure's errors; then nothing is changed.
    @discardableResult
    public func edit(
        _ id: KeychainItem.ID, at now: Date = .now, _ change: @Sendable @escaping (ItemContents) throws -> NewItem
    ) async throws -> KeychainItem {
        try await write(now) { writer in
            let old = try writer.item(id.number)
            return try writer.replace(id.number, by: try change(ItemContents(old, writer.reader)))
        }
    }

    /// Replaces the newest item that meets a condition of the first query that has one; nothing is changed where there is none.
    func editNewest(
        _ queries: [KeychainQuery], where isMeant: @Sendable @escaping (KeychainItem, KeychainQuery) -> Bool,
        _ change: @Sendable @escaping (KeychainItem, ItemSecret) throws -> NewItem?
    ) async throws {
        try await write(.now) { writer in
            guard let (item, secret) = try Self.newest(queries, in: &writer.reader, where: isMeant),
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
        // A state that cannot be remembered is not noticed later; the change is written.
        try? keychain.epochMemory(keys)?.remember(epoch)
        return value
    }
}

/// An item, its secret and its attachments at one moment; only within the closure that gets it.
public struct ItemContents {
    /// The item.
    public let item: KeychainItem
    private let reader: KeychainReader

    init(_ item: KeychainItem, _ reader: KeychainReader) { (self.item, self.reader) = (item, reader) }

    /// The secret of the item.
    ///
    /// - Throws: ``KeychainError/unlockNeeded``, ``KeychainError/notOnThisDevice``, ``KeychainError/damagedItem(_:)``.
    public var secret: ItemSecret { get throws { try reader.secret(of: item) } }

    /// Returns the bytes of the first attachment of a note with a name.
    ///
    /// - Throws: ``KeychainError/noAttachment(_:)``, the errors of ``secret``, and other ``KeychainError``.
    public func attachment(_ name: String) throws -> [UInt8] { try reader.attachment(name, of: item) }
}
