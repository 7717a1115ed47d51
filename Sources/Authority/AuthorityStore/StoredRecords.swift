// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation

extension AuthorityStore {
    /// Creates the tables of the ACME records if they do not exist.
    package func prepareRecords() async throws {
        let dialect = database.dialect
        try await database.write { connection in
            if let lock = dialect.creationLock { try connection.rows(lock) }
            try connection.rows(
                """
                CREATE TABLE IF NOT EXISTS record (
                    number \(dialect.sequence), kind TEXT NOT NULL, id TEXT NOT NULL, list TEXT NOT NULL,
                    ends \(dialect.integer), json TEXT NOT NULL, UNIQUE (kind, id))
                """)
            try connection.rows("CREATE INDEX IF NOT EXISTS record_list ON record (kind, list)")
            try connection.rows("CREATE INDEX IF NOT EXISTS record_end ON record (ends)")
            try connection.rows(
                "CREATE TABLE IF NOT EXISTS nonce (nonce TEXT PRIMARY KEY, ends \(dialect.integer) NOT NULL)")
        }
    }

    /// Runs a transaction on the records, which is on disk when this method returns.
    ///
    /// - Parameter body: Reads and writes records. It may run more than once.
    /// - Returns: The value that the body returns.
    /// - Throws: The error of the body, and ``AuthorityStoreError``.
    package func transact<Value: Sendable>(
        _ body: @Sendable @escaping (StoredRecords) throws -> Value
    ) async throws -> Value {
        try await database.write { try body(StoredRecords(connection: $0)) }
    }
}

/// The records inside a transaction: texts that are stored under a kind and an identifier.
package struct StoredRecords {
    fileprivate let connection: any SQLConnection

    /// Returns the text with a kind and an identifier.
    package func find(_ kind: String, _ id: String) throws -> String? {
        try connection.rows("SELECT json FROM record WHERE kind = ? AND id = ?", .text(kind), .text(id)).first?.text(0)
    }

    /// Returns the texts in a list, in the order in which they were first saved.
    package func list(_ kind: String, _ list: String) throws -> [String] {
        try connection.rows(
            "SELECT json FROM record WHERE kind = ? AND list = ? ORDER BY number", .text(kind), .text(list)
        ).map { try $0.text(0) }
    }

    /// Adds a text, or replaces the text with the same kind and identifier.
    package func save(_ kind: String, _ id: String, list: String, end: Date?, _ json: String) throws {
        try connection.rows(
            """
            INSERT INTO record (kind, id, list, ends, json) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (kind, id) DO UPDATE SET list = excluded.list, ends = excluded.ends, json = excluded.json
            """,
            .text(kind), .text(id), .text(list), SQLValue(end.map { Int64($0.timeIntervalSince1970) }), .text(json))
    }

    /// Records that a nonce was used; returns `false` if it was used before.
    package func use(nonce: String, until end: Date) throws -> Bool {
        try !connection.rows(
            "INSERT INTO nonce (nonce, ends) VALUES (?, ?) ON CONFLICT (nonce) DO NOTHING RETURNING nonce",
            .text(nonce), .integer(Int64(end.timeIntervalSince1970))
        ).isEmpty
    }

    /// Removes the records and nonces that expired before a time.
    package func removeExpired(before time: Date) throws {
        let seconds = SQLValue.integer(Int64(time.timeIntervalSince1970))
        try connection.rows("DELETE FROM record WHERE ends < ?", seconds)
        try connection.rows("DELETE FROM nonce WHERE ends < ?", seconds)
    }
}
