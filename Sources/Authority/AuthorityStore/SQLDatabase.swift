// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A database that keeps an authority's state.
///
/// The statements are the same for all of them, with `?` for each value; ``SQLDialect`` has what differs.
protocol SQLDatabase: Sendable {
    var dialect: SQLDialect { get }

    /// Runs statements in one transaction, which is on the disk when this returns, or has not happened when it throws.
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Reads one state of the database, whatever others write meanwhile.
    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value

    /// Writes one state of the database to an empty file, as SQLite keeps it.
    func copy(to path: String) async throws
}

/// A connection inside of a transaction.
protocol SQLConnection {
    /// Runs a statement and returns its rows.
    @discardableResult
    func rows(_ statement: String, _ values: [SQLValue]) throws -> [SQLRow]
}

extension SQLConnection {
    @discardableResult
    func rows(_ statement: String, _ values: SQLValue...) throws -> [SQLRow] { try rows(statement, values) }
}

/// What databases write differently.
enum SQLDialect {
    case sqlite
    case postgreSQL

    /// The type of bytes.
    var bytes: String { self == .sqlite ? "BLOB" : "BYTEA" }

    /// The type of a whole number of 64 bits.
    var integer: String { self == .sqlite ? "INTEGER" : "BIGINT" }

    /// The type of a number that each new row gets, in their order.
    var sequence: String { self == .sqlite ? "INTEGER PRIMARY KEY AUTOINCREMENT" : "BIGSERIAL PRIMARY KEY" }

    /// What refuses to change or remove an entry of the log.
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

    /// The part of ``logGuard`` that a state of format 1 does not have.
    var laterLogGuard: [String] {
        switch self {
        case .sqlite: []
        case .postgreSQL:
            ["CREATE TRIGGER log_no_truncate BEFORE TRUNCATE ON log EXECUTE FUNCTION refuse_change_of_log()"]
        }
    }

    /// Lists the triggers of ``logGuard`` that are in force.
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

/// The values of a row, in the order in which the statement names them.
struct SQLRow: Sendable {
    let values: [SQLValue]

    /// A column that must have a whole number.
    func integer(_ column: Int) throws(AuthorityStoreError) -> Int64 {
        guard case .integer(let number) = values[column] else { throw .damaged }
        return number
    }

    /// A column that must have a text.
    func text(_ column: Int) throws(AuthorityStoreError) -> String {
        guard case .text(let text) = values[column] else { throw .damaged }
        return text
    }

    /// A column that must have bytes.
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
