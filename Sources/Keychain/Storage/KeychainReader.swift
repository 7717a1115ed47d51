// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import GRDB
internal import KeychainAgent
internal import Secrets

/// Reads items within one transaction of the database.
struct KeychainReader {
    private let database: Database
    private let keys: KeyRing
    private let device: DeviceSecret?
    private var manifest: Manifest

    init(_ database: Database, _ keys: KeyRing, device: DeviceSecret?) throws {
        (self.database, self.keys, self.device) = (database, keys, device)
        manifest = try Manifest(database, keys)
    }

    var header: Header { manifest.header }

    mutating func item(_ id: Int64) throws -> KeychainItem {
        try manifest.verify(item: id)
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT id, class, accessibility, version, attributes FROM item WHERE id = ?"), arguments: [id])
        guard let row else { throw KeychainError.noItem(KeychainItem.ID(id)) }
        return try ItemRow(row).item(keys, of: header.id)
    }

    /// The items of a query, older ones first.
    mutating func items(_ query: KeychainQuery) throws -> [KeychainItem] {
        // The class is not in the index: every item would have the same few names.
        guard let (field, value) = query.fields.first(where: { $0.0 != .itemClass }) else { return try all(query) }
        return try manifest.items(named: Index.token(field, value, keys.index)).compactMap { id in
            let item = try item(id)
            return query.matches(item) ? item : nil
        }
    }

    private mutating func all(_ query: KeychainQuery) throws -> [KeychainItem] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT id, class, accessibility, version, attributes FROM item ORDER BY id")
        return try rows.compactMap { row in
            let row = try ItemRow(row)
            try manifest.verify(item: row.id)
            guard query.itemClass ?? row.itemClass == row.itemClass else { return nil }
            return try row.item(keys, of: header.id)
        }
    }

    func secret(of item: KeychainItem) throws -> ItemSecret {
        var plaintext = try plaintext(of: item)
        defer { plaintext.erase() }
        return try ItemCoding.secret(plaintext, of: item.kind.itemClass)
    }

    /// The secret as it was sealed.
    func plaintext(of item: KeychainItem) throws -> [UInt8] {
        let key = try keys.secretKey(for: item.accessibility, device: device)
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT secret, attributes FROM item WHERE id = ? AND version = ?"),
            arguments: [item.id.number, item.version])
        guard let row else { throw KeychainError.noItem(item.id) }
        let data = ItemRow.authenticated(
            "secret", item.id.number, item.kind.itemClass, item.accessibility, item.version, header.id)
        guard let sealed = [UInt8].stored(row["secret"]), let others = [UInt8].stored(row["attributes"]),
            let plaintext = Seal.open(sealed, with: key, for: data, beside: others)
        else { throw KeychainError.damaged(.record) }
        return plaintext
    }

    func attachment(_ name: String, of item: KeychainItem) throws -> [UInt8] {
        guard case .note(_, let attachments) = try secret(of: item),
            let attachment = attachments.first(where: { $0.name == name })
        else { throw KeychainError.noAttachment(name) }
        return try Chunks.read(
            attachment, of: item.id.number, version: item.version,
            with: try keys.secretKey(for: item.accessibility, device: device), keychain: header.id, database)
    }

    /// Opens all of an item.
    func check(_ item: KeychainItem) throws(KeychainError) {
        do {
            guard case .note(_, let attachments) = try secret(of: item) else { return }
            for attachment in attachments { _ = try self.attachment(attachment.name, of: item) }
        } catch let error as KeychainError {
            throw error
        } catch {
            throw .damaged(.file)
        }
    }

    mutating func verifyAll(progress: (Double) -> Void) throws { try manifest.verifyAll(progress: progress) }
}
