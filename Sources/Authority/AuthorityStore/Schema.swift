// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The tables of an authority's state.
enum Schema {
    /// The version of the format that this software writes.
    ///
    /// Compared to format 1, the log entries of format 2 cover every column, and the log has an index.
    static let version: Int64 = 2

    /// The index for finding the revocation of a certificate, and all revocations.
    static let logIndex = "CREATE INDEX log_event ON log (event, serial)"

    static func create(_ connection: any SQLConnection, _ dialect: SQLDialect) throws {
        let (bytes, integer) = (dialect.bytes, dialect.integer)
        let statements = [
            // The number and the hash of the last log entry. A writer locks this row before it appends an entry.
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
    /// Upgrades the state to this version's format if an older version created it.
    ///
    /// The entries of format 1 cover certificates, revocations and lists. All other data is covered from now on, with
    /// its present values.
    static func upgrade(_ connection: any SQLConnection, _ dialect: SQLDialect, at time: Int64) throws {
        // Another process may have upgraded the state first. A log in the new format is not adopted again, even if the
        // head has the old version.
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
    /// Checks that the state can be written by incrementing a counter: reading does not detect a full disk.
    ///
    /// The value changes each time because SQLite does not write an unchanged value.
    ///
    /// - Throws: ``AuthorityStoreError``.
    package func checkWriting() async throws {
        let dialect = database.dialect
        try await database.write { connection in
            if let lock = dialect.creationLock { try connection.rows(lock) }
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
