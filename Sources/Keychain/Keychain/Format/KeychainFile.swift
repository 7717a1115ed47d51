// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
internal import EssentialFoundation
internal import GRDB
internal import POSIX
internal import PrivateFiles

/// The SQLite database of a keychain, and what its errors mean.
struct KeychainFile: Sendable {
    private let queue: DatabaseQueue

    /// Opens or makes the file, after checking its rights and those of its folder.
    init(_ path: String, creates: Bool) throws(KeychainError) {
        if creates { try PrivateFile<KeychainError>.createFolder(of: path) }
        let isThere = try PrivateFile<KeychainError>.check(path)
        guard isThere || creates else { throw .notFound(path: path) }
        guard !isThere || !creates else { throw .exists(path: path) }
        guard file_system_is_local(PrivateFile<KeychainError>.folder(of: path)) == 1 else {
            throw .networkFileSystem(path: path)
        }
        // SQLite would make a database of an empty file.
        guard !isThere || file_is_empty(path) == 0 else { throw .notKeychain(path: path) }
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            // Large pages waste less beside long notes; a file keeps the size that it was made with.
            // Each commit is on the disk before it is acknowledged.
            try database.execute(
                sql: """
                    PRAGMA page_size = 32768; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 128;
                    PRAGMA synchronous = FULL;
                    PRAGMA trusted_schema = OFF
                    """)
        }
        // SQLite gives the files of its log the rights of this one.
        if creates {
            // Of two processes that make it at once, one is first.
            guard try PrivateFile<KeychainError>.create(path, []) else { throw .exists(path: path) }
        }
        do throws(KeychainError) {
            queue = try Self.naming {
                do {
                    return try DatabaseQueue(path: path, configuration: configuration)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
                    throw KeychainError.notKeychain(path: path)
                }
            }
        } catch {
            if creates { Self.remove(path) }
            throw error
        }
    }

    /// Makes a file that has its name only when it is complete, so that no other process meets a part of it.
    ///
    /// - Throws: ``KeychainError/exists(path:)``, other ``KeychainError``, and the closure's errors; then nothing is left.
    static func create<Value>(at path: String, _ fill: (KeychainFile) async throws -> Value) async throws -> Value {
        guard try !PrivateFile<KeychainError>.check(path) else { throw KeychainError.exists(path: path) }
        let file = try KeychainFile(PrivateFile<KeychainError>.draft(of: path), creates: true)
        do {
            let value = try await fill(file)
            // A file that is closed has no log beside it.
            try file.checkpoint()
            try file.queue.close()
            guard try PrivateFile<KeychainError>.publish(file.queue.path, as: path) else {
                throw KeychainError.exists(path: path)
            }
            return value
        } catch {
            file.discard()
            throw named(error)
        }
    }

    /// Removes a file, and those of its log.
    static func remove(_ path: String) { for ending in ["", "-wal", "-shm"] { unlink(path + ending) } }

    /// Removes a file that was made a moment ago and could not be filled.
    private func discard() {
        try? queue.close()
        Self.remove(queue.path)
    }

    /// Reads one state of the file.
    func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value {
        do {
            return try await queue.unsafeRead { database in
                try database.readOnly {
                    try database.beginTransaction(.deferred)
                    let result = Result { try body(database) }
                    // After a page that could not be read, SQLite refuses to commit.
                    try database.rollback()
                    return try result.get()
                }
            }
        } catch {
            throw Self.named(error)
        }
    }

    func write<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value {
        do {
            return try await queue.write(body)
        } catch {
            throw Self.named(error)
        }
    }

    /// Writes at once, within a transaction of another file.
    func writeNow<Value>(_ body: (Database) throws -> Value) throws -> Value { try queue.write(body) }

    func migrate() throws(KeychainError) { try Self.naming { try Schema.migrator.migrate(queue) } }

    /// Copies the database as it is at one moment, also while others write.
    func copy(to path: String) throws(KeychainError) {
        try Self.naming {
            let copy = try DatabaseQueue(path: path)
            try queue.backup(to: copy)
            try copy.close()
        }
    }

    /// Brings what is in the log into the file.
    func checkpoint() throws(KeychainError) {
        try Self.naming { _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
    }

    func vacuum() async throws {
        do {
            try await queue.vacuum()
        } catch {
            throw Self.named(error)
        }
    }

    private static func naming<Value>(_ body: () throws -> Value) throws(KeychainError) -> Value {
        do {
            return try body()
        } catch {
            throw named(error) as? KeychainError ?? .damaged(.file)
        }
    }

    /// Returns whether an error is about a damaged part of the file, beside which others can be read.
    static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case KeychainError.damaged, KeychainError.damagedItem: true
        case let error as DatabaseError:
            error.resultCode == .SQLITE_CORRUPT
                || [.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ].contains(error.extendedResultCode)
        default: false
        }
    }

    /// What SQLite says, as the keychain's errors.
    private static func named(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return switch error.resultCode {
        case .SQLITE_FULL: KeychainError.diskFull
        // A database in WAL mode needs files beside it, which cannot be made on a read-only disk.
        case .SQLITE_READONLY, .SQLITE_CANTOPEN: KeychainError.readOnly
        // SQLITE_PROTOCOL: other processes took the log's locks each time that this one tried.
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: KeychainError.busy
        case .SQLITE_NOMEM: KeychainError.outOfMemory
        case .SQLITE_IOERR
        where [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE].contains(error.extendedResultCode):
            KeychainError.diskFull
        default: KeychainError.damaged(.file)
        }
    }
}

/// The tables of a keychain's file, by the versions of the format.
enum Schema {
    /// The version that this software writes.
    static let version: Int64 = 1

    /// Makes the tables where there are none, and brings those of an older version up to this one.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE header (
                        id INTEGER PRIMARY KEY CHECK (id = 1), format INTEGER NOT NULL, store BLOB NOT NULL,
                        epoch INTEGER NOT NULL, next_item INTEGER NOT NULL, index_bits INTEGER NOT NULL,
                        index_count INTEGER NOT NULL, item_groups BLOB NOT NULL, index_groups BLOB NOT NULL,
                        mac BLOB NOT NULL);
                    CREATE TABLE slot (
                        id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, parameters BLOB NOT NULL, wrapped BLOB NOT NULL);
                    CREATE TABLE attempt (
                        slot INTEGER PRIMARY KEY, failures INTEGER NOT NULL, last INTEGER NOT NULL);
                    CREATE TABLE item (
                        id INTEGER PRIMARY KEY, class INTEGER NOT NULL, accessibility INTEGER NOT NULL,
                        version INTEGER NOT NULL, attributes BLOB NOT NULL, secret BLOB NOT NULL);
                    CREATE TABLE chunk (
                        item INTEGER NOT NULL, number INTEGER NOT NULL, sealed BLOB NOT NULL,
                        PRIMARY KEY (item, number));
                    CREATE TABLE entry (
                        token INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (token, item)) WITHOUT ROWID;
                    CREATE TABLE manifest (
                        tree INTEGER NOT NULL, number INTEGER NOT NULL, macs BLOB NOT NULL,
                        PRIMARY KEY (tree, number));
                    """)
        }
        return migrator
    }
}

extension [UInt8] {
    /// As SQLite stores it.
    var stored: Data { Data(self) }

    /// Returns `nil` for what is no blob: a file may have been changed by hand.
    static func stored(_ value: DatabaseValue?) -> [UInt8]? {
        guard case .blob(let data)? = value?.storage else { return nil }
        return Array(data)
    }
}
