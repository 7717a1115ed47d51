// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSQLiteOptions
internal import EssentialFoundation
internal import GRDB

/// An authority's state in an SQLite file.
struct SQLiteDatabase: SQLDatabase {
    private let queue: DatabaseQueue
    private let path: String

    var dialect: SQLDialect { .sqlite }

    init(path: String) throws(AuthorityStoreError) {
        self.path = path
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { database in
            if let connection = database.sqliteConnection { database_keep_log(UnsafeMutableRawPointer(connection)) }
            // Each commit is on disk before it is acknowledged.
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                    PRAGMA trusted_schema = OFF
                    """)
        }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw Self.named(error, path) as? AuthorityStoreError ?? .damaged
        }
    }

    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        do {
            // A deferred transaction that reads before it writes would fail if another process wrote in between.
            return try await queue.writeWithoutTransaction { database in
                var value: Value?
                try database.inTransaction(.immediate) {
                    value = try body(SQLiteConnection(database: database))
                    return .commit
                }
                guard let value else { throw AuthorityStoreError.damaged }
                return value
            }
        } catch {
            throw Self.named(error, path)
        }
    }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        do {
            return try await queue.read { try body(SQLiteConnection(database: $0)) }
        } catch {
            throw Self.named(error, path)
        }
    }

    func copy(to path: String) async throws {
        do {
            try await queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
        } catch {
            throw Self.named(error, path)
        }
    }

    /// Converts a database error into an error of the store; returns any other error unchanged.
    private static func named(_ error: any Error, _ path: String) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return switch error.resultCode {
        case .SQLITE_CONSTRAINT: AuthorityStoreError.refusedByDatabase
        case .SQLITE_FULL: AuthorityStoreError.diskFull
        case .SQLITE_READONLY, .SQLITE_CANTOPEN: AuthorityStoreError.cannotOpen(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: AuthorityStoreError.busy
        default: AuthorityStoreError.damaged
        }
    }
}

private struct SQLiteConnection: SQLConnection {
    let database: Database

    func rows(_ statement: String, _ values: [SQLValue]) throws -> [SQLRow] {
        let prepared = try database.cachedStatement(sql: statement)
        let arguments = StatementArguments(values.map(\.databaseValue))
        guard prepared.columnCount > 0 else {
            try prepared.execute(arguments: arguments)
            return []
        }
        return try Row.fetchAll(prepared, arguments: arguments).map { row in
            SQLRow(values: try row.databaseValues.map(SQLValue.init(databaseValue:)))
        }
    }
}

extension SQLValue {
    fileprivate var databaseValue: any DatabaseValueConvertible {
        switch self {
        case .null: DatabaseValue.null
        case .integer(let number): number
        case .text(let text): text
        case .bytes(let bytes): Data(bytes)
        }
    }

    fileprivate init(databaseValue: DatabaseValue) throws(AuthorityStoreError) {
        switch databaseValue.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .bytes(Array(data))
        case .double: throw .damaged
        }
    }
}
