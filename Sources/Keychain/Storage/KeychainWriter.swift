// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import GRDB
internal import KeychainAgent
internal import Secrets

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Writes items within one transaction of the database; ``finish()`` comes last.
struct KeychainWriter {
    private let database: Database
    private let keys: KeyRing
    private let device: DeviceSecret?
    private let now: Date
    private var manifest: Manifest
    private var changes: Manifest.Changes

    init(_ database: Database, _ keys: KeyRing, device: DeviceSecret?, now: Date) throws {
        (self.database, self.keys, self.device, self.now) = (database, keys, device, now)
        manifest = try Manifest(database, keys)
        changes = Manifest.Changes(nextItem: manifest.header.nextItem)
    }

    var header: Header { manifest.header }

    mutating func add(_ new: NewItem) throws -> KeychainItem {
        let id = changes.nextItem
        changes.nextItem += 1
        return try write(new, id: id, version: 1, created: now)
    }

    mutating func replace(_ id: Int64, by new: NewItem) throws -> KeychainItem {
        let old = try item(id)
        try delete(old)
        return try write(new, id: id, version: old.version + 1, created: old.created)
    }

    mutating func remove(_ id: Int64) throws { try delete(try item(id)) }

    /// The same as a reader finds, before the changes of this transaction.
    mutating func items(_ query: KeychainQuery) throws -> [KeychainItem] {
        var reader = try KeychainReader(database, keys, device: device)
        return try reader.items(query)
    }

    /// Writes the index, the manifest and the header.
    mutating func finish() throws -> Header {
        try manifest.finish(changes)
        return manifest.header
    }

    private mutating func item(_ id: Int64) throws -> KeychainItem {
        try manifest.verify(item: id)
        let row = try Row.fetchOne(
            database, sql: "SELECT id, class, accessibility, version, attributes FROM item WHERE id = ?",
            arguments: [id])
        guard let row else { throw KeychainError.noItem(KeychainItem.ID(id)) }
        return try ItemRow(row).item(keys, of: header.id)
    }

    private mutating func write(_ new: NewItem, id: Int64, version: Int64, created: Date) throws -> KeychainItem {
        try manifest.verify(item: id)
        let itemClass = new.kind.itemClass
        let authenticated = { [keychain = header.id] (part: String) in
            ItemRow.authenticated(part, id, itemClass, new.accessibility, version, keychain)
        }
        let secretKey = try keys.secretKey(for: new.accessibility, device: device)
        let attributes = ItemCoding.attributes(of: new, created: created, modified: now)
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
        changes.newEntries += entries(new.kind, new.label, id)
        return try ItemCoding.item(
            attributes, id: KeychainItem.ID(id), itemClass: itemClass, accessibility: new.accessibility,
            version: version)
    }

    private mutating func delete(_ item: KeychainItem) throws {
        let id = item.id.number
        try database.execute(sql: "DELETE FROM item WHERE id = ?", arguments: [id])
        try database.execute(sql: "DELETE FROM chunk WHERE item = ?", arguments: [id])
        changes.items.insert(id)
        let entries = entries(item.kind, item.label, id)
        // One that was added in this transaction is not written yet.
        changes.oldEntries += entries.filter { entry in !changes.newEntries.contains { $0 == entry } }
        changes.newEntries.removeAll { entry in entries.contains { $0 == entry } }
    }

    private func entries(_ kind: KeychainItem.Kind, _ label: String, _ id: Int64) -> [(token: Int64, item: Int64)] {
        var seen: Set<Int64> = []
        return Index.fields(of: kind, label: label)
            .filter { $0.0 != .itemClass }
            .map { Index.token($0.0, $0.1, keys.index) }
            .filter { seen.insert($0).inserted }
            .map { ($0, id) }
    }
}
