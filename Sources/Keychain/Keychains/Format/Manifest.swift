// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import GRDB

/// Authenticates the complete set of items and index entries, so that none can be removed, swapped or reverted.
///
/// Each of the two tables is divided into buckets. A bucket's code covers its rows, a group's code covers the codes of
/// 256 buckets, and the header's code covers those of all groups. So one bucket of each table proves the result of a
/// lookup, even an empty one.
struct Manifest {
    enum Tree: Int64, CaseIterable {
        case items = 0
        case index = 1
    }

    /// A bucket of a table.
    struct Bucket: Hashable {
        let tree: Tree
        let number: Int64
    }

    /// An entry of the index.
    struct Entry: Hashable {
        let token: Int64
        let item: Int64
    }

    static let minimumIndexBits = 4
    static let indexBits = minimumIndexBits...Index.tokenBits
    /// The maximum average number of entries in a bucket of the index; above it, the index is divided into more
    /// buckets.
    private static let maximumEntriesPerBucket: Int64 = 128
    private static let itemsPerBucket: Int64 = 64
    private static let bucketsPerGroup: Int64 = 256
    private static let codeByteCount = 16

    let database: Database
    let keys: KeyRing
    private(set) var header: Header
    /// The buckets whose codes match.
    private var verified: Set<Bucket> = []
    /// The buckets whose codes do not match; they keep their codes, so that no write hides the damage.
    private var unverified: Set<Bucket> = []
    /// The codes of the buckets in each group that matched the header, including changes of this transaction.
    private var groups: [Bucket: [UInt8]] = [:]

    init(_ database: Database, _ keys: KeyRing) throws {
        (self.database, self.keys) = (database, keys)
        header = try Header(database)
        try header.check(keys)
    }

    /// Creates a manifest that proves nothing, for a keychain whose header is damaged.
    init(unverified database: Database, _ keys: KeyRing) throws {
        (self.database, self.keys) = (database, keys)
        header = Header(id: try Header.id(database))
        header.nextItem = max(try Int64.fetchOne(database, sql: "SELECT max(id) FROM item") ?? 0, 0) + 1
    }

    // MARK: Checking

    /// Returns the numbers of all items in an item's bucket.
    static func numbers(beside id: Int64) -> ClosedRange<Int64> {
        let first = id / itemsPerBucket * itemsPerBucket
        return max(first, 1)...(first + itemsPerBucket - 1)
    }

    /// Returns whether the rows of an item's bucket are unchanged.
    mutating func isVerified(item id: Int64) throws -> Bool {
        try isVerified(Bucket(tree: .items, number: id / Self.itemsPerBucket))
    }

    /// Returns the items with an index token; `nil` if that bucket of the index was changed.
    mutating func items(named token: Int64) throws -> [Int64]? {
        guard try isVerified(bucket(of: token)) else { return nil }
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT item FROM entry WHERE token = ? ORDER BY item"), arguments: [token])
        return rows.compactMap { Int64.fromDatabaseValue($0[0]) }
    }

    /// Returns whether every bucket of the index is unchanged, and the index has no entries outside the buckets.
    mutating func isIndexVerified(progress: (Double) -> Void) throws -> Bool {
        let count = Int64(1) << header.indexBits
        var isVerified = true
        for number in 0..<count {
            isVerified = try self.isVerified(Bucket(tree: .index, number: number)) && isVerified
            progress(Double(number + 1) / Double(count))
        }
        guard isVerified else { return false }
        let entries = try Row.fetchOne(database, sql: "SELECT count(*) FROM entry")
        return entries.flatMap { Int64.fromDatabaseValue($0[0]) } == header.indexCount
    }

    /// Returns whether there are readable items outside all buckets.
    func hasUnexpectedItems() throws -> Bool {
        do {
            // Each query reads only one end of the table, so unreadable pages in between do not matter.
            let first = try Int64.fetchOne(database, sql: "SELECT min(id) FROM item") ?? 1
            let last = try Int64.fetchOne(database, sql: "SELECT max(id) FROM item") ?? 0
            return first < 1 || last >= header.nextItem
        } catch  where KeychainFile.isDamage(error) {
            return false
        }
    }

    private mutating func isVerified(_ bucket: Bucket) throws -> Bool {
        if unverified.contains(bucket) { return false }
        do {
            try verify(bucket)
            return true
        } catch  where KeychainFile.isDamage(error) {
            unverified.insert(bucket)
            return false
        }
    }

    private mutating func verify(_ bucket: Bucket) throws {
        guard !verified.contains(bucket) else { return }
        let group = try group(of: bucket)
        guard try code(of: bucket) == Self.code(at: bucket.number % Self.bucketsPerGroup, in: group) else {
            throw KeychainError.damaged(.manifest)
        }
        verified.insert(bucket)
    }

    /// Returns the codes of a group's buckets, after checking them against the header.
    private mutating func group(of bucket: Bucket) throws -> [UInt8] {
        let key = Bucket(tree: bucket.tree, number: bucket.number / Self.bucketsPerGroup)
        if let known = groups[key] { return known }
        let row = try Row.fetchOne(
            database, sql: "SELECT macs FROM manifest WHERE tree = ? AND number = ?",
            arguments: [key.tree.rawValue, key.number])
        let codes = row.flatMap { [UInt8].stored($0["macs"]) } ?? []
        let roots = key.tree == .items ? header.itemGroups : header.indexGroups
        guard Self.code(at: key.number, in: roots) == code(ofGroup: key, codes) else {
            throw KeychainError.damaged(.manifest)
        }
        groups[key] = codes
        return codes
    }

    // MARK: Writing

    /// The changes of one transaction.
    struct Changes {
        var items: Set<Int64> = []
        var newEntries: Set<Entry> = []
        var oldEntries: Set<Entry> = []
        var nextItem: Int64
    }

    /// Writes the index entries and the codes of all changes, and increments the epoch.
    ///
    /// A bucket whose code did not match keeps that code, so that a change by another program is never authenticated.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - epoch: The new epoch; `nil` for the next one.
    /// - Throws: ``KeychainError`` and database errors.
    mutating func finish(_ changes: Changes, epoch: Int64? = nil) throws {
        var buckets = Set(changes.items.map { Bucket(tree: .items, number: $0 / Self.itemsPerBucket) })
        let entries = changes.newEntries.sorted { ($0.token, $0.item) < ($1.token, $1.item) }
        for entry in entries + changes.oldEntries {
            let bucket = bucket(of: entry.token)
            if buckets.insert(bucket).inserted { _ = try isVerified(bucket) }
        }
        for entry in changes.oldEntries {
            try database.cachedStatement(sql: "DELETE FROM entry WHERE token = ? AND item = ?")
                .execute(arguments: [entry.token, entry.item])
        }
        // A damaged index may already contain the entry.
        let insertion = try database.cachedStatement(sql: "INSERT OR IGNORE INTO entry VALUES (?, ?)")
        for entry in entries { try insertion.execute(arguments: [entry.token, entry.item]) }
        header.indexCount += Int64(entries.count - changes.oldEntries.count)
        header.nextItem = changes.nextItem
        if header.indexCount > Self.maximumEntriesPerBucket << header.indexBits, try divideIndex() {
            buckets = buckets.filter { $0.tree == .items }
        }
        for bucket in buckets where !unverified.contains(bucket) { try write(bucket) }
        try writeGroups()
        header.epoch = epoch ?? header.epoch + 1
        try header.write(database, keys)
    }

    /// Divides the index into more buckets, after checking the present ones.
    ///
    /// - Returns: Whether the index was divided; `false` if a bucket was changed by another program.
    private mutating func divideIndex() throws -> Bool {
        // The buckets of the new entries were checked before the entries were written.
        for number in 0..<(Int64(1) << header.indexBits)
        where try !isVerified(Bucket(tree: .index, number: number)) {
            return false
        }
        while header.indexCount > (Self.maximumEntriesPerBucket / 4) << header.indexBits,
            header.indexBits < Self.indexBits.upperBound
        {
            header.indexBits += 2
        }
        try database.execute(sql: "DELETE FROM manifest WHERE tree = ?", arguments: [Tree.index.rawValue])
        header.indexGroups = []
        groups = groups.filter { $0.key.tree == .items }
        verified = verified.filter { $0.tree == .items }
        for number in 0..<(Int64(1) << header.indexBits) {
            let bucket = Bucket(tree: .index, number: number)
            let key = Bucket(tree: .index, number: number / Self.bucketsPerGroup)
            Self.set(try code(of: bucket), at: number % Self.bucketsPerGroup, in: &groups[key, default: []])
            changedGroups.insert(key)
        }
        return true
    }

    private var changedGroups: Set<Bucket> = []

    private mutating func write(_ bucket: Bucket) throws {
        let key = Bucket(tree: bucket.tree, number: bucket.number / Self.bucketsPerGroup)
        var group = try group(of: bucket)
        Self.set(try code(of: bucket), at: bucket.number % Self.bucketsPerGroup, in: &group)
        groups[key] = group
        changedGroups.insert(key)
        verified.insert(bucket)
    }

    private mutating func writeGroups() throws {
        for key in changedGroups {
            let group = groups[key] ?? []
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO manifest VALUES (?, ?, ?)")
                .execute(arguments: [key.tree.rawValue, key.number, group.stored])
            let code = code(ofGroup: key, group)
            if key.tree == .items {
                Self.set(code, at: key.number, in: &header.itemGroups)
            } else {
                Self.set(code, at: key.number, in: &header.indexGroups)
            }
        }
        changedGroups = []
    }

    // MARK: Codes

    private func bucket(of token: Int64) -> Bucket {
        let bits = UInt32(truncatingIfNeeded: token)
        return Bucket(tree: .index, number: Int64(bits >> (Index.tokenBits - header.indexBits)))
    }

    /// Returns the code of a bucket's rows; zeros if it has none.
    private func code(of bucket: Bucket) throws -> [UInt8] {
        var writer = FieldWriter()
        var isEmpty = true
        writer.number(bucket.tree.rawValue)
        writer.number(bucket.number)
        if bucket.tree == .items {
            let first = bucket.number * Self.itemsPerBucket
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: """
                        SELECT id, class, accessibility, version, substr(attributes, -16) AS a, substr(secret, -16) AS s
                        FROM item WHERE id BETWEEN ? AND ? ORDER BY id
                        """),
                arguments: [first, first + Self.itemsPerBucket - 1])
            while let row = try rows.next() {
                isEmpty = false
                for column in ["id", "class", "accessibility", "version"] {
                    guard let number = Int64.fromDatabaseValue(row[column]) else {
                        throw KeychainError.damaged(.record)
                    }
                    writer.number(number)
                }
                for column in ["a", "s"] { writer.field([UInt8].stored(row[column]) ?? []) }
            }
        } else {
            let shift = Index.tokenBits - header.indexBits
            // All tokens in a bucket have the same high bits, and therefore the same sign.
            let first = Int64(Int32(truncatingIfNeeded: bucket.number << shift))
            let last = first + (1 << shift - 1)
            let rows = try Row.fetchCursor(
                database.cachedStatement(
                    sql: "SELECT token, item FROM entry WHERE token BETWEEN ? AND ? ORDER BY token, item"),
                arguments: [first, last])
            while let row = try rows.next() {
                isEmpty = false
                for column in [0, 1] {
                    guard let number = Int64.fromDatabaseValue(row[column]) else {
                        throw KeychainError.damaged(.record)
                    }
                    writer.number(number)
                }
            }
        }
        return isEmpty ? [UInt8](repeating: 0, count: Self.codeByteCount) : code(for: writer.bytes)
    }

    private func code(ofGroup key: Bucket, _ codes: [UInt8]) -> [UInt8] {
        guard !codes.isEmpty else { return [UInt8](repeating: 0, count: Self.codeByteCount) }
        var writer = FieldWriter()
        writer.text("group")
        writer.number(key.tree.rawValue)
        writer.number(key.number)
        writer.field(codes)
        return code(for: writer.bytes)
    }

    private func code(for bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: keys.manifest).prefix(Self.codeByteCount))
    }

    private static func code(at number: Int64, in codes: [UInt8]) -> [UInt8] {
        let start = Int(number) * codeByteCount
        guard start + codeByteCount <= codes.count else { return [UInt8](repeating: 0, count: codeByteCount) }
        return Array(codes[start..<(start + codeByteCount)])
    }

    private static func set(_ code: [UInt8], at number: Int64, in codes: inout [UInt8]) {
        let start = Int(number) * codeByteCount
        if codes.count < start + codeByteCount {
            codes += [UInt8](repeating: 0, count: start + codeByteCount - codes.count)
        }
        codes.replaceSubrange(start..<(start + codeByteCount), with: code)
    }
}
