// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityStore
import CertificateAuthority
import CertificateTrust
import ErrorChecks
import ErrorExplanations
import Foundation
import GRDB
import Identities
import Testing
import X509

private let now = Date(timeIntervalSince1970: 1_790_000_000)

/// An authority and its state in a folder that is removed at the end.
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

    /// Changes the file as another program would.
    func tamper(_ statement: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
    }
}

@Suite struct AuthorityStoreTests {
    @Test("What was issued and revoked is there after the state is opened again") func roundTrip() async throws {
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
        // An expired certificate leaves the list.
        #expect(try await store.revoked(at: now + 48 * 86_400) == [])
        #expect(try await store.certificates(called: "b.test").first?.state(at: now) == .revoked)
        #expect(try await store.certificates(called: "c.test").isEmpty)
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("What cannot be is refused, and changes nothing") func refused() async throws {
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
        #expect((audit.entries, audit.certificates, audit.flaws) == (2, 1, []))
        try scene.tamper("UPDATE head SET format = 2")
        await #expect(throws: AuthorityStoreError.newerFormat) { try await AuthorityStore.open(at: scene.path) }
        try scene.tamper("DROP TABLE head")
        await #expect(throws: AuthorityStoreError.damaged) { try await AuthorityStore.open(at: scene.path) }
    }

    @Test("An authority's certificate is replaced, and the log tells it") func renewal() async throws {
        let scene = try Scene()
        let store = try await scene.create()
        let root = try CertificateAuthority(name: "Root", now: now)
        let lower = try root.issueIntermediate(name: "Lower", now: now)
        try await store.replaceChain(lower.identity.chain, now: now)
        let opened = try await AuthorityStore.open(at: scene.path)
        #expect(try await opened.settings.certificates == lower.identity.chain)
        #expect(try await opened.settings.publication == scene.settings().publication)
        let audit = try await opened.audit(issuer: lower.certificate)
        #expect((audit.entries, audit.flaws) == (2, []))
    }

    @Test("A copy is made while others write, and holds one state of it") func copy() async throws {
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
        #expect(audit.flaws == [])
        #expect(audit.entries == audit.certificates + 1)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        await #expect(throws: AuthorityStoreError.exists(path: path)) { try await store.copy(to: path) }
    }

    @Test("Each revocation list has the next number, and stands in the log") func lists() async throws {
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
        "An audit finds what was changed from outside",
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
        #expect(try await store.audit(issuer: scene.authority.certificate).flaws == [])
        try scene.tamper(statement)
        #expect(try await !store.audit(issuer: scene.authority.certificate).flaws.isEmpty)
    }

    @Test("An audit finds certificates of another authority, and the log cannot be rewritten") func foreign()
        async throws
    {
        let scene = try Scene()
        let store = try await scene.create()
        let stranger = try CertificateAuthority(name: "Root", now: now).issue(.server(names: ["a.test"]), now: now)
        try await store.record(stranger.certificate, name: "a.test", purpose: .server, now: now)
        #expect(try await store.audit(issuer: scene.authority.certificate).flaws.count == 1)
        for statement in ["UPDATE log SET time = 0", "DELETE FROM log"] {
            #expect(throws: DatabaseError.self) { try scene.tamper(statement) }
        }
    }

    @Test("Several connections that issue at once leave one log without gaps") func concurrent() async throws {
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
        #expect((audit.entries, audit.certificates, audit.flaws) == (161, 120, []))
    }

    @Test("Every error explains itself under a unique code") func explanations() {
        #expect(flaws(of: AuthorityStoreError.examples) == [])
    }
}
