// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Crypto
internal import Encodings
internal import EssentialFoundation
internal import SwiftASN1
package import X509

extension AuthorityStore {
    /// The result of an audit.
    package struct Audit: Sendable {
        package var entries = 0
        package var certificates = 0
        /// The hash of the last entry, which authenticates the complete log.
        package var head = ""
        /// The differences between the log and the rest of the state; empty if there are none.
        package var problems: [String] = []
        /// The limits of the audit, such as data that the log covers only in part.
        package var notes: [String] = []
    }

    /// Checks the log from its first entry, and every row of the other tables against the log.
    ///
    /// The ACME records (accounts, orders, authorizations, nonces) are working state that changes with each request.
    /// The log does not cover them, but it covers each certificate that they result in.
    ///
    /// - Parameters:
    ///   - issuer: The certificate that issued the others.
    ///   - expectedHash: The hash of the last entry that an earlier audit printed, in hexadecimal digits.
    /// - Returns: The numbers of entries and certificates, and the problems found.
    /// - Throws: ``AuthorityStoreError``.
    package func audit(issuer: Certificate, expectedHash: String? = nil) async throws -> Audit {
        let dialect = database.dialect
        return try await database.read { connection in
            var audit = Audit()
            let account = try LogState(connection, expectedHash: expectedHash?.lowercased(), &audit)
            let guards = Set(try connection.rows(dialect.logGuardQuery).map { try $0.text(0) })
            if !guards.isSuperset(of: dialect.logGuardNames) {
                audit.problems.append("The triggers that keep entries of the log from being changed are missing.")
            }
            try account.compare(head: connection, &audit)
            var missing = Set(account.certificates.keys)
            for row in try connection.rows("SELECT \(CertificateRow.columns) FROM certificate ORDER BY serial") {
                audit.certificates += 1
                guard case .bytes(let serial) = row.values[0] else { throw AuthorityStoreError.damaged }
                missing.remove(serial)
                CertificateRow(row, serial).compare(
                    with: account.certificates[serial], issuer: issuer, &audit.problems)
            }
            for serial in missing.map({ hex($0) }).sorted() {
                audit.problems.append("Certificate \(serial) is only in the log.")
            }
            return audit
        }
    }
}

/// The state that results from the entries of a log.
private struct LogState {
    /// The logged state of a certificate.
    struct Entry {
        var detail: IssuedDetail?
        var revocation: (time: Int64, reason: String)?
        var successor: [UInt8]?
    }

    private(set) var certificates: [[UInt8]: Entry] = [:]
    private var authority: AuthorityDetail?
    private var listNumber: Int64 = 0
    /// The hash of the last entry.
    private var hash = LogEntry.start
    private var adoption: (sequence: Int64, time: Int64, count: Int)?
    private var isFirstFormat = false

    /// Reads the log and checks its hash chain.
    init(_ connection: any SQLConnection, expectedHash: String?, _ audit: inout AuthorityStore.Audit) throws {
        var hasExpectedHash = expectedHash == nil || expectedHash == hex(hash)
        for row in try connection.rows(
            "SELECT sequence, time, event, serial, detail, hash FROM log ORDER BY sequence")
        {
            audit.entries += 1
            let entry = LogEntry(
                sequence: try row.integer(0), time: try row.integer(1), event: .init(rawValue: try row.text(2)),
                serial: try row.bytes(3), detail: try row.text(4))
            if entry.sequence != Int64(audit.entries) { audit.problems.append("Entry \(audit.entries) is missing.") }
            hash = entry.hash(after: hash)
            if hash != (try row.bytes(5)) {
                audit.problems.append("Entry \(entry.sequence) was changed after it was written.")
                hash = try row.bytes(5)
            }
            if expectedHash == hex(hash) { hasExpectedHash = true }
            if !take(entry) { audit.problems.append("Entry \(entry.sequence) does not fit the entries before it.") }
        }
        if let expectedHash, !hasExpectedHash {
            audit.problems.append("The log has no entry with the noted hash \(expectedHash).")
        }
        audit.head = hex(hash)
        if let adoption {
            let date = Date(timeIntervalSince1970: TimeInterval(adoption.time)).formatted(.iso8601)
            audit.notes.append(
                "An older version wrote the log up to entry \(adoption.sequence) of \(date). The names, purposes and files of "
                    + "\(adoption.count) certificates, and the settings, are covered only since then.")
        }
    }

    /// Applies an entry; returns `false` if the software never writes such an entry after the earlier ones.
    private mutating func take(_ entry: LogEntry) -> Bool {
        switch entry.event {
        case .created:
            isFirstFormat = AuthorityDetail(entry.detail).settings == nil
            authority = AuthorityDetail(entry.detail)
            return entry.sequence == 1
        case .renewed:
            authority = AuthorityDetail(entry.detail)
        case .issued:
            return take(IssuedDetail(entry.detail), of: entry.serial, where: { $0 == nil })
        case .adopted where entry.serial.isEmpty:
            guard isFirstFormat, adoption == nil else { return false }
            guard let number = entry.detail.split(separator: " ").last.flatMap({ Int64($0) }), number >= listNumber
            else { return false }
            authority = AuthorityDetail(entry.detail)
            listNumber = number
            adoption = (entry.sequence, entry.time, certificates.count)
        case .adopted:
            let detail = IssuedDetail(entry.detail)
            // Adoption accepts neither a row without a log entry nor a certificate other than the logged one.
            return isFirstFormat && adoption == nil
                && take(detail, of: entry.serial, where: { $0?.certificate == detail.certificate })
        case .revoked:
            guard certificates[entry.serial]?.revocation == nil else { return false }
            certificates[entry.serial, default: Entry()].revocation = (entry.time, entry.detail)
        case .listed:
            guard let number = entry.detail.split(separator: " ").first.flatMap({ Int64($0) }) else { return false }
            // An older version recorded a list after taking its number, so lists of two processes may be logged in
            // either order.
            guard number > listNumber || isFirstFormat && adoption == nil else { return false }
            listNumber = max(listNumber, number)
        default: return false
        }
        return true
    }

    private mutating func take(
        _ detail: IssuedDetail, of serial: [UInt8], where isExpected: (IssuedDetail?) -> Bool
    ) -> Bool {
        guard isExpected(certificates[serial]?.detail) else { return false }
        certificates[serial, default: Entry()].detail = detail
        if let replaced = detail.replaced.flatMap({ Hexadecimal.decode($0) }) {
            certificates[replaced, default: Entry()].successor = serial
        }
        return true
    }

    /// Compares the single row of `head` with the log.
    func compare(head connection: any SQLConnection, _ audit: inout AuthorityStore.Audit) throws {
        guard
            let row = try connection.rows("SELECT sequence, hash, list_number, settings, format FROM head").first
        else { throw AuthorityStoreError.damaged }
        if row.values[0] != .integer(Int64(audit.entries)) || row.values[1] != .bytes(hash) {
            audit.problems.append("The last entry of the log is not the recorded one.")
        }
        if row.values[2] != .integer(listNumber) {
            audit.problems.append("The number of the last revocation list is not \(listNumber), as logged.")
        }
        if row.values[4] != .integer(Schema.version) {
            audit.problems.append("The format is not \(Schema.version), as logged.")
        }
        guard let settings = try? AuthoritySettings(json: row.text(3)), let chain = try? settings.certificates else {
            audit.problems.append("The authority's settings cannot be read.")
            return
        }
        let actual = settings.detail(as: try row.text(3))
        if actual.certificate != authority?.certificate {
            audit.problems.append("The authority's certificate does not match the log.")
        } else if let recorded = authority?.settings, recorded != actual.settings {
            audit.problems.append("The authority's settings do not match the log.")
        }
        for (certificate, issuer) in zip(chain, chain.dropFirst() + chain.suffix(1))
        where !issuer.publicKey.isValidSignature(certificate.signature, for: certificate) {
            audit.problems.append("The authority's chain has a certificate that the next one did not sign.")
        }
    }
}

/// A row of the table `certificate`.
private struct CertificateRow {
    static let columns =
        "serial, der, not_before, not_after, revoked_at, reason, replaced_by, \(IssuedDetail.columns)"

    private let serial: [UInt8]
    private let values: [SQLValue]

    init(_ row: SQLRow, _ serial: [UInt8]) { (self.serial, values) = (serial, row.values) }

    /// Compares every column with the log or with the certificate itself.
    func compare(with entry: LogState.Entry?, issuer: Certificate, _ problems: inout [String]) {
        let name = "Certificate \(hex(serial))"
        let der = if case .bytes(let bytes) = values[1] { bytes } else { [UInt8]() }
        if entry?.detail?.certificate != hex(SHA256.hash(data: der)) {
            problems.append("\(name) does not match the log.")
        } else if let record = entry?.detail?.record, record != digest(of: Array(values[7...])) {
            problems.append("\(name) has another name, purpose or file than in the log.")
        } else if entry?.detail?.record == nil {
            problems.append(
                "\(name) was recorded by an older version after this one; its name and files are not covered.")
        }
        if let certificate = try? Certificate(derEncoded: der) {
            if Array(certificate.serialNumber.bytes) != serial {
                problems.append("\(name) contains another serial number.")
            }
            if values[2] != .integer(AuthorityStore.seconds(certificate.notValidBefore))
                || values[3] != .integer(AuthorityStore.seconds(certificate.notValidAfter))
            {
                problems.append("\(name) contains another validity than its row.")
            }
            if !issuer.publicKey.isValidSignature(certificate.signature, for: certificate) {
                problems.append("\(name) is not signed by the authority.")
            }
        } else {
            problems.append("\(name) cannot be read.")
        }
        let (time, reason) = (values[4], values[5])
        if (time != .null) != (entry?.revocation != nil) {
            problems.append("\(name) is revoked only in its row or only in the log.")
        } else if time != SQLValue(entry?.revocation?.time) || reason != SQLValue(entry?.revocation?.reason) {
            problems.append("\(name) was revoked at another time or for another reason than in the log.")
        }
        if values[6] != (entry?.successor).map(SQLValue.bytes) ?? .null {
            problems.append("\(name) was replaced by another certificate than in the log.")
        }
    }
}
