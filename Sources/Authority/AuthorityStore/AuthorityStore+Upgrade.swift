// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
