// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
internal import EssentialFoundation
internal import GRDB
internal import POSIX
internal import PrivateFiles

/// The SQLite database of a keychain, whose errors it converts to ``KeychainError``.
struct KeychainFile: Sendable {
    private let queue: DatabaseQueue

    /// Opens or creates the file, after checking the permissions of the file and its folder.
    init(_ path: String, creates: Bool) throws(KeychainError) {
        if creates { try PrivateFile<KeychainError>.createFolder(of: path) }
        let fileExists = try PrivateFile<KeychainError>.check(path)
        guard fileExists || creates else { throw .notFound(path: path) }
        guard !fileExists || !creates else { throw .exists(path: path) }
        guard file_system_is_local(PrivateFile<KeychainError>.folder(of: path)) == 1 else {
            throw .networkFileSystem(path: path)
        }
        // SQLite would turn an empty file into a database.
        guard !fileExists || file_is_empty(path) == 0 else { throw .notKeychain(path: path) }
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            // Large pages waste less space for long notes; an existing file keeps its page size. Each commit is on the
            // disk before it is acknowledged.
            try database.execute(
                sql: """
                    PRAGMA page_size = 32768; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 128;
                    PRAGMA synchronous = FULL;
                    PRAGMA trusted_schema = OFF
                    """)
        }
        // SQLite gives its log files the permissions of the database file, so the database file is created first.
        if creates {
            // If two processes create the file at the same time, only the first one succeeds.
            guard try PrivateFile<KeychainError>.create(path, []) else { throw .exists(path: path) }
        }
        do throws(KeychainError) {
            queue = try Self.convertingErrors {
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

    /// Creates a file under a temporary name and renames it when it is complete, so that no other process sees an
    /// incomplete file.
    ///
    /// - Throws: ``KeychainError/exists(path:)``, other ``KeychainError``, and the closure's errors; in each case, no
    ///   file remains.
    static func create<Value>(at path: String, _ fill: (KeychainFile) async throws -> Value) async throws -> Value {
        guard try !PrivateFile<KeychainError>.check(path) else { throw KeychainError.exists(path: path) }
        let file = try KeychainFile(PrivateFile<KeychainError>.draft(of: path), creates: true)
        do {
            let value = try await fill(file)
            // Closing the database after a checkpoint removes its log files.
            try file.checkpoint()
            try file.queue.close()
            guard try PrivateFile<KeychainError>.publish(file.queue.path, as: path) else {
                throw KeychainError.exists(path: path)
            }
            return value
        } catch {
            file.discard()
            throw converted(error)
        }
    }

    /// Removes a file and its log files.
    static func remove(_ path: String) { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }

    /// Removes a new file that could not be filled.
    private func discard() {
        try? queue.close()
        Self.remove(queue.path)
    }

    /// Reads in one transaction.
    func read<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value {
        do {
            return try await queue.unsafeRead { database in
                try database.readOnly {
                    try database.beginTransaction(.deferred)
                    let result = Result { try body(database) }
                    // SQLite refuses to commit after a page could not be read.
                    try database.rollback()
                    return try result.get()
                }
            }
        } catch {
            throw Self.converted(error)
        }
    }

    func write<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value {
        do {
            return try await queue.write(body)
        } catch {
            throw Self.converted(error)
        }
    }

    /// Writes synchronously, within a transaction of another file.
    func writeSynchronously<Value>(_ body: (Database) throws -> Value) throws -> Value { try queue.write(body) }

    func migrate() throws(KeychainError) { try Self.convertingErrors { try Schema.migrator.migrate(queue) } }

    /// Copies a snapshot of the database, even while other connections write.
    func copy(to path: String) throws(KeychainError) {
        try Self.convertingErrors {
            let copy = try DatabaseQueue(path: path)
            try queue.backup(to: copy)
            try copy.close()
        }
    }

    /// Moves the content of the write-ahead log to the file.
    func checkpoint() throws(KeychainError) {
        try Self.convertingErrors { _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
    }

    func vacuum() async throws {
        do {
            try await queue.vacuum()
        } catch {
            throw Self.converted(error)
        }
    }

    private static func convertingErrors<Value>(_ body: () throws -> Value) throws(KeychainError) -> Value {
        do {
            return try body()
        } catch {
            throw converted(error) as? KeychainError ?? .damaged(.file)
        }
    }

    /// Returns whether an error means that a part of the file is damaged, while other parts may be readable.
    static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case KeychainError.damaged, KeychainError.damagedItem: true
        case let error as DatabaseError:
            error.resultCode == .SQLITE_CORRUPT
                || [.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ].contains(error.extendedResultCode)
        default: false
        }
    }

    /// Converts a SQLite error to a ``KeychainError``; returns other errors unchanged.
    private static func converted(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return switch error.resultCode {
        case .SQLITE_FULL: KeychainError.diskFull
        // A database in WAL mode needs additional files, which cannot be created on a read-only disk.
        case .SQLITE_READONLY, .SQLITE_CANTOPEN: KeychainError.readOnly
        // SQLITE_PROTOCOL: other processes repeatedly held the locks of the log.
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: KeychainError.busy
        case .SQLITE_NOMEM: KeychainError.outOfMemory
        case .SQLITE_IOERR
        where [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE].contains(error.extendedResultCode):
            KeychainError.diskFull
        default: KeychainError.damaged(.file)
        }
    }
}

/// The tables of a keychain file, by format version.
enum Schema {
    /// The format version that this software writes.
    static let version: Int64 = 1

    /// The migrations that create the tables, or update those of an older version.
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
    /// The bytes as a SQLite blob.
    var stored: Data { Data(self) }

    /// Returns `nil` for a value that is not a blob, since another program may have changed the file.
    static func stored(_ value: DatabaseValue?) -> [UInt8]? {
        guard case .blob(let data)? = value?.storage else { return nil }
        return Array(data)
    }
}
