// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The tables of an authority's state.
enum Schema {
    /// The version that this software writes.
    ///
    /// Format 2 is format 1 with a log whose entries cover every column, and with an index of it.
    static let version: Int64 = 2

    /// Finds the revocation of a certificate, and all revocations.
    static let logIndex = "CREATE INDEX log_event ON log (event, serial)"

    static func create(_ connection: any SQLConnection, _ dialect: SQLDialect) throws {
        let (bytes, integer) = (dialect.bytes, dialect.integer)
        let statements = [
            // The number and the hash of the last entry of the log; who writes an entry locks this row first.
            """
            CREATE TABLE head (
                id \(integer) PRIMARY KEY CHECK (id = 1), format \(integer) NOT NULL, sequence \(integer) NOT NULL,
                hash \(bytes) NOT NULL, list_number \(integer) NOT NULL, settings TEXT NOT NULL)
            """,
            """
            CREATE TABLE certificate (
                serial \(bytes) PRIMARY KEY, name TEXT NOT NULL, purpose TEXT NOT NULL, not_before \(integer) NOT NULL,
                not_after \(integer) NOT NULL, der \(bytes) NOT NULL, revoked_at \(integer), reason TEXT,
                replaced_by \(bytes), files TEXT)
            """,
            "CREATE INDEX certificate_name ON certificate (name)",
            "CREATE INDEX certificate_end ON certificate (not_after)",
            """
            CREATE TABLE log (
                sequence \(integer) PRIMARY KEY, time \(integer) NOT NULL, event TEXT NOT NULL, serial \(bytes) NOT NULL,
                detail TEXT NOT NULL, hash \(bytes) NOT NULL)
            """,
        ]
        for statement in statements + [logIndex] + dialect.logGuard { try connection.rows(statement) }
    }
}
