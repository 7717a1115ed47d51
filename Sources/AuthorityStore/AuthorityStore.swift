// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateAuthority
package import CertificateTrust
internal import Crypto
internal import SwiftASN1
package import X509

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What an authority has issued and revoked, with a log of it to which entries are only added.
///
/// Every method that changes something returns when the change is on the disk.
package struct AuthorityStore: Sendable {
    let database: any SQLDatabase

    /// Makes the state of a new authority in a file.
    ///
    /// - Parameters:
    ///   - path: A file that is not there yet, in a folder that its owner alone can enter.
    ///   - settings: What the authority keeps of itself.
    ///   - now: The time.
    /// - Returns: The store.
    /// - Throws: ``AuthorityStoreError``.
    package static func create(at path: String, settings: AuthoritySettings, now: Date) async throws -> Self {
        guard !FileManager.default.fileExists(atPath: path) else { throw AuthorityStoreError.exists(path: path) }
        try makeFile(at: path)
        do {
            return try await create(in: SQLiteDatabase(path: path), settings: settings, now: now)
        } catch {
            for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
            throw error
        }
    }

    /// Makes the state of a new authority in a PostgreSQL database, which several processes and machines may share.
    ///
    /// - Parameters:
    ///   - url: As libpq reads it, such as `postgresql://ca@db.home.example/ca`; the database has no authority yet.
    ///   - settings: What the authority keeps of itself.
    ///   - now: The time.
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
        let hash = Self.hash(ofAuthorityIn: settings)
        let dialect = database.dialect
        try await database.write { connection in
            try Schema.create(connection, dialect)
            try connection.rows(
                "INSERT INTO head (id, format, sequence, hash, list_number, settings) VALUES (1, ?, 0, ?, 0, ?)",
                .integer(Schema.version), .bytes(LogEntry.start), .text(text))
            try connection.log(.created, serial: [], detail: hash, at: Self.seconds(now))
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
    /// - Parameter url: As libpq reads it.
    /// - Returns: The store.
    /// - Throws: ``AuthorityStoreError``.
    package static func open(database url: String) async throws -> Self { try await open(connect(to: url)) }

    private static func open(_ database: any SQLDatabase) async throws -> Self {
        let store = Self(database: database)
        let format = try await store.database.read { try $0.rows("SELECT format FROM head").first?.integer(0) }
        guard let format else { throw AuthorityStoreError.damaged }
        guard format <= Schema.version else { throw AuthorityStoreError.newerFormat }
        return store
    }

    /// Copies the state, as it is at one instant, to a new file.
    ///
    /// - Parameter path: A file that is not there yet, in a folder that its owner alone can enter.
    /// - Returns: The copy.
    /// - Throws: ``AuthorityStoreError``.
    package func copy(to path: String) async throws -> Self {
        guard !FileManager.default.fileExists(atPath: path) else { throw AuthorityStoreError.exists(path: path) }
        try Self.makeFile(at: path)
        try await database.copy(to: path)
        return try await Self.open(at: path)
    }

    /// Makes an empty file, whose rights SQLite also gives to the files of its log.
    private static func makeFile(at path: String) throws(AuthorityStoreError) {
        let attributes = [FileAttributeKey.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: Data(), attributes: attributes) else {
            throw .cannotOpen(path: path)
        }
    }

    /// What the authority keeps of itself.
    package var settings: AuthoritySettings {
        get async throws { try await database.read { try Self.settings($0) } }
    }

    /// Replaces the authority's certificate and its issuers.
    ///
    /// - Parameters:
    ///   - chain: The new certificate first, for the same key.
    ///   - now: The time.
    /// - Throws: ``AuthorityStoreError``.
    package func replaceChain(_ chain: [Certificate], now: Date) async throws {
        let chain = try chain.map { Data(try $0.derRepresentation) }
        try await database.write { connection in
            var settings = try Self.settings(connection)
            settings.chain = chain
            try connection.rows("UPDATE head SET settings = ? WHERE id = 1", .text(try Self.encode(settings)))
            try connection.log(
                .renewed, serial: [], detail: Self.hash(ofAuthorityIn: settings), at: Self.seconds(now))
        }
    }

    private static func settings(_ connection: any SQLConnection) throws -> AuthoritySettings {
        let text = try connection.rows("SELECT settings FROM head").first?.text(0)
        guard let text, let settings = try? JSONDecoder().decode(AuthoritySettings.self, from: Data(text.utf8))
        else { throw AuthorityStoreError.damaged }
        return settings
    }

    private static func hash(ofAuthorityIn settings: AuthoritySettings) -> String {
        hex(SHA256.hash(data: settings.chain.first ?? Data()))
    }

    /// The number of the last entry of the log, which is another one after every change.
    package var sequence: Int64 {
        get async throws {
            let row = try await database.read { try $0.rows("SELECT sequence FROM head").first?.integer(0) }
            guard let row else { throw AuthorityStoreError.damaged }
            return row
        }
    }

    // MARK: Issuing

    /// Records a certificate, before anyone is given it.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - name: What a person calls it.
    ///   - purpose: What it is for.
    ///   - files: Where it is going to be written.
    ///   - replaced: The serial number of the certificate in whose place it is issued.
    ///   - now: The time.
    /// - Throws: ``AuthorityStoreError/refusedByDatabase`` where its serial number was issued before.
    package func record(
        _ certificate: Certificate, name: String, purpose: IssuedCertificate.Purpose, files: IssuedFiles? = nil,
        replacing replaced: [UInt8]? = nil, now: Date
    ) async throws {
        let der = try certificate.derRepresentation
        let serial = Array(certificate.serialNumber.bytes)
        let files = try files.map(Self.encode)
        try await database.write { connection in
            try connection.rows(
                """
                INSERT INTO certificate (serial, name, purpose, not_before, not_after, der, files)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                .bytes(serial), .text(name), .text(purpose.rawValue),
                .integer(Self.seconds(certificate.notValidBefore)), .integer(Self.seconds(certificate.notValidAfter)),
                .bytes(der), SQLValue(files))
            if let replaced {
                try connection.rows(
                    "UPDATE certificate SET replaced_by = ? WHERE serial = ?", .bytes(serial), .bytes(replaced))
            }
            try connection.log(.issued, serial: serial, detail: hex(SHA256.hash(data: der)), at: Self.seconds(now))
        }
    }

    // MARK: Revoking

    /// Revokes a certificate.
    ///
    /// - Parameters:
    ///   - serial: Its serial number.
    ///   - reason: Why.
    ///   - now: The time.
    /// - Returns: Whether it was not revoked before.
    /// - Throws: ``AuthorityStoreError/noCertificate(_:)``.
    @discardableResult
    package func revoke(_ serial: [UInt8], reason: RevocationReason, now: Date) async throws -> Bool {
        try await database.write { connection in
            let changed = try connection.rows(
                "UPDATE certificate SET revoked_at = ?, reason = ? WHERE serial = ? AND revoked_at IS NULL RETURNING serial",
                .integer(Self.seconds(now)), .text(reason.rawValue), .bytes(serial))
            guard changed.isEmpty else {
                try connection.log(.revoked, serial: serial, detail: reason.rawValue, at: Self.seconds(now))
                return true
            }
            let isKnown = try !connection.rows("SELECT 1 FROM certificate WHERE serial = ?", .bytes(serial)).isEmpty
            guard isKnown else { throw AuthorityStoreError.noCertificate(hex(serial)) }
            return false
        }
    }

    /// Every certificate that is revoked and has not expired.
    package func revoked(at now: Date) async throws -> [RevokedCertificate] {
        try await database.read { connection in
            try connection.rows(
                "SELECT serial, revoked_at, reason FROM certificate WHERE revoked_at IS NOT NULL AND not_after >= ? ORDER BY revoked_at",
                .integer(Self.seconds(now))
            ).map { row in
                RevokedCertificate(
                    serialNumber: Certificate.SerialNumber(bytes: try row.bytes(0)),
                    date: Date(timeIntervalSince1970: TimeInterval(try row.integer(1))),
                    reason: RevocationReason(rawValue: try row.text(2)) ?? .unspecified)
            }
        }
    }

    /// Makes a revocation list under the next number, and records it.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - make: Makes the list from its number.
    /// - Returns: The list.
    /// - Throws: What the closure throws; the number is then used up.
    package func list(now: Date, _ make: @Sendable (Int) throws -> [UInt8]) async throws -> [UInt8] {
        let number = try await database.write { connection in
            try connection.rows("UPDATE head SET list_number = list_number + 1 WHERE id = 1 RETURNING list_number")
                .first?.integer(0)
        }
        guard let number else { throw AuthorityStoreError.damaged }
        let list = try make(Int(number))
        let detail = "\(number) \(hex(SHA256.hash(data: list)))"
        try await database.write { try $0.log(.listed, serial: [], detail: detail, at: Self.seconds(now)) }
        return list
    }

    // MARK: Looking up

    private static let columns = "der, name, purpose, revoked_at, reason, replaced_by, files"

    /// The certificate with a serial number; `nil` where none was issued.
    package func certificate(_ serial: [UInt8]) async throws -> IssuedCertificate? {
        try await certificates("WHERE serial = ?", .bytes(serial)).first
    }

    /// All certificates, the first to end first.
    package var certificates: [IssuedCertificate] {
        get async throws { try await certificates("ORDER BY not_after, serial") }
    }

    /// The certificates that a person calls so, the last to end first: by name, or by the beginning of the serial number in hexadecimal digits.
    package func certificates(called text: String) async throws -> [IssuedCertificate] {
        let named = try await certificates("WHERE name = ? ORDER BY not_after DESC", .text(text))
        guard named.isEmpty else { return named }
        let digits = text.lowercased().filter { $0 != ":" }
        guard digits.count >= 6, digits.allSatisfy(\.isHexDigit) else { return [] }
        return try await certificates.filter { hex($0.serial).hasPrefix(digits) }
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

    // MARK: Auditing

    /// What an audit found.
    package struct Audit: Sendable {
        package var entries = 0
        package var certificates = 0
        /// The hash of the last entry, which stands for the whole log.
        package var head = ""
        /// What does not fit; empty where all does.
        package var flaws: [String] = []
    }

    /// Checks the log from its first entry on, and every certificate against it.
    ///
    /// - Parameter issuer: The certificate whose key signed the others.
    /// - Returns: How much there is, and what does not fit.
    /// - Throws: ``AuthorityStoreError``.
    package func audit(issuer: Certificate) async throws -> Audit {
        let all = try await certificates
        return try await database.read { connection in
            var audit = Audit()
            var hash = LogEntry.start
            var (authority, issued, revoked) = ("", [[UInt8]: String](), Set<[UInt8]>())
            for row in try connection.rows(
                "SELECT sequence, time, event, serial, detail, hash FROM log ORDER BY sequence")
            {
                audit.entries += 1
                guard let event = LogEntry.Event(rawValue: try row.text(2)) else { throw AuthorityStoreError.damaged }
                let entry = LogEntry(
                    sequence: try row.integer(0), time: try row.integer(1), event: event, serial: try row.bytes(3),
                    detail: try row.text(4))
                if entry.sequence != Int64(audit.entries) { audit.flaws.append("Entry \(audit.entries) is missing.") }
                hash = entry.hash(after: hash)
                if hash != (try row.bytes(5)) {
                    audit.flaws.append("Entry \(entry.sequence) is not as it was written.")
                    hash = try row.bytes(5)
                }
                switch event {
                case .issued: issued[entry.serial] = entry.detail
                case .revoked: revoked.insert(entry.serial)
                case .created, .renewed: authority = entry.detail
                case .listed: break
                }
            }
            if authority != Self.hash(ofAuthorityIn: try Self.settings(connection)) {
                audit.flaws.append("The authority's certificate is not the one that the log tells of.")
            }
            let head = try connection.rows("SELECT sequence, hash FROM head").first
            if try head?.integer(0) != Int64(audit.entries) || head?.bytes(1) != hash {
                audit.flaws.append("The log does not end where it should.")
            }
            for one in all {
                audit.certificates += 1
                let serial = hex(one.serial)
                if issued[one.serial] != hex(SHA256.hash(data: try one.certificate.derRepresentation)) {
                    audit.flaws.append("Certificate \(serial) is not the one that the log tells of.")
                }
                if (one.revokedAt != nil) != revoked.contains(one.serial) {
                    audit.flaws.append("Certificate \(serial) is revoked in one place and not in the other.")
                }
                if !issuer.publicKey.isValidSignature(one.certificate.signature, for: one.certificate) {
                    audit.flaws.append("Certificate \(serial) is not signed by the authority.")
                }
            }
            for serial in Set(issued.keys).subtracting(all.map(\.serial)) {
                audit.flaws.append("Certificate \(hex(serial)) is in the log alone.")
            }
            audit.head = hex(hash)
            return audit
        }
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970) }

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// Lower-case hexadecimal digits.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
