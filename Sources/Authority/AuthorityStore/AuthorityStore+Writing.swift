// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension AuthorityStore {
    /// Writes a number of no other use, to find out whether the state can be written: a full disk does not show in reading.
    ///
    /// SQLite would not write a value that is there already.
    ///
    /// - Throws: ``AuthorityStoreError``.
    package func checkWriting() async throws {
        let dialect = database.dialect
        try await database.write { connection in
            try connection.rows(
                "CREATE TABLE IF NOT EXISTS readiness (id INTEGER PRIMARY KEY, checks \(dialect.integer) NOT NULL)")
            try connection.rows(
                """
                INSERT INTO readiness (id, checks) VALUES (1, 1)
                ON CONFLICT (id) DO UPDATE SET checks = readiness.checks + 1
                """)
        }
    }
}
