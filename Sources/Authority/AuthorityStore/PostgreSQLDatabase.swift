// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if PostgreSQL
    internal import CPostgreSQL
    internal import Dispatch
    internal import Encodings
    internal import POSIX

    /// An authority's state in a PostgreSQL database, which several processes on several machines can share.
    ///
    /// It has one connection, whose statements run on a separate queue because libpq blocks while it waits
    /// for the server.
    final class PostgreSQLDatabase: SQLDatabase {
        private let queue = DispatchQueue(label: "PostgreSQL")
        private let connection: PostgreSQLConnection

        var dialect: SQLDialect { .postgreSQL }

        init(url: String) throws(AuthorityStoreError) { connection = try PostgreSQLConnection(url: url) }

        func write<Value: Sendable>(
            _ body: @Sendable @escaping (any SQLConnection) throws -> Value
        ) async throws -> Value { try await transaction("BEGIN ISOLATION LEVEL SERIALIZABLE", body) }

        func read<Value: Sendable>(
            _ body: @Sendable @escaping (any SQLConnection) throws -> Value
        ) async throws -> Value { try await transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body) }

        func copy(to path: String) async throws {
            throw AuthorityStoreError.databaseFailed("It is copied with its own tools, such as pg_dump.")
        }

        private func transaction<Value: Sendable>(
            _ start: String, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [connection] in
                    continuation.resume(with: Result { try connection.transaction(start, body) })
                }
            }
        }
    }

    /// A libpq connection, which only one thread may use at a time.
    private final class PostgreSQLConnection: SQLConnection, @unchecked Sendable {
        private let url: String
        private var handle: OpaquePointer?

        init(url: String) throws(AuthorityStoreError) {
            self.url = url
            try connect()
        }

        deinit { PQfinish(handle) }

        private func connect() throws(AuthorityStoreError) {
            PQfinish(handle)
            handle = PQconnectdb(url)
            guard PQstatus(handle) == CONNECTION_OK else { throw .noDatabase(errorMessage) }
            // Otherwise libpq prints the server's notices, such as that a table already exists.
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
        }

        /// The error message of libpq in one line; it never contains the password.
        private var errorMessage: String {
            String(cString: PQerrorMessage(handle)).split(separator: "\n").joined(separator: " ")
        }

        func transaction<Value>(
            _ start: String, attempts: Int = 100, _ body: (any SQLConnection) throws -> Value
        ) throws -> Value {
            // If the server was restarted, the connection is reopened before the transaction begins.
            if PQstatus(handle) != CONNECTION_OK { try connect() }
            do {
                try rows(start)
            } catch AuthorityStoreError.noDatabase {
                try connect()
                try rows(start)
            }
            do {
                let value = try body(self)
                try rows("COMMIT")
                return value
            } catch {
                _ = try? rows("ROLLBACK")
                // Another process committed a conflicting change first, so the complete transaction is retried.
                guard case AuthorityStoreError.busy = error, attempts > 0 else { throw error }
                usleep(UInt32.random(in: 1_000...20_000))
                return try transaction(start, attempts: attempts - 1, body)
            }
        }

        @discardableResult
        func rows(_ statement: String, _ values: [SQLValue]) throws -> [SQLRow] {
            let texts = values.map(\.parameter)
            let types = values.map(\.typeNumber)
            let copies = texts.map { text in text.map { strdup($0) } ?? nil }
            defer { for copy in copies { free(copy) } }
            let pointers = copies.map { $0.map { UnsafePointer($0) } }
            let result = PQexecParams(
                handle, Self.numbered(statement), Int32(values.count), types, pointers, nil, nil, 0)
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK: return []
            case PGRES_TUPLES_OK: return try Self.read(result)
            default: throw failure(result)
            }
        }

        private func failure(_ result: OpaquePointer?) -> AuthorityStoreError {
            guard PQstatus(handle) == CONNECTION_OK else { return .noDatabase(errorMessage) }
            let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? ""
            // The first two characters are the class (PostgreSQL documentation, appendix A).
            return switch state.prefix(2) {
            case "23", "P0": .refusedByDatabase
            case "40", "55": .busy
            case "53": .diskFull
            case "25" where state == "25006": .readOnly
            default: .databaseFailed(errorMessage)
            }
        }

        /// Replaces the question marks by `$1`, `$2` and so on; no string literal of a statement contains one.
        private static func numbered(_ statement: String) -> String {
            var number = 0
            return statement.split(separator: "?", omittingEmptySubsequences: false).reduce(into: "") { text, part in
                if number > 0 { text += "$\(number)" }
                text += part
                number += 1
            }
        }

        private static func read(_ result: OpaquePointer?) throws(AuthorityStoreError) -> [SQLRow] {
            var rows: [SQLRow] = []
            for row in 0..<PQntuples(result) {
                var values: [SQLValue] = []
                for column in 0..<PQnfields(result) {
                    guard PQgetisnull(result, row, column) == 0, let bytes = PQgetvalue(result, row, column) else {
                        values.append(.null)
                        continue
                    }
                    values.append(try SQLValue(text: String(cString: bytes), type: PQftype(result, column)))
                }
                rows.append(SQLRow(values: values))
            }
            return rows
        }
    }

    /// The type identifiers of PostgreSQL's pg_type table.
    private enum TypeNumber {
        static let unknown: Oid = 0
        static let bytea: Oid = 17
        static let integers: [Oid] = [20, 21, 23]
        static let text: Oid = 25
    }

    extension SQLValue {
        fileprivate var typeNumber: Oid {
            switch self {
            case .null: TypeNumber.unknown
            case .integer: TypeNumber.integers[0]
            case .text: TypeNumber.text
            case .bytes: TypeNumber.bytea
            }
        }

        /// The value in PostgreSQL's text format.
        fileprivate var parameter: String? {
            switch self {
            case .null: nil
            case .integer(let number): String(number)
            case .text(let text): text
            case .bytes(let bytes): "\\x" + hex(bytes)
            }
        }

        fileprivate init(text: String, type: Oid) throws(AuthorityStoreError) {
            switch type {
            case _ where TypeNumber.integers.contains(type):
                guard let number = Int64(text) else { throw .damaged }
                self = .integer(number)
            case TypeNumber.bytea:
                guard text.hasPrefix("\\x"), let bytes = Hexadecimal.decode(text.dropFirst(2)) else { throw .damaged }
                self = .bytes(bytes)
            default: self = .text(text)
            }
        }
    }
#endif
