// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import EssentialFoundation
internal import GRDB
internal import KeychainAgents
internal import Secrets

/// Writes items within one transaction of the database, which ends with ``finish()``.
struct KeychainWriter {
    private let database: Database
    private let keys: KeyRing
    private let devicePath: String
    private let now: Date
    /// The reader of the state before the changes of this transaction.
    var reader: KeychainReader
    private var device: DeviceSecret?
    private var changes: Manifest.Changes

    init(_ database: Database, _ keys: KeyRing, device path: String, now: Date) throws {
        (self.database, self.keys, devicePath, self.now) = (database, keys, path, now)
        device = try DeviceSecret.read(at: path)
        reader = try KeychainReader(database, keys, device: device)
        changes = Manifest.Changes(nextItem: reader.header.nextItem)
    }

    private var header: Header { reader.header }

    /// Returns an item as it was before the changes of this transaction.
    mutating func item(_ id: Int64) throws -> KeychainItem { try reader.item(id) }

    mutating func add(_ new: NewItem) throws -> KeychainItem {
        let id = changes.nextItem
        changes.nextItem += 1
        return try write(new, id: id, version: 1, created: new.created ?? now, modified: new.modified ?? now)
    }

    /// - Throws: ``KeychainError/itemExists(_:)`` if the change would give the item the identity of another one.
    mutating func replace(_ id: Int64, by new: NewItem) throws -> KeychainItem {
        let old = try removable(id)
        if old.identity != new.identity, let other = try StoringPlan.item(like: new, &reader) {
            throw KeychainError.itemExists(other.id)
        }
        try delete(id, entries(old.kind, old.label, id))
        return try write(new, id: id, version: old.version + 1, created: old.created, modified: now)
    }

    /// Adds new items, and updates those that are already stored.
    mutating func store(_ items: [NewItem], replaces: Bool) throws -> [ItemChange] {
        try StoringPlan(items, &reader, replaces: replaces).steps.map { step in
            switch step.action {
            case .add(let new): ItemChange(effect: .added, item: try add(new), damage: step.damage)
            case .replace(let old, let new):
                ItemChange(effect: .changed, item: try replace(old.id.number, by: new), damage: step.damage)
            case .leave(let effect, let item): ItemChange(effect: effect, item: item, damage: step.damage)
            }
        }
    }

    /// Removes an item; one that cannot be opened is removed only if the manifest proves that it was not changed.
    mutating func remove(_ id: Int64) throws {
        do {
            let old = try removable(id)
            try delete(id, entries(old.kind, old.label, id))
        } catch KeychainError.damagedItem {
            guard try reader.manifest.isVerified(item: id) else { throw KeychainError.damagedItem(KeychainItem.ID(id)) }
            let tokens = try Int64.fetchAll(database, sql: "SELECT token FROM entry WHERE item = ?", arguments: [id])
            try delete(id, tokens.map { Manifest.Entry(token: $0, item: id) })
        }
    }

    /// Returns an item whose removal would not hide that its group is damaged.
    private mutating func removable(_ id: Int64) throws -> KeychainItem {
        let item = try reader.item(id)
        // The damaged secret is the reason for the group's different code.
        if try !reader.manifest.isVerified(item: id), try reader.damagedItems(beside: id).contains(.secret(item)) {
            throw KeychainError.damagedItem(item.id)
        }
        return item
    }

    // MARK: Repairing

    /// Copies a sealed item and its attachments from another file.
    mutating func restore(_ item: KeychainItem, from old: Database) throws {
        try restoreRow(item.id.number, from: old)
        let chunks = try Row.fetchCursor(
            old, sql: "SELECT number, sealed FROM chunk WHERE item = ? ORDER BY number", arguments: [item.id.number])
        while let chunk = try chunks.next() {
            try database.cachedStatement(sql: "INSERT INTO chunk VALUES (?, ?, ?)")
                .execute(arguments: [item.id.number, chunk[0] as DatabaseValue, chunk[1] as DatabaseValue])
        }
        changes.newEntries.formUnion(entries(item.kind, item.label, item.id.number))
    }

    /// Writes an item of another file as a new version.
    mutating func restore(_ item: KeychainItem, as new: NewItem) throws {
        _ = try write(
            new, id: item.id.number, version: item.version + 1, created: item.created, modified: now)
    }

    /// Copies a damaged item from another file, or writes a placeholder that cannot be opened either.
    mutating func restoreDamaged(_ id: KeychainItem.ID, from old: Database) throws {
        do {
            try restoreRow(id.number, from: old)
        } catch  where KeychainFile.isDamage(error) {
            try insertPlaceholder(id.number)
        }
    }

    /// Adds an item that cannot be opened, as a placeholder for lost items.
    mutating func addPlaceholder() throws -> KeychainItem.ID {
        let id = changes.nextItem
        changes.nextItem += 1
        try insertPlaceholder(id)
        return KeychainItem.ID(id)
    }

    private mutating func insertPlaceholder(_ id: Int64) throws {
        let none = [UInt8]().stored.databaseValue
        try insert(
            id,
            [
                Int64(KeychainItem.Class.certificate.rawValue).databaseValue,
                Int64(KeychainItem.Accessibility.afterFirstUnlock.code).databaseValue, Int64(1).databaseValue, none,
                none,
            ])
    }

    private mutating func restoreRow(_ id: Int64, from old: Database) throws {
        let row = try Row.fetchOne(
            old.cachedStatement(sql: "SELECT class, accessibility, version, attributes, secret FROM item WHERE id = ?"),
            arguments: [id])
        guard let row else { throw KeychainError.damagedItem(KeychainItem.ID(id)) }
        try insert(id, Array(row.databaseValues))
    }

    private mutating func insert(_ id: Int64, _ values: [DatabaseValue]) throws {
        try reader.checkGroup(of: id)
        try database.cachedStatement(sql: "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?)")
            .execute(arguments: StatementArguments([id.databaseValue] + values))
        changes.items.insert(id)
    }

    // MARK: Details

    /// Writes the index, the manifest and the header.
    mutating func finish(epoch: Int64? = nil) throws -> Header {
        try reader.manifest.finish(changes, epoch: epoch)
        return reader.header
    }

    private mutating func write(
        _ new: NewItem, id: Int64, version: Int64, created: Date, modified: Date
    ) throws -> KeychainItem {
        try reader.checkGroup(of: id)
        let itemClass = new.kind.itemClass
        let authenticated = { [keychain = header.id] (part: String) in
            ItemRow.authenticated(part, id, itemClass, new.accessibility, version, keychain)
        }
        if new.accessibility.isThisDeviceOnly, device == nil {
            device = try DeviceSecret.readOrCreate(at: devicePath)
        }
        let secretKey = try keys.secretKey(for: new.accessibility, device: device)
        let attributes = ItemCoding.attributes(of: new, created: created, modified: modified)
        var secret = ItemCoding.secret(of: new)
        defer { secret.erase() }
        let sealed = try Seal.seal(attributes, with: keys.attributes, for: authenticated("attributes"), block: 8)
        let sealedSecret = try Seal.seal(secret, with: secretKey, for: authenticated("secret"), beside: sealed)
        try database.cachedStatement(sql: "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?)").execute(arguments: [
            id, Int64(itemClass.rawValue), Int64(new.accessibility.code), version, sealed.stored, sealedSecret.stored,
        ])
        try Chunks.write(
            new.attachments, of: id, version: version, with: secretKey, keychain: header.id, database)
        changes.items.insert(id)
        changes.newEntries.formUnion(entries(new.kind, new.label, id))
        return try ItemCoding.item(
            attributes, id: KeychainItem.ID(id), itemClass: itemClass, accessibility: new.accessibility,
            version: version)
    }

    private mutating func delete(_ id: Int64, _ entries: [Manifest.Entry]) throws {
        try database.cachedStatement(sql: "DELETE FROM item WHERE id = ?").execute(arguments: [id])
        try database.cachedStatement(sql: "DELETE FROM chunk WHERE item = ?").execute(arguments: [id])
        changes.items.insert(id)
        for entry in entries {
            // An entry that was added in this transaction is not written yet.
            if changes.newEntries.remove(entry) == nil { changes.oldEntries.insert(entry) }
        }
    }

    private func entries(_ kind: KeychainItem.Kind, _ label: String, _ id: Int64) -> [Manifest.Entry] {
        var seen: Set<Int64> = []
        return Index.fields(of: kind, label: label)
            .filter { $0.0 != .itemClass }
            .map { Index.token($0.0, $0.1, keys.index) }
            .filter { seen.insert($0).inserted }
            .map { Manifest.Entry(token: $0, item: id) }
    }
}
