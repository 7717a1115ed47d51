// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import GRDB
internal import KeychainAgents
internal import PrivateFiles

/// The first row of a keychain, with its format, its identifier and the roots of its manifest.
struct Header {
    let id: KeychainID
    /// A number that grows with each transaction.
    var epoch: Int64 = 0
    var nextItem: Int64 = 1
    /// The number of token bits that select a bucket of the index.
    var indexBits = Manifest.minimumIndexBits
    /// The number of index entries.
    var indexCount: Int64 = 0
    var itemGroups: [UInt8] = []
    var indexGroups: [UInt8] = []
    private var mac: [UInt8] = []

    init(id: KeychainID) { self.id = id }

    /// Reads the row.
    ///
    /// The row is not authenticated before ``check(_:)``.
    ///
    /// - Throws: ``KeychainError/otherVersion(_:)`` and ``KeychainError/damaged(_:)``.
    init(_ database: Database) throws {
        guard
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT format, store, epoch, next_item, index_bits, index_count, item_groups, index_groups, mac FROM header
                    """)
        else {
            throw KeychainError.damaged(.header)
        }
        guard let format = Int64.fromDatabaseValue(row["format"]), let store = [UInt8].stored(row["store"]),
            let id = KeychainID(store), let epoch = Int64.fromDatabaseValue(row["epoch"]),
            let nextItem = Int64.fromDatabaseValue(row["next_item"]),
            let indexBits = Int64.fromDatabaseValue(row["index_bits"]),
            let indexCount = Int64.fromDatabaseValue(row["index_count"]),
            let itemGroups = [UInt8].stored(row["item_groups"]),
            let indexGroups = [UInt8].stored(row["index_groups"]), let mac = [UInt8].stored(row["mac"])
        else { throw KeychainError.damaged(.header) }
        guard format == Schema.version else { throw KeychainError.otherVersion(format) }
        guard Manifest.indexBits.contains(Int(truncatingIfNeeded: indexBits)), epoch >= 0, nextItem > 0 else {
            throw KeychainError.damaged(.header)
        }
        self.id = id
        (self.epoch, self.nextItem, self.indexCount) = (epoch, nextItem, indexCount)
        self.indexBits = Int(indexBits)
        (self.itemGroups, self.indexGroups, self.mac) = (itemGroups, indexGroups, mac)
    }

    /// Returns the keychain's identifier, even if the rest of the row is damaged; opening a slot or an item
    /// authenticates the identifier.
    ///
    /// - Throws: ``KeychainError/otherVersion(_:)``, and ``KeychainError/damaged(_:)`` if the identifier cannot be
    ///   read.
    static func id(_ database: Database) throws -> KeychainID {
        do {
            return try Header(database).id
        } catch KeychainError.damaged(let part) {
            let row = try Row.fetchOne(database, sql: "SELECT store FROM header")
            guard let id = row.flatMap({ [UInt8].stored($0["store"]) }).flatMap({ KeychainID($0) }) else {
                throw KeychainError.damaged(part)
            }
            return id
        }
    }

    /// - Throws: ``KeychainError/damaged(_:)`` if the row was changed.
    func check(_ keys: KeyRing) throws(KeychainError) {
        guard HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: authenticated, using: keys.manifest) else {
            throw .damaged(.header)
        }
    }

    /// Writes the row, with an authentication code for all of it.
    mutating func write(_ database: Database, _ keys: KeyRing) throws {
        mac = Array(HMAC<SHA256>.authenticationCode(for: authenticated, using: keys.manifest))
        try database.execute(
            sql: "INSERT OR REPLACE INTO header VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                Schema.version, id.bytes.stored, epoch, nextItem, Int64(indexBits), indexCount, itemGroups.stored,
                indexGroups.stored, mac.stored,
            ])
    }

    private var authenticated: [UInt8] {
        var writer = FieldWriter()
        writer.text("countersign keychain header")
        writer.number(Schema.version)
        writer.field(id.bytes)
        for number in [epoch, nextItem, Int64(indexBits), indexCount] { writer.number(number) }
        writer.field(itemGroups)
        writer.field(indexGroups)
        return writer.bytes
    }
}

/// Stores a keychain's epoch in a file elsewhere, so that an older copy of the keychain file is detected.
///
/// A writer stores its epoch after the commit, so the stored epoch is never ahead of the keychain. A reader reads the
/// stored epoch first and the keychain second, so a commit between the two makes the keychain newer, not older. The
/// stored epoch changes under a lock and only grows, unless a user accepts an older state.
struct EpochMemory {
    let path: String
    let keychain: KeychainID
    let keys: KeyRing

    /// Returns the stored epoch; 0 for none.
    ///
    /// - Throws: ``KeychainError``, such as ``KeychainError/unsafePermissions(path:)``.
    func epoch() throws(KeychainError) -> Int64 {
        guard let bytes = try PrivateFile<KeychainError>.read(path, limit: 57) else { return 0 }
        guard bytes.count == 56 else { throw .damaged(.keyFile) }
        // A file that belongs to another keychain, or that was changed, is ignored.
        guard bytes.prefix(16).elementsEqual(keychain.bytes), bytes.suffix(32).elementsEqual(code(bytes.prefix(24)))
        else { return 0 }
        return bytes[16..<24].reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Stores an epoch, unless a later one is stored.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the keychain.
    ///   - accepted: The stored epoch that the accepted older one replaces; a later epoch that another process has
    ///     stored since is not replaced.
    /// - Throws: ``KeychainError``, such as ``KeychainError/diskFull``.
    func remember(_ epoch: Int64, insteadOf accepted: Int64? = nil) throws(KeychainError) {
        try PrivateFile<KeychainError>.locked(path) { () throws(KeychainError) in
            let known = try self.epoch()
            guard epoch > known || (accepted == known && epoch < known) else { return }
            var writer = FieldWriter()
            writer.number(epoch)
            let bytes = keychain.bytes + writer.bytes
            try PrivateFile<KeychainError>.replace(path, with: bytes + code(bytes))
        }
    }

    private func code(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("epoch".utf8) + bytes, using: keys.manifest))
    }
}
