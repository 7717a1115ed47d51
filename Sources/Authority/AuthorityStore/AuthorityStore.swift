// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateAuthorities
package import CertificateTrust
internal import Crypto
internal import Encodings
package import EssentialFoundation
internal import PrivateFiles
internal import SwiftASN1
package import X509

/// The certificates that an authority has issued and revoked, with an append-only log of the changes.
///
/// Every method that changes something returns only after the change is on disk.
package struct AuthorityStore: Sendable {
    let database: any SQLDatabase

    /// Creates the state of a new authority in a file.
    ///
    /// - Parameters:
    ///   - path: A file that does not exist yet, in a folder that only its owner can access.
    ///   - settings: The settings of the authority.
    ///   - now: The current time.
    /// - Returns: The store.
    /// - Throws: ``AuthorityStoreError``.
    package static func create(at path: String, settings: AuthoritySettings, now: Date) async throws -> Self {
        try createFile(at: path)
        do {
            return try await create(in: SQLiteDatabase(path: path), settings: settings, now: now)
        } catch {
            for termination in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + termination) }
            throw error
        }
    }

    /// Creates the state of a new authority in a PostgreSQL database, which several processes and machines can share.
    ///
    /// - Parameters:
    ///   - url: The URL in libpq's format, such as `postgresql://ca@db.home.example/ca`. The database must not contain
    ///     an authority yet.
    ///   - settings: The settings of the authority.
    ///   - now: The current time.
    /// - Returns: The store.
    /// - Throws: ``AuthorityStoreError``.
    package static func create(inDatabase url: String, settings: AuthoritySettings, now: Date) async throws -> Self {
        try await create(in: connect(to: url), settings: settings, now: now)
    }

    private static func connect(to url: String) throws -> any SQLDatabase {
        #if PostgreSQL
            return try PostgreSQLDatabase(url: url)
        #else
            throw AuthorityStoreError.withoutPostgreSQL
        #endif
    }

    private static func create(
        in database: any SQLDatabase, settings: AuthoritySettings, now: Date
    ) async throws -> Self {
        let text = try Self.encode(settings)
        let detail = settings.detail(as: text).text
        let dialect = database.dialect
        try await database.write { connection in
            try Schema.create(connection, dialect)
            try connection.rows(
                "INSERT INTO head (id, format, sequence, hash, list_number, settings) VALUES (1, ?, 0, ?, 0, ?)",
                .integer(Schema.version), .bytes(LogEntry.start), .text(text))
            try connection.log(.created, serial: [], detail: detail, at: Self.seconds(now))
        }
        return Self(database: database)
    }

    /// Opens the state of an authority.
    ///
    /// - Parameter path: The file.
    /// - Returns: The store.
    /// - Throws: ``AuthorityStoreError``.
    package static func open(at path: String) async throws -> Self {
        guard FileManager.default.fileExists(atPath: path) else { throw AuthorityStoreError.notFound(path: path) }
        return try await open(SQLiteDatabase(path: path))
    }

    /// Opens the state of an authority in a PostgreSQL database.
    ///
    /// - Parameter url: The URL in libpq's format.
    /// - Returns: The store.
    /// - Throws: ``AuthorityStoreError``.
    package static func open(database url: String) async throws -> Self { try await open(connect(to: url)) }

    private static func open(_ database: any SQLDatabase) async throws -> Self {
        let store = Self(database: database)
        let format = try await store.database.read { try $0.rows("SELECT format FROM head").first?.integer(0) }
        guard let format else { throw AuthorityStoreError.damaged }
        guard format <= Schema.version else { throw AuthorityStoreError.newerFormat }
        if format < Schema.version {
            try await database.write { try Self.upgrade($0, database.dialect, at: Self.seconds(Date())) }
        }
        return store
    }

    /// Copies a consistent snapshot of the state to a new file.
    ///
    /// - Parameter path: A file that does not exist yet, in a folder that only its owner can access.
    /// - Returns: The copy.
    /// - Throws: ``AuthorityStoreError``.
    package func copy(to path: String) async throws -> Self {
        try Self.createFile(at: path)
        try await database.copy(to: path)
        return try await Self.open(at: path)
    }

    /// Creates an empty file.
    ///
    /// SQLite gives the log files the same permissions.
    private static func createFile(at path: String) throws(AuthorityStoreError) {
        guard try PrivateFile<AuthorityStoreError>.create(path, []) else { throw .exists(path: path) }
    }

    /// The settings of the authority.
    package var settings: AuthoritySettings {
        get async throws { try await database.read { try Self.settings($0) } }
    }

    /// Replaces the authority's certificate and its issuers.
    ///
    /// - Parameters:
    ///   - chain: The new certificate first, for the same key.
    ///   - now: The current time.
    /// - Throws: ``AuthorityStoreError``.
    package func replaceChain(_ chain: [Certificate], now: Date) async throws {
        let chain = try chain.map { Data(try $0.derRepresentation) }
        try await database.write { connection in
            var settings = try Self.settings(connection)
            settings.chain = chain
            let text = try Self.encode(settings)
            try connection.rows("UPDATE head SET settings = ? WHERE id = 1", .text(text))
            try connection.log(
                .renewed, serial: [], detail: settings.detail(as: text).text, at: Self.seconds(now))
        }
    }

    private static func settings(_ connection: any SQLConnection) throws -> AuthoritySettings {
        guard let text = try connection.rows("SELECT settings FROM head").first?.text(0) else {
            throw AuthorityStoreError.damaged
        }
        return try AuthoritySettings(json: text)
    }

    /// The number of the last log entry, which increases with every change.
    package var sequence: Int64 {
        get async throws {
            let row = try await database.read { try $0.rows("SELECT sequence FROM head").first?.integer(0) }
            guard let row else { throw AuthorityStoreError.damaged }
            return row
        }
    }

    // MARK: Issuing

    /// Records a certificate, which must happen before it is handed out.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - name: The display name of the certificate.
    ///   - purpose: The purpose of the certificate.
    ///   - files: The files to which the certificate will be written.
    ///   - replaced: The serial number of the certificate that this one replaces.
    ///   - now: The current time.
    /// - Throws: ``AuthorityStoreError/refusedByDatabase`` if a certificate with the same serial number exists.
    package func record(
        _ certificate: Certificate, name: String, purpose: IssuedCertificate.Purpose, files: IssuedFiles? = nil,
        replacing replaced: [UInt8]? = nil, now: Date
    ) async throws {
        let der = try certificate.derRepresentation
        let serial = Array(certificate.serialNumber.bytes)
        let record = [SQLValue.text(name), .text(purpose.rawValue), SQLValue(try files.map(Self.encode))]
        let detail = IssuedDetail(certificate: der, record: record, replacing: replaced).text
        try await database.write { connection in
            try connection.rows(
                """
                INSERT INTO certificate (serial, not_before, not_after, der, \(IssuedDetail.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .bytes(serial), .integer(Self.seconds(certificate.notValidBefore)),
                    .integer(Self.seconds(certificate.notValidAfter)), .bytes(der),
                ] + record)
            if let replaced {
                try connection.rows(
                    "UPDATE certificate SET replaced_by = ? WHERE serial = ?", .bytes(serial), .bytes(replaced))
            }
            try connection.log(.issued, serial: serial, detail: detail, at: Self.seconds(now))
        }
    }

    // MARK: Revoking

    /// Revokes a certificate.
    ///
    /// - Parameters:
    ///   - serial: The serial number of the certificate.
    ///   - reason: The reason.
    ///   - now: The current time.
    /// - Returns: `false` if the certificate was revoked before.
    /// - Throws: ``AuthorityStoreError/noCertificate(_:)``.
    @discardableResult
    package func revoke(_ serial: [UInt8], reason: RevocationReason, now: Date) async throws -> Bool {
        try await database.write { connection in
            func isLogged(_ event: LogEntry.Event) throws -> Bool {
                try !connection.rows(
                    "SELECT 1 FROM log WHERE serial = ? AND event = ?", .bytes(serial), .text(event.rawValue)
                ).isEmpty
            }
            guard try !isLogged(.revoked) else { return false }
            let changed = try connection.rows(
                "UPDATE certificate SET revoked_at = ?, reason = ? WHERE serial = ? RETURNING serial",
                .integer(Self.seconds(now)), .text(reason.rawValue), .bytes(serial))
            // A certificate whose row was deleted by another program is still revoked.
            guard try !changed.isEmpty || isLogged(.issued) else {
                throw AuthorityStoreError.noCertificate(hex(serial))
            }
            try connection.log(.revoked, serial: serial, detail: reason.rawValue, at: Self.seconds(now))
            return true
        }
    }

    /// Returns every certificate that is revoked and has not expired.
    ///
    /// The log is authoritative: a row that another program has changed cannot remove a certificate from the list.
    package func revoked(at now: Date) async throws -> [RevokedCertificate] {
        try await database.read { connection in
            try connection.rows(
                """
                SELECT log.serial, log.time, log.detail, certificate.der
                FROM log LEFT JOIN certificate ON certificate.serial = log.serial WHERE log.event = 'revoked'
                UNION ALL
                SELECT serial, revoked_at, reason, der FROM certificate WHERE revoked_at IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM log WHERE log.serial = certificate.serial AND log.event = 'revoked')
                ORDER BY 2, 1
                """
            ).compactMap { row in
                let serialNumber = Certificate.SerialNumber(bytes: try row.bytes(0))
                if case .bytes(let der) = row.values[3], let certificate = try? Certificate(derEncoded: der),
                    certificate.serialNumber == serialNumber,
                    Self.seconds(certificate.notValidAfter) < Self.seconds(now)
                {
                    return nil
                }
                return try Self.revocation(of: serialNumber, time: row.values[1], reason: row.values[2])
            }
        }
    }

    /// Returns the OCSP status of a certificate.
    ///
    /// - Parameter serialNumber: The serial number of the certificate.
    /// - Returns: The status, which is revoked if the log or the certificate's row says so.
    /// - Throws: ``AuthorityStoreError``.
    package func status(of serialNumber: Certificate.SerialNumber) async throws -> OCSPResponder.Status {
        let serial = Array(serialNumber.bytes)
        return try await database.read { connection in
            let logged = try connection.rows(
                "SELECT time, detail FROM log WHERE serial = ? AND event = 'revoked' ORDER BY sequence", .bytes(serial))
            let row = try connection.rows("SELECT revoked_at, reason FROM certificate WHERE serial = ?", .bytes(serial))
            guard let found = logged.first ?? row.first else { return .unknown }
            guard found.values[0] != .null else { return .good }
            return .revoked(
                try Self.revocation(of: serialNumber, time: found.values[0], reason: found.values[1]))
        }
    }

    private static func revocation(
        of serialNumber: Certificate.SerialNumber, time: SQLValue, reason: SQLValue
    ) throws(AuthorityStoreError) -> RevokedCertificate {
        guard case .integer(let seconds) = time else { throw .damaged }
        let text = if case .text(let text) = reason { text } else { "" }
        return RevokedCertificate(
            serialNumber: serialNumber, date: Date(timeIntervalSince1970: TimeInterval(seconds)),
            reason: RevocationReason(rawValue: text) ?? .unspecified)
    }

    /// Creates a revocation list with the next number, and records it.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - make: Makes the list with a number. It may run more than once.
    /// - Returns: The list.
    /// - Throws: Any error of the closure; the number is then not used.
    package func list(now: Date, _ make: @Sendable @escaping (Int) throws -> [UInt8]) async throws -> [UInt8] {
        try await database.write { connection in
            let number = try connection.rows(
                "UPDATE head SET list_number = list_number + 1 WHERE id = 1 RETURNING list_number"
            ).first?.integer(0)
            guard let number else { throw AuthorityStoreError.damaged }
            let list = try make(Int(number))
            let detail = "\(number) \(hex(SHA256.hash(data: list)))"
            try connection.log(.listed, serial: [], detail: detail, at: Self.seconds(now))
            return list
        }
    }

    // MARK: Looking up

    /// The selected columns.
    ///
    /// A revocation is read from the log, or from the certificate's row if the log has none.
    private static let columns = """
        der, name, purpose, \(inLog("time", or: "revoked_at")), \(inLog("detail", or: "reason")), replaced_by, files
        """

    private static func inLog(_ column: String, or own: String) -> String {
        """
        COALESCE((SELECT \(column) FROM log WHERE log.serial = certificate.serial AND event = 'revoked'
        ORDER BY sequence LIMIT 1), \(own))
        """
    }

    /// Returns the certificate with a serial number; `nil` if none was issued.
    package func certificate(_ serial: [UInt8]) async throws -> IssuedCertificate? {
        try await certificates("WHERE serial = ?", .bytes(serial)).first
    }

    /// All certificates, sorted by expiry, earliest first.
    package var certificates: [IssuedCertificate] {
        get async throws { try await certificates("ORDER BY not_after, serial") }
    }

    /// Returns the certificates with this name in any case; if there are none, those whose serial number begins with
    /// the text as hexadecimal digits.
    ///
    /// The certificates are sorted by expiry, latest first.
    package func certificates(called text: String) async throws -> [IssuedCertificate] {
        let named = try await certificates("WHERE lower(name) = lower(?) ORDER BY not_after DESC", .text(text))
        guard named.isEmpty else { return named }
        let digits = text.lowercased().filter { $0 != ":" }
        guard digits.count >= 6, digits.allSatisfy(\.isHexDigit) else { return [] }
        return try await certificates.filter { hex($0.serial).hasPrefix(digits) }
    }

    /// Checks the record of a certificate before its files are written and its hook runs.
    ///
    /// - Parameter serial: The serial number of the certificate.
    /// - Throws: ``AuthorityStoreError/changedRecord(_:)`` if the record does not match the log.
    package func requireRecorded(_ serial: [UInt8]) async throws {
        try await database.read { connection in
            let row = try connection.rows(
                "SELECT der, \(IssuedDetail.columns) FROM certificate WHERE serial = ?", .bytes(serial)
            ).first
            let entry = try connection.rows(
                "SELECT detail FROM log WHERE serial = ? AND event IN ('issued', 'adopted') ORDER BY sequence DESC",
                .bytes(serial)
            ).first.map { IssuedDetail(try $0.text(0)) }
            guard let row, let entry, case .bytes(let der) = row.values[0],
                entry.matches(certificate: der, record: Array(row.values[1...]))
            else { throw AuthorityStoreError.changedRecord(hex(serial)) }
        }
    }

    private func certificates(_ condition: String, _ values: SQLValue...) async throws -> [IssuedCertificate] {
        try await database.read { connection in
            try connection.rows("SELECT \(Self.columns) FROM certificate \(condition)", values).map { row in
                guard let certificate = try? Certificate(derEncoded: row.bytes(0)) else {
                    throw AuthorityStoreError.damaged
                }
                let files = try row.optionalText(6).flatMap {
                    try? JSONDecoder().decode(IssuedFiles.self, from: Data($0.utf8))
                }
                return IssuedCertificate(
                    certificate: certificate, name: try row.text(1),
                    purpose: IssuedCertificate.Purpose(rawValue: try row.text(2)) ?? .server,
                    revokedAt: try row.optionalInteger(3).map { Date(timeIntervalSince1970: TimeInterval($0)) },
                    reason: try row.optionalText(4).flatMap(RevocationReason.init), replacedBy: try? row.bytes(5),
                    files: files)
            }
        }
    }

    static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970) }

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// Returns the hexadecimal digits of a serial number or a hash, as used in the state and in the commands.
package func hex(_ bytes: some Sequence<UInt8>) -> String { Hexadecimal.encode(bytes) }
