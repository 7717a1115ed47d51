// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import ErrorChecks
import ErrorExplanations
import Foundation
import GRDB
import Identities
import Testing
import X509

@testable import AuthorityStore

private let now = Date(timeIntervalSince1970: 1_790_000_000)

/// An authority and its state in a temporary folder.
private final class Scene {
    let authority: CertificateAuthority
    let path: String
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "authority.sqlite").path
        authority = try CertificateAuthority(name: "Root", pathLength: 0, now: now)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func settings() throws -> AuthoritySettings {
        try AuthoritySettings(
            name: "Root", chain: [authority.certificate], issuingKey: .file("root-key.pem"),
            rootKey: .file("root-key.pem"),
            publication: PublicationPoints(revocationList: URL(string: "http://ca.test/root.crl")), leafDays: 47)
    }

    func create() async throws -> AuthorityStore { try await .create(at: path, settings: settings(), now: now) }

    @discardableResult
    func issue(_ name: String, in store: AuthorityStore, replacing old: [UInt8]? = nil) async throws -> Certificate {
        let certificate = try authority.issue(.server(names: [name]), now: now).certificate
        try await store.record(certificate, name: name, purpose: .server, replacing: old, now: now)
        return certificate
    }

    /// Creates a state with every kind of record: three certificates (one replaced, one revoked), files and a list.
    func createFull() async throws -> AuthorityStore {
        let store = try await create()
        for name in ["a.test", "b.test", "c.test"] {
            let certificate = try authority.issue(.server(names: [name]), now: now).certificate
            let files = IssuedFiles(chain: "/\(name).pem", key: "/\(name)-key.pem", hook: "reload")
            try await store.record(certificate, name: name, purpose: .server, files: files, now: now)
        }
        let old = try #require(try await store.certificates(called: "b.test").first)
        try await issue("b.test", in: store, replacing: old.serial)
        let last = try #require(try await store.certificates(called: "c.test").first)
        try await store.revoke(last.serial, reason: .keyCompromise, now: now)
        _ = try await store.list(now: now) { _ in [1] }
        return store
    }

    /// Converts the state to the previous format version.
    func downgrade() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            try database.execute(
                sql: """
                    DROP TRIGGER log_no_update; DROP TRIGGER log_no_delete; DROP INDEX log_event;
                    UPDATE head SET format = 1
                    """)
            var hash = LogEntry.start
            for row in try Row.fetchAll(database, sql: "SELECT * FROM log ORDER BY sequence") {
                let event = LogEntry.Event(rawValue: row["event"])
                let detail: String = row["detail"]
                let isCovered = event == .issued || event == .created
                let entry = LogEntry(
                    sequence: row["sequence"], time: row["time"], event: event, serial: Array(row["serial"] as Data),
                    detail: isCovered ? String(detail.prefix { $0 != " " }) : detail)
                hash = entry.hash(after: hash)
                try database.execute(
                    sql: "UPDATE log SET detail = ?, hash = ? WHERE sequence = ?",
                    arguments: [entry.detail, Data(hash), entry.sequence])
            }
            try database.execute(sql: "UPDATE head SET hash = ?", arguments: [Data(hash)])
            for statement in SQLDialect.sqlite.logGuard { try database.execute(sql: statement) }
        }
        try queue.close()
    }

    /// Changes the file with SQL, as another program could.
    func tamper(_ statement: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
    }
}

@Suite struct AuthorityStoreTests {
    @Test("Issued and revoked certificates are retained when the state is reopened") func roundTrip() async throws {
        let scene = try Scene()
        let first = try await scene.create()
        let old = try await scene.issue("a.test", in: first)
        let new = try await scene.issue("a.test", in: first, replacing: Array(old.serialNumber.bytes))
        let other = try await scene.issue("b.test", in: first)
        #expect(try await first.revoke(Array(other.serialNumber.bytes), reason: .keyCompromise, now: now + 60))
        #expect(try await !first.revoke(Array(other.serialNumber.bytes), reason: .superseded, now: now + 90))

        let store = try await AuthorityStore.open(at: scene.path)
        #expect(try await store.settings.publication.revocationList?.absoluteString == "http://ca.test/root.crl")
        #expect(try await store.settings.certificates == [scene.authority.certificate])
        #expect(try await store.certificates.count == 3)
        let named = try await store.certificates(called: "a.test")
        #expect(Set(named.map { $0.state(at: now).rawValue }) == ["valid", "replaced"])
        #expect(try await store.certificate(Array(old.serialNumber.bytes))?.replacedBy == Array(new.serialNumber.bytes))
        let digits = hex(new.serialNumber.bytes).prefix(12)
        #expect(try await store.certificates(called: String(digits)).map(\.certificate) == [new])
        #expect(
            try await store.revoked(at: now) == [
                RevokedCertificate(serialNumber: other.serialNumber, date: now + 60, reason: .keyCompromise)
            ])
        // An expired certificate is no longer listed.
        #expect(try await store.revoked(at: now + 48 * 86_400) == [])
        #expect(try await store.certificates(called: "b.test").first?.state(at: now) == .revoked)
        #expect(try await store.certificates(called: "c.test").isEmpty)
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("Invalid operations are refused, and change nothing") func refused() async throws {
        let scene = try Scene()
        await #expect(throws: AuthorityStoreError.notFound(path: scene.path)) {
            try await AuthorityStore.open(at: scene.path)
        }
        let store = try await scene.create()
        await #expect(throws: AuthorityStoreError.exists(path: scene.path)) { try await scene.create() }
        let certificate = try await scene.issue("a.test", in: store)
        await #expect(throws: AuthorityStoreError.refusedByDatabase) {
            try await store.record(certificate, name: "a.test", purpose: .server, now: now)
        }
        await #expect(throws: AuthorityStoreError.noCertificate("0102")) {
            try await store.revoke([1, 2], reason: .unspecified, now: now)
        }
        let audit = try await store.audit(issuer: scene.authority.certificate)
        #expect((audit.entries, audit.certificates, audit.problems) == (2, 1, []))
        try scene.tamper("UPDATE head SET format = 3")
        await #expect(throws: AuthorityStoreError.newerFormat) { try await AuthorityStore.open(at: scene.path) }
        try scene.tamper("DROP TABLE head")
        await #expect(throws: AuthorityStoreError.damaged) { try await AuthorityStore.open(at: scene.path) }
    }

    @Test("Replacing an authority's certificate is logged") func renewal() async throws {
        let scene = try Scene()
        let store = try await scene.create()
        let root = try CertificateAuthority(name: "Root", now: now)
        let lower = try root.issueIntermediate(name: "Lower", now: now)
        try await store.replaceChain(lower.identity.chain, now: now)
        let opened = try await AuthorityStore.open(at: scene.path)
        #expect(try await opened.settings.certificates == lower.identity.chain)
        #expect(try await opened.settings.publication == scene.settings().publication)
        let audit = try await opened.audit(issuer: lower.certificate)
        #expect((audit.entries, audit.problems) == (2, []))
    }

    @Test("A backup during writes is consistent") func copy() async throws {
        let scene = try Scene()
        let store = try await scene.create()
        let path = scene.path + ".copy"
        let certificates = try (0..<40).map {
            try scene.authority.issue(.server(names: ["n\($0).test"]), now: now).certificate
        }
        async let written: Void = {
            for certificate in certificates {
                try await store.record(certificate, name: "n.test", purpose: .server, now: now)
            }
        }()
        let copy = try await AuthorityStore.open(at: scene.path).copy(to: path)
        try await written
        let audit = try await copy.audit(issuer: scene.authority.certificate)
        #expect(audit.problems == [])
        #expect(audit.entries == audit.certificates + 1)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        await #expect(throws: AuthorityStoreError.exists(path: path)) { try await store.copy(to: path) }
    }

    @Test("Each revocation list has the next number, and is logged") func lists() async throws {
        let scene = try Scene()
        let store = try await scene.create()
        for number in 1...3 {
            let authority = scene.authority
            let list = try await store.list(now: now) { given in
                #expect(given == number)
                return try authority.revocationList(of: [], number: given, now: now)
            }
            #expect(try CertificateRevocationList(derEncoded: list).thisUpdate == now)
        }
        #expect(try await store.audit(issuer: scene.authority.certificate).entries == 4)
    }

    @Test(
        "An audit finds changes by other programs",
        arguments: [
            "DROP TRIGGER log_no_update; UPDATE log SET time = time + 1 WHERE sequence = 2",
            "DROP TRIGGER log_no_update; UPDATE log SET detail = 'superseded' WHERE event = 'revoked'",
            "DROP TRIGGER log_no_update; UPDATE log SET hash = zeroblob(32) WHERE sequence = 3",
            "DROP TRIGGER log_no_delete; DELETE FROM log WHERE sequence = 2",
            "DROP TRIGGER log_no_delete; DELETE FROM log WHERE sequence = (SELECT max(sequence) FROM log)",
            "DELETE FROM certificate WHERE name = 'a.test'",
            "UPDATE certificate SET revoked_at = NULL",
            "UPDATE certificate SET revoked_at = 1, reason = 'superseded'",
            "UPDATE certificate SET der = (SELECT der FROM certificate WHERE name = 'b.test') WHERE name = 'a.test'",
            "UPDATE head SET sequence = 99",
            "UPDATE head SET settings = json_set(settings, '$.chain', json_array('AAAA'))",
            "UPDATE head SET hash = zeroblob(32)",
        ])
    func tampering(statement: String) async throws {
        let scene = try Scene()
        let store = try await scene.create()
        for name in ["a.test", "b.test", "c.test"] { try await scene.issue(name, in: store) }
        let last = try #require(try await store.certificates(called: "c.test").first)
        try await store.revoke(last.serial, reason: .keyCompromise, now: now)
        #expect(try await store.audit(issuer: scene.authority.certificate).problems == [])
        try scene.tamper(statement)
        #expect(try await !store.audit(issuer: scene.authority.certificate).problems.isEmpty)
    }

    @Test(
        "An audit finds changes of each column that lists, responses and renewals use",
        arguments: [
            "UPDATE certificate SET not_after = 1000 WHERE revoked_at IS NOT NULL",
            "UPDATE certificate SET not_before = 1 WHERE name = 'a.test'",
            "UPDATE certificate SET not_after = not_after + 1 WHERE name = 'a.test'",
            "UPDATE certificate SET revoked_at = revoked_at - 100 WHERE revoked_at IS NOT NULL",
            "UPDATE certificate SET reason = 'superseded' WHERE revoked_at IS NOT NULL",
            "UPDATE certificate SET reason = NULL WHERE revoked_at IS NOT NULL",
            "UPDATE certificate SET reason = 'superseded' WHERE name = 'a.test'",
            "UPDATE certificate SET name = 'z.test' WHERE name = 'a.test'",
            "UPDATE certificate SET purpose = 'client' WHERE name = 'a.test'",
            "UPDATE certificate SET files = replace(files, 'reload', 'rm') WHERE name = 'a.test'",
            "UPDATE certificate SET files = NULL WHERE name = 'a.test'",
            "UPDATE certificate SET replaced_by = NULL",
            "UPDATE certificate SET replaced_by = serial WHERE name = 'a.test'",
            "UPDATE certificate SET replaced_by = x'0102' WHERE replaced_by IS NOT NULL",
            "UPDATE certificate SET serial = x'0102' WHERE name = 'a.test'",
            """
            UPDATE certificate SET serial = x'00' WHERE name = 'a.test';
            UPDATE certificate SET serial = (SELECT serial FROM log WHERE event = 'issued' AND serial NOT IN
                (SELECT serial FROM certificate)) WHERE name = 'c.test'
            """,
            "UPDATE certificate SET der = x'3000' WHERE name = 'a.test'",
            "UPDATE certificate SET der = CAST('text' AS TEXT) WHERE name = 'a.test'",
            """
            INSERT INTO certificate SELECT x'0102', name, purpose, not_before, not_after, der, revoked_at, reason, replaced_by, files
                FROM certificate WHERE name = 'a.test'
            """,
            """
            CREATE TABLE kept AS SELECT * FROM certificate WHERE name = 'a.test'; DELETE FROM certificate WHERE name = 'a.test';
            UPDATE kept SET name = 'y.test'; INSERT INTO certificate SELECT * FROM kept
            """,
            "UPDATE head SET list_number = 0", "UPDATE head SET list_number = 1000",
            "UPDATE head SET settings = json_set(settings, '$.leafDays', 825)",
            "UPDATE head SET settings = json_set(settings, '$.name', 'Other')",
            "UPDATE head SET settings = json_set(settings, '$.revocationListURL', 'http://other.test/crl')",
            "UPDATE head SET settings = json_set(settings, '$.issuingKey', json('{\"file\":{\"_0\":\"other.pem\"}}'))",
            "UPDATE head SET format = 1",
            "DROP TRIGGER log_no_delete",
            """
            DROP TRIGGER log_no_delete; DELETE FROM log WHERE sequence = (SELECT max(sequence) FROM log);
            UPDATE head SET sequence = sequence - 1, hash = (SELECT hash FROM log ORDER BY sequence DESC LIMIT 1)
            """,
        ])
    func columns(statement: String) async throws {
        let scene = try Scene()
        let store = try await scene.createFull()
        let before = try await store.audit(issuer: scene.authority.certificate)
        #expect(before.problems == [])
        #expect(before.notes == [])
        try scene.tamper(statement)
        let opened = try await AuthorityStore.open(at: scene.path)
        #expect(try await !opened.audit(issuer: scene.authority.certificate).problems.isEmpty)
    }

    @Test(
        "A logged revocation stays in lists and responses if the certificate's row is changed",
        arguments: [
            "UPDATE certificate SET not_after = 1000", "UPDATE certificate SET revoked_at = NULL, reason = NULL",
            "UPDATE certificate SET der = x'3000' WHERE revoked_at IS NOT NULL",
            "DELETE FROM certificate WHERE revoked_at IS NOT NULL",
        ])
    func revocationFromLog(statement: String) async throws {
        let scene = try Scene()
        let store = try await scene.createFull()
        let serial = try #require(try await store.certificates(called: "c.test").first).certificate.serialNumber
        let expected = RevokedCertificate(serialNumber: serial, date: now, reason: .keyCompromise)
        #expect(try await store.revoked(at: now) == [expected])
        try scene.tamper(statement)
        #expect(try await store.revoked(at: now) == [expected])
        #expect(try await store.status(of: serial) == .revoked(expected))
        #expect(try await !store.revoke(Array(serial.bytes), reason: .superseded, now: now + 60))
    }

    @Test("A revocation that only the certificate's row contains is effective too") func revocationFromRow()
        async throws
    {
        let scene = try Scene()
        let store = try await scene.createFull()
        let serial = try #require(try await store.certificates(called: "a.test").first).certificate.serialNumber
        #expect(try await store.status(of: serial) == .good)
        try scene.tamper("UPDATE certificate SET revoked_at = 1000 WHERE name = 'a.test'")
        let expected = RevokedCertificate(serialNumber: serial, date: Date(timeIntervalSince1970: 1_000))
        #expect(try await store.revoked(at: now).first == expected)
        #expect(try await store.status(of: serial) == .revoked(expected))
        #expect(try await store.certificates(called: "a.test").first?.state(at: now) == .revoked)
        #expect(try await store.status(of: Certificate.SerialNumber(bytes: [1, 2])) == .unknown)
    }

    @Test(
        "A certificate is not renewed from a record that differs from the log",
        arguments: [
            "UPDATE certificate SET files = replace(files, 'reload', 'rm')",
            "UPDATE certificate SET name = 'z.test' WHERE name = 'a.test'",
            "UPDATE certificate SET der = (SELECT der FROM certificate WHERE name = 'c.test') WHERE name = 'a.test'",
            "DELETE FROM certificate WHERE name = 'a.test'",
        ], [false, true])
    func changedRecord(statement: String, isOlder: Bool) async throws {
        let scene = try Scene()
        let first = try await scene.createFull()
        let serial = try #require(try await first.certificates(called: "a.test").first).serial
        if isOlder { try scene.downgrade() }
        let store = try await AuthorityStore.open(at: scene.path)
        try await store.requireRecorded(serial)
        try scene.tamper(statement)
        await #expect(throws: AuthorityStoreError.changedRecord(hex(serial))) {
            try await store.requireRecorded(serial)
        }
    }

    @Test("A list that could not be signed does not use a number") func failedList() async throws {
        struct Failure: Error {}
        let scene = try Scene()
        let store = try await scene.createFull()
        await #expect(throws: Failure.self) { try await store.list(now: now) { _ in throw Failure() } }
        _ = try await store.list(now: now) { number in
            #expect(number == 2)
            return [2]
        }
        #expect(try await store.audit(issuer: scene.authority.certificate).problems == [])
    }

    @Test("An audit with an earlier hash finds that the log was truncated or rewritten") func expectedHash()
        async throws
    {
        let scene = try Scene()
        let store = try await scene.createFull()
        let issuer = scene.authority.certificate
        let expectedHash = try await store.audit(issuer: issuer).head
        try await scene.issue("d.test", in: store)
        #expect(try await store.audit(issuer: issuer, expectedHash: expectedHash.uppercased()).problems == [])
        try scene.tamper(
            """
            DROP TRIGGER log_no_delete; DELETE FROM log WHERE event = 'listed' OR sequence > 7;
            DELETE FROM certificate WHERE name = 'd.test';
            UPDATE head SET sequence = 6, list_number = 0, hash = (SELECT hash FROM log ORDER BY sequence DESC LIMIT 1);
            CREATE TRIGGER log_no_delete BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END
            """)
        #expect(try await store.audit(issuer: issuer).problems == [])
        #expect(try await store.audit(issuer: issuer, expectedHash: expectedHash).problems.count == 1)
    }

    @Test("The state of an older version is protected from its upgrade on, and an audit reports that") func upgrade()
        async throws
    {
        let scene = try Scene()
        _ = try await scene.createFull()
        try scene.downgrade()
        let store = try await AuthorityStore.open(at: scene.path)
        let issuer = scene.authority.certificate
        let audit = try await store.audit(issuer: issuer)
        #expect(audit.problems == [])
        #expect(audit.notes.count == 1)
        #expect(audit.certificates == 4)
        try await scene.issue("e.test", in: store, replacing: store.certificates(called: "a.test").first?.serial)
        _ = try await store.list(now: now) { _ in [3] }
        let again = try await AuthorityStore.open(at: scene.path).audit(issuer: issuer)
        #expect((again.entries, again.problems, again.notes) == (audit.entries + 2, [], audit.notes))
        for statement in [
            "UPDATE certificate SET name = 'z.test' WHERE name = 'a.test'", "UPDATE head SET list_number = 9",
            // A second adoption would make the changes valid.
            "UPDATE certificate SET files = NULL; UPDATE head SET format = 1",
        ] {
            try scene.tamper(statement)
            let problems = try await AuthorityStore.open(at: scene.path).audit(issuer: issuer).problems
            #expect(!problems.isEmpty, "\(statement)")
        }
    }

    @Test(
        "Changes before the upgrade of an older state are found after it",
        arguments: [
            "UPDATE certificate SET not_after = 1000 WHERE revoked_at IS NOT NULL",
            "UPDATE certificate SET revoked_at = revoked_at + 1 WHERE revoked_at IS NOT NULL",
            "UPDATE certificate SET reason = 'superseded' WHERE revoked_at IS NOT NULL",
            "UPDATE certificate SET revoked_at = NULL",
            "UPDATE certificate SET der = (SELECT der FROM certificate WHERE name = 'c.test') WHERE name = 'a.test'",
            "UPDATE certificate SET serial = x'0102' WHERE name = 'a.test'",
            "UPDATE certificate SET replaced_by = x'0102' WHERE name = 'a.test'",
            "DELETE FROM certificate WHERE name = 'a.test'",
            """
            INSERT INTO certificate SELECT x'0102', name, purpose, not_before, not_after, der, revoked_at, reason, replaced_by, files
                FROM certificate WHERE name = 'a.test'
            """,
            "UPDATE head SET list_number = 0",
        ])
    func changedBeforeUpgrade(statement: String) async throws {
        let scene = try Scene()
        _ = try await scene.createFull()
        try scene.downgrade()
        try scene.tamper(statement)
        let store = try await AuthorityStore.open(at: scene.path)
        #expect(try await !store.audit(issuer: scene.authority.certificate).problems.isEmpty)
    }

    @Test("An audit finds another authority's certificates, and the log cannot be rewritten") func foreign()
        async throws
    {
        let scene = try Scene()
        let store = try await scene.create()
        let stranger = try CertificateAuthority(name: "Root", now: now).issue(.server(names: ["a.test"]), now: now)
        try await store.record(stranger.certificate, name: "a.test", purpose: .server, now: now)
        #expect(try await store.audit(issuer: scene.authority.certificate).problems.count == 1)
        for statement in ["UPDATE log SET time = 0", "DELETE FROM log"] {
            #expect(throws: DatabaseError.self) { try scene.tamper(statement) }
        }
    }

    @Test("Concurrent connections leave one log without gaps") func concurrent() async throws {
        let scene = try Scene()
        _ = try await scene.create()
        let certificates = try (0..<120).map {
            try scene.authority.issue(.server(names: ["n\($0).test"]), now: now).certificate
        }
        let path = scene.path
        try await withThrowingTaskGroup { group in
            for part in 0..<4 {
                group.addTask {
                    let store = try await AuthorityStore.open(at: path)
                    for index in stride(from: part, to: certificates.count, by: 4) {
                        let certificate = certificates[index]
                        try await store.record(certificate, name: "n\(index).test", purpose: .server, now: now)
                        if index % 3 == 0 {
                            try await store.revoke(Array(certificate.serialNumber.bytes), reason: .superseded, now: now)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let audit = try await AuthorityStore.open(at: scene.path).audit(issuer: scene.authority.certificate)
        #expect((audit.entries, audit.certificates, audit.problems) == (161, 120, []))
    }

    @Test("Every error explains itself under a unique code") func explanations() {
        #expect(problems(of: AuthorityStoreError.examples) == [])
    }
}
