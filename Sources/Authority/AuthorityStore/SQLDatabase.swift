// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A database with an authority's state.
///
/// All databases run the same statements, with `?` for each value; ``SQLDialect`` contains the differences.
protocol SQLDatabase: Sendable {
    var dialect: SQLDialect { get }

    /// Runs statements in one transaction, which is on disk when this method returns, and has no effect when it throws.
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Reads from a consistent snapshot of the database, regardless of concurrent writers.
    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value

    /// Writes a snapshot of the database to an empty file in SQLite format.
    func copy(to path: String) async throws
}

/// A connection inside a transaction.
protocol SQLConnection {
    /// Runs a statement and returns its rows.
    @discardableResult
    func rows(_ statement: String, _ values: [SQLValue]) throws -> [SQLRow]
}

extension SQLConnection {
    @discardableResult
    func rows(_ statement: String, _ values: SQLValue...) throws -> [SQLRow] { try rows(statement, values) }
}

/// The SQL differences between the databases.
enum SQLDialect {
    case sqlite
    case postgreSQL

    /// The type of a byte string.
    var bytes: String { self == .sqlite ? "BLOB" : "BYTEA" }

    /// The type of a 64-bit integer.
    var integer: String { self == .sqlite ? "INTEGER" : "BIGINT" }

    /// The type of an automatically increasing number.
    var sequence: String { self == .sqlite ? "INTEGER PRIMARY KEY AUTOINCREMENT" : "BIGSERIAL PRIMARY KEY" }

    /// The statement before the creation of tables that may exist, which makes other processes wait for its transaction.
    ///
    /// Without it, PostgreSQL refuses `CREATE TABLE IF NOT EXISTS` to all but one of the processes that run it at the same time.
    /// SQLite has one writer at a time.
    var creationLock: String? { self == .sqlite ? nil : "LOCK TABLE head IN SHARE UPDATE EXCLUSIVE MODE" }

    /// The statements that create triggers against changing or removing log entries.
    var logGuard: [String] {
        switch self {
        case .sqlite:
            ["UPDATE", "DELETE"].map { change in
                """
                CREATE TRIGGER log_no_\(change.lowercased()) BEFORE \(change) ON log
                BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END
                """
            }
        case .postgreSQL:
            [
                """
                CREATE FUNCTION refuse_change_of_log() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'the log is append-only'; END $$
                """,
                """
                CREATE TRIGGER log_no_change BEFORE UPDATE OR DELETE ON log
                EXECUTE FUNCTION refuse_change_of_log()
                """,
            ] + laterLogGuard
        }
    }

    /// The statements of ``logGuard`` that a state of format 1 lacks.
    var laterLogGuard: [String] {
        switch self {
        case .sqlite: []
        case .postgreSQL:
            ["CREATE TRIGGER log_no_truncate BEFORE TRUNCATE ON log EXECUTE FUNCTION refuse_change_of_log()"]
        }
    }

    /// The query for the installed triggers of ``logGuard``.
    var logGuardQuery: String {
        switch self {
        case .sqlite: "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'log'"
        case .postgreSQL:
            "SELECT tgname FROM pg_trigger WHERE tgrelid = 'log'::regclass AND NOT tgisinternal AND tgenabled <> 'D'"
        }
    }

    /// The names of the triggers of ``logGuard``.
    var logGuardNames: Set<String> {
        self == .sqlite ? ["log_no_update", "log_no_delete"] : ["log_no_change", "log_no_truncate"]
    }
}

enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ text: String?) { self = text.map(Self.text) ?? .null }
    init(_ number: Int64?) { self = number.map(Self.integer) ?? .null }
}

/// The values of a row, in the column order of the statement.
struct SQLRow: Sendable {
    let values: [SQLValue]

    /// Returns the value of a column, which must be an integer.
    func integer(_ column: Int) throws(AuthorityStoreError) -> Int64 {
        guard case .integer(let number) = values[column] else { throw .damaged }
        return number
    }

    /// Returns the value of a column, which must be a text.
    func text(_ column: Int) throws(AuthorityStoreError) -> String {
        guard case .text(let text) = values[column] else { throw .damaged }
        return text
    }

    /// Returns the value of a column, which must be a byte string.
    func bytes(_ column: Int) throws(AuthorityStoreError) -> [UInt8] {
        guard case .bytes(let bytes) = values[column] else { throw .damaged }
        return bytes
    }

    func optionalInteger(_ column: Int) throws(AuthorityStoreError) -> Int64? {
        values[column] == .null ? nil : try integer(column)
    }

    func optionalText(_ column: Int) throws(AuthorityStoreError) -> String? {
        values[column] == .null ? nil : try text(column)
    }
}
