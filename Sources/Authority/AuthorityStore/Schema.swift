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

extension AuthorityStore {
    /// Brings the state to this version's format, if an older version made it.
    ///
    /// The entries of format 1 cover certificates, their revocation and the lists. All else is covered from here on, as it is now.
    static func upgrade(_ connection: any SQLConnection, _ dialect: SQLDialect, at time: Int64) throws {
        // Another process may have been first. A log that is of the new format already is not adopted again, whatever the head says.
        let first = try connection.rows("SELECT detail FROM log WHERE sequence = 1").first?.text(0)
        let isAdopted = try !connection.rows("SELECT 1 FROM log WHERE event = ? LIMIT 1", .text("adopted")).isEmpty
        guard !isAdopted, first.map({ AuthorityDetail($0).settings == nil }) ?? true else { return }
        for statement in [Schema.logIndex] + dialect.laterLogGuard { try connection.rows(statement) }

        var certificates: [(serial: [UInt8], der: SQLValue, record: [SQLValue])] = []
        var replaced: [[UInt8]: [UInt8]] = [:]
        for row in try connection.rows(
            "SELECT serial, der, replaced_by, \(IssuedDetail.columns) FROM certificate ORDER BY not_after, serial")
        {
            let serial = try row.bytes(0)
            certificates.append((serial, row.values[1], Array(row.values[3...])))
            if case .bytes(let successor) = row.values[2] { replaced[successor] = serial }
        }
        var entries = certificates.map { serial, der, record in
            let bytes = if case .bytes(let bytes) = der { bytes } else { [UInt8]() }
            let detail = IssuedDetail(certificate: bytes, record: record, replacing: replaced[serial])
            return (event: LogEntry.Event.adopted, serial: serial, detail: detail.text)
        }
        guard let head = try connection.rows("SELECT settings, list_number FROM head").first else {
            throw AuthorityStoreError.damaged
        }
        let detail = try AuthoritySettings(json: head.text(0)).detail(as: head.text(0))
        entries.append((.adopted, [], "\(detail.text) \(try head.integer(1))"))
        try connection.log(entries, at: time)
        try connection.rows("UPDATE head SET format = ? WHERE id = 1", .integer(Schema.version))
    }
}

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
