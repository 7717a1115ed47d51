// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import GRDB
internal import KeychainAgents
internal import Secrets

/// Reads items within one transaction of the database.
///
/// The seal of an item proves that it was written in this form at some time. The manifest proves that a group of 64
/// item numbers is in its latest state. If an item of a group cannot be opened, the group's code differs for that
/// reason, and its other items are still read. If every item of a group opens but the code differs, an item was
/// removed, added or reverted: only a listing then uses the group's items, and it reports the damage.
struct KeychainReader {
    private let database: Database
    private let keys: KeyRing
    private let device: DeviceSecret?
    var manifest: Manifest
    /// Whether the header is damaged, so that nothing proves that the items are complete and up to date.
    private(set) var isHeaderDamaged = false
    /// The items that cannot be opened, by the first number of their group.
    private var damagedItems: [Int64: [KeychainDamage]] = [:]

    init(_ database: Database, _ keys: KeyRing, device: DeviceSecret?) throws {
        (self.database, self.keys, self.device) = (database, keys, device)
        manifest = try Manifest(database, keys)
    }

    /// Creates a reader that also reads a keychain with a damaged header.
    init(repairing database: Database, _ keys: KeyRing, device: DeviceSecret?) throws {
        (self.database, self.keys, self.device) = (database, keys, device)
        do {
            manifest = try Manifest(database, keys)
        } catch KeychainError.damaged {
            manifest = try Manifest(unverified: database, keys)
            isHeaderDamaged = true
        }
    }

    var header: Header { manifest.header }

    // MARK: Items

    /// - Throws: ``KeychainError/noItem(_:)``, ``KeychainError/damagedItem(_:)``, ``KeychainError/damaged(_:)``.
    mutating func item(_ id: Int64) throws -> KeychainItem {
        guard (1..<header.nextItem).contains(id) else { throw KeychainError.noItem(KeychainItem.ID(id)) }
        let isVerified = try manifest.isVerified(item: id)
        guard let row = try row(id) else {
            throw isVerified ? KeychainError.noItem(KeychainItem.ID(id)) : KeychainError.damaged(.manifest)
        }
        let item = try opened(row, id)
        try checkGroup(of: id)
        return item
    }

    /// - Throws: ``KeychainError/damaged(_:)`` if an item of the group was removed, added or reverted.
    mutating func checkGroup(of id: Int64) throws {
        if try !manifest.isVerified(item: id), try damagedItems(beside: id).isEmpty {
            throw KeychainError.damaged(.manifest)
        }
    }

    /// Returns the items that match a query, older ones first.
    ///
    /// - Throws: ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` for the first damage that is met.
    mutating func items(_ query: KeychainQuery) throws -> [KeychainItem] {
        let listing = try listing(query)
        if let damage = listing.damage.first { throw damage.error }
        return listing.items
    }

    /// Returns the readable items that match a query, and the damage that was met in the examined groups.
    mutating func listing(_ query: KeychainQuery) throws -> KeychainListing {
        if let ids = try indexedItems(query) {
            let groups = Set(ids.map { Manifest.numbers(beside: $0).lowerBound }).sorted()
            return try listing(query, of: ids.map { id in (id, { reader in try reader.row(id) }) }, in: groups)
        }
        var listing = KeychainListing()
        var first: Int64 = 1
        while first < header.nextItem {
            let numbers = Manifest.numbers(beside: first)
            // The group is checked even if it has no rows, since they may have been removed.
            let part = try self.listing(query, of: try rows(numbers), in: [first])
            listing.items += part.items
            listing.damage += part.damage
            first = numbers.upperBound + 1
        }
        return listing
    }

    private mutating func listing(
        _ query: KeychainQuery, of rows: [(id: Int64, row: (KeychainReader) throws -> Row?)], in groups: [Int64]
    ) throws -> KeychainListing {
        var listing = KeychainListing()
        for (id, read) in rows {
            let isVerified = try manifest.isVerified(item: id)
            var itemClass: KeychainItem.Class?
            do {
                guard let row = try read(self) else { continue }
                itemClass = Self.itemClass(of: row)
                // The class column of a proven row is reliable.
                if isVerified, query.itemClass ?? itemClass != itemClass { continue }
                let item = try opened(row, id)
                if query.matches(item) { listing.items.append(item) }
            } catch KeychainError.damagedItem {
                if isVerified { listing.damage.append(.item(KeychainItem.ID(id), itemClass)) }
            }
        }
        for first in groups where try !manifest.isVerified(item: first) {
            let damage = try damagedItems(beside: first)
            listing.damage += damage.isEmpty ? [.group(Manifest.numbers(beside: first))] : damage
        }
        return listing
    }

    /// Returns the matching items whose groups have no unexplained change, and the damage that may affect the query.
    mutating func usableItems(_ query: KeychainQuery) throws -> KeychainListing {
        let ids = try indexedItems(query).map(Set.init)
        var listing = try listing(query)
        // If the index answers the query, only damage of the items in the index matters.
        if let ids { listing.damage.removeAll { $0.item.map { !ids.contains($0.number) } ?? false } }
        listing.items = try listing.items.filter { item in
            do {
                try checkGroup(of: item.id.number)
                return true
            } catch KeychainError.damaged {
                return false
            }
        }
        return listing
    }

    /// Returns the numbers of the items in the index for a query; `nil` if the index cannot answer it.
    mutating func indexedItems(_ query: KeychainQuery) throws -> [Int64]? {
        // The class is not in the index, because its few values would have the same tokens for many items.
        guard let (field, value) = query.fields.first(where: { $0.0 != .itemClass }) else { return nil }
        return try manifest.items(named: Index.token(field, value, keys.index))
    }

    /// Returns the readable items of a class, if the manifest proves that they are of the latest version.
    ///
    /// - Throws: ``KeychainError/damagedItem(_:)`` and ``KeychainError/damaged(_:)`` if it does not.
    mutating func verifiedItems(_ itemClass: KeychainItem.Class) throws -> [KeychainItem] {
        let listing = try listing(KeychainQuery(itemClass))
        for item in listing.items where try !manifest.isVerified(item: item.id.number) {
            throw (listing.damage.first ?? .group(Manifest.numbers(beside: item.id.number))).error
        }
        return listing.items
    }

    /// Returns the items of a group that cannot be opened.
    mutating func damagedItems(beside id: Int64) throws -> [KeychainDamage] {
        let numbers = Manifest.numbers(beside: id)
        if let known = damagedItems[numbers.lowerBound] { return known }
        var damage: [KeychainDamage] = []
        for (id, read) in try rows(numbers) {
            var itemClass: KeychainItem.Class?
            do {
                guard let row = try read(self) else { continue }
                itemClass = Self.itemClass(of: row)
                let item = try opened(row, id)
                do {
                    _ = try secret(of: item)
                } catch KeychainError.damagedItem {
                    damage.append(.secret(item))
                } catch KeychainError.unlockNeeded, KeychainError.notOnThisDevice {}
            } catch KeychainError.damagedItem {
                damage.append(.item(KeychainItem.ID(id), itemClass))
            }
        }
        damagedItems[numbers.lowerBound] = damage
        return damage
    }

    // MARK: Rows

    private static let columns = "SELECT id, class, accessibility, version, attributes FROM item"

    /// - Throws: ``KeychainError/damagedItem(_:)`` if the page of the row cannot be read.
    private func row(_ id: Int64) throws -> Row? {
        do {
            return try Row.fetchOne(
                database.cachedStatement(sql: Self.columns + " WHERE id = ?"), arguments: [id])
        } catch  where KeychainFile.isDamage(error) {
            throw KeychainError.damagedItem(KeychainItem.ID(id))
        }
    }

    /// Returns the rows of a group, read one by one if they cannot be read together.
    private func rows(
        _ numbers: ClosedRange<Int64>
    ) throws -> [(id: Int64, row: (KeychainReader) throws -> Row?)] {
        do {
            return try Row.fetchAll(
                database.cachedStatement(sql: Self.columns + " WHERE id BETWEEN ? AND ? ORDER BY id"),
                arguments: [numbers.lowerBound, numbers.upperBound]
            ).map { row in (row["id"], { _ in row }) }
        } catch  where KeychainFile.isDamage(error) {
            // Every number on an unreadable page seems to be missing; the index shows which numbers exist.
            let named = try? Int64.fetchSet(
                database, sql: "SELECT item FROM entry WHERE item BETWEEN ? AND ?",
                arguments: [numbers.lowerBound, numbers.upperBound])
            return numbers.filter { $0 < header.nextItem && named?.contains($0) ?? true }.map { id in
                (id, { reader in try reader.row(id) })
            }
        }
    }

    /// - Throws: ``KeychainError/damagedItem(_:)``.
    private func opened(_ row: Row, _ id: Int64) throws(KeychainError) -> KeychainItem {
        do throws(KeychainError) {
            return try ItemRow(row).item(keys, of: header.id)
        } catch .damaged {
            throw .damagedItem(KeychainItem.ID(id))
        }
    }

    private static func itemClass(of row: Row) -> KeychainItem.Class? {
        Int64.fromDatabaseValue(row["class"]).flatMap { KeychainItem.Class(rawValue: UInt8(clamping: $0)) }
    }

    // MARK: Secrets

    /// Returns the secret of an item that was read in this transaction.
    func secret(of item: KeychainItem) throws -> ItemSecret {
        var plaintext = try plaintext(of: item)
        defer { plaintext.erase() }
        do {
            return try ItemCoding.secret(plaintext, of: item.kind.itemClass)
        } catch .damaged {
            throw KeychainError.damagedItem(item.id)
        }
    }

    /// Opens the sealed secret of an item, without decoding it.
    func plaintext(of item: KeychainItem) throws -> [UInt8] {
        let key = try keys.secretKey(for: item.accessibility, device: device)
        let row: Row?
        do {
            row = try Row.fetchOne(
                database.cachedStatement(sql: "SELECT secret, attributes FROM item WHERE id = ? AND version = ?"),
                arguments: [item.id.number, item.version])
        } catch  where KeychainFile.isDamage(error) {
            throw KeychainError.damagedItem(item.id)
        }
        guard let row else { throw KeychainError.noItem(item.id) }
        let data = ItemRow.authenticated(
            "secret", item.id.number, item.kind.itemClass, item.accessibility, item.version, header.id)
        guard let sealed = [UInt8].stored(row["secret"]), let others = [UInt8].stored(row["attributes"]),
            let plaintext = Seal.open(sealed, with: key, for: data, beside: others)
        else { throw KeychainError.damagedItem(item.id) }
        return plaintext
    }

    func attachment(_ name: String, of item: KeychainItem) throws -> [UInt8] {
        guard case .note(_, let attachments) = try secret(of: item),
            let attachment = attachments.first(where: { $0.name == name })
        else { throw KeychainError.noAttachment(name) }
        do {
            return try Chunks.read(
                attachment, of: item.id.number, version: item.version,
                with: try keys.secretKey(for: item.accessibility, device: device), keychain: header.id, database)
        } catch  where KeychainFile.isDamage(error) {
            throw KeychainError.damaged(.attachment)
        }
    }

    // MARK: Everything

    /// Opens every item, secret and attachment, and checks that none was removed, added or reverted.
    mutating func examine(progress: (Double) -> Void) throws -> KeychainListing {
        var listing = try listing(KeychainQuery())
        let known = Set(listing.damage)
        for (number, item) in listing.items.enumerated() {
            listing.damage += try damage(of: item).filter { !known.contains($0) }
            progress(0.8 * Double(number + 1) / Double(listing.items.count))
        }
        if try manifest.hasUnexpectedItems() { listing.damage.append(.group(header.nextItem...Int64.max)) }
        if try !manifest.isIndexVerified(progress: { progress(0.8 + 0.2 * $0) }) { listing.damage.append(.index) }
        return listing
    }

    private func damage(of item: KeychainItem) throws -> [KeychainDamage] {
        do {
            guard case .note(_, let attachments) = try secret(of: item) else { return [] }
            return try attachments.compactMap { attachment in
                do {
                    _ = try self.attachment(attachment.name, of: item)
                    return nil
                } catch KeychainError.damaged {
                    return .attachment(attachment.name, of: item)
                }
            }
        } catch KeychainError.damagedItem {
            return [.secret(item)]
        } catch KeychainError.unlockNeeded, KeychainError.notOnThisDevice {
            return []
        }
    }
}
