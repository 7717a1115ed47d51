// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import GRDB
import Secrets
import Testing

@testable import Keychains

import Foundation

/// Tests with a keychain of which some parts are damaged.
@Suite(.timeLimit(.minutes(5))) struct RepairTests {
    /// Creates two logins, a note with two attachments, a password,
    /// an anchor and a distrusted certificate: items 1 to 6.
    private static func keychain(in test: TestKeychain) async throws -> UnlockedKeychain {
        let keychain = try await test.create()
        let attachments = ["a.txt", "b.txt"].map { NewItem.Attachment(name: $0, bytes: Array($0.utf8)) }
        try await keychain.add([
            .internetPassword(Secret("one"), user: "mary", space: try .example("one.example"), label: "One"),
            .internetPassword(Secret("two"), user: "mary", space: try .example("two.example"), label: "Two"),
            .note(Secret("three"), attachments: attachments, label: "Three"),
            .genericPassword(Secret("four"), service: "s", account: "mary", label: "Four"),
            try .certificate(TestKeychain.certificate(), trust: .anchor, label: "Five"),
            try .certificate(TestKeychain.certificate(), trust: .distrusted, label: "Six"),
        ])
        return keychain
    }

    private static func change(_ test: TestKeychain, _ statement: String) async throws {
        try await DatabaseQueue(path: test.path).write { try $0.execute(sql: statement) }
    }

    /// Changes to item 2, and whether its label can still be read.
    static let damages: [(String, Bool)] = [
        ("UPDATE item SET attributes = zeroblob(40) WHERE id = 2", false),
        ("UPDATE item SET attributes = 'text' WHERE id = 2", false),
        // The authentication code of its group covers only the tag, so the group is still authenticated.
        ("UPDATE item SET attributes = CAST(zeroblob(12) || substr(attributes, 13) AS BLOB) WHERE id = 2", false),
        ("UPDATE item SET class = 'x' WHERE id = 2", false),
        ("UPDATE item SET accessibility = 99 WHERE id = 2", false),
        ("UPDATE item SET version = 7 WHERE id = 2", false),
        ("UPDATE item SET secret = x'00' WHERE id = 2", true),
        ("UPDATE item SET secret = CAST(x'0000' || substr(secret, 3) AS BLOB) WHERE id = 2", true),
        ("UPDATE item SET secret = (SELECT secret FROM item WHERE id = 1) WHERE id = 2", true),
    ]

    @Test(
        "A damaged item is reported, and all others can be found, read, changed, removed and saved", arguments: damages)
    func others(statement: String, hasLabel: Bool) async throws {
        let test = try TestKeychain()
        _ = try await Self.keychain(in: test)
        try await Self.change(test, statement)
        let keychain = try await test.open().unlock(with: .passphrase(TestKeychain.passphrase))
        // Finding.
        let damaged = KeychainItem.ID(2)
        #expect(
            try await keychain.listing().items.map(\.label).filter { $0 != "Two" } == [
                "One", "Three", "Four", "Five", "Six",
            ])
        #expect(try await keychain.listing(.with { $0.label = "One" }).items.map(\.id.number) == [1])
        let report = try await keychain.examine()
        #expect(report.damage.map(\.error) == [.damagedItem(damaged)])
        #expect(report.damage.first?.message.contains("Item 2") == true)
        #expect(report.damage.first?.message.contains("two.example") == hasLabel)
        // Operations on all items report the damage.
        await #expect(throws: KeychainError.damagedItem(damaged)) { try await keychain.verify() }
        await #expect(throws: KeychainError.damagedItem(damaged)) {
            _ = try await keychain.secret(of: try await keychain.item(damaged))
        }
        // Reading.
        #expect(try await keychain.secret(of: keychain.item(KeychainItem.ID(1))) == .password(Secret("one")))
        #expect(try await keychain.attachment("b.txt", of: keychain.item(KeychainItem.ID(3))) == Array("b.txt".utf8))
        let found = try await keychain.contents(of: KeychainQuery(.internetPassword)) {
            (try $0.secret, $0.item.id.number)
        }
        #expect(found.values.map(\.1) == [1] && found.damage.map(\.error) == [.damagedItem(damaged)])
        // Lookups of a session, which never use the damaged item.
        #expect(
            try await keychain.read(for: .example("one.example"))?.kind
                == .password(user: "mary", password: Secret("one")))
        await #expect(throws: KeychainError.damagedItem(damaged)) {
            try await keychain.read(for: .example("two.example"))
        }
        #expect(try await keychain.read(for: .example("none.example")) == nil)
        // Writing, which does not hide the damage.
        try await keychain.edit(KeychainItem.ID(1)) { _ in
            .internetPassword(Secret("new"), user: "mary", space: try .example("one.example"), label: "One")
        }
        try await keychain.remove([KeychainItem.ID(4)])
        #expect(try await keychain.add(.note(Secret("seven"), label: "Seven")).id.number == 7)
        #expect(try await keychain.examine().damage.map(\.error) == [.damagedItem(damaged)])
        // Repairing.
        let path = test.folder + "/repaired.sqlite"
        let repair = try await keychain.repair(to: path)
        #expect(repair.saved.map(\.label) == ["One", "Three", "Five", "Six", "Seven"])
        #expect(repair.damage == (try await keychain.examine().damage))
        await #expect(throws: KeychainError.exists(path: path)) { try await keychain.repair(to: path) }
        let repaired = try await Keychain.open(at: path, places: test.places)
            .unlock(with: .passphrase(TestKeychain.passphrase))
        if statement.contains("class = 'x'") {
            // The item may have been a distrusted certificate.
            #expect(repair.damagedItems == [KeychainItem.ID(8)])
            await #expect(throws: KeychainError.damagedItem(KeychainItem.ID(8))) { try await repaired.trustSettings }
            try await repaired.remove(repair.damagedItems)
        } else {
            #expect(repair.damagedItems.isEmpty)
        }
        #expect(try await repaired.verify() == 5)
        #expect(try await repaired.trustSettings.entries.map(\.setting) == [.anchor, .distrusted])
        #expect(try await repaired.items() == repair.saved)
        #expect(
            try await repaired.read(for: .example("one.example"))?.kind
                == .password(user: "mary", password: Secret("new")))
        #expect(try await repaired.attachment("a.txt", of: repair.saved[1]) == Array("a.txt".utf8))
    }

    @Test(
        "A damaged login is not overwritten but stored again, and the damage is reported",
        arguments: damages)
    func storing(statement: String, hasLabel: Bool) async throws {
        let test = try TestKeychain()
        let keychain = try await Self.keychain(in: test)
        try await Self.change(test, statement)
        let damaged = KeychainItem.ID(2)
        let row = {
            try await DatabaseQueue(path: test.path).read { database in
                try #require(try Row.fetchOne(database, sql: "SELECT * FROM item WHERE id = 2")).description
            }
        }
        let before = try await row()
        let login = { (user: String, password: String, host: String) in
            NewItem.internetPassword(Secret(password), user: user, space: try .example(host))
        }
        let new = try login("mary", "new", "two.example")
        #expect(try await keychain.effects(ofStoring: [new]).damage.map(\.error) == [.damagedItem(damaged)])
        let changes = try await keychain.store([
            new, login("joe", "x", "two.example"), login("mary", "y", "one.example"),
        ])
        #expect(changes.map(\.effect) == [.added, .added, .changed])
        #expect(changes[0].damage.map(\.error) == [.damagedItem(damaged)])
        // For an item that cannot be decrypted, only the protection space is known, from the index.
        #expect(changes[1].damage.isEmpty == hasLabel && changes[2].damage.isEmpty)
        #expect(changes[0].item?.label == (hasLabel ? "Two" : ""))
        #expect(try await keychain.store([new]).map(\.effect) == [.equal])
        #expect(
            try await keychain.listing(.with { $0.protectionSpace = try? .example("two.example") }).items.map(
                \.id.number
            )
            .filter { $0 != 2 } == [7, 8])
        // Another item cannot be changed to be the same either.
        await #expect(throws: KeychainError.itemExists(KeychainItem.ID(7))) {
            try await keychain.replace(KeychainItem.ID(1), by: new)
        }
        #expect(try await row() == before)
        #expect(try await keychain.examine().damage.map(\.error) == [.damagedItem(damaged)])
    }

    @Test("An item cannot be changed to the same as a damaged one", arguments: damages)
    func collision(statement: String, hasLabel: Bool) async throws {
        let test = try TestKeychain()
        let keychain = try await Self.keychain(in: test)
        try await Self.change(test, statement)
        let id = KeychainItem.ID(2)
        await #expect(throws: hasLabel ? KeychainError.itemExists(id) : .damagedItem(id)) {
            try await keychain.replace(
                KeychainItem.ID(1),
                by: .internetPassword(Secret("one"), user: "mary", space: try .example("two.example")))
        }
    }

    @Test("An anchor is not stored for all hosts if a damaged one may be for some hosts") func storingAnchors()
        async throws
    {
        let certificate = try TestKeychain.certificate()
        let damaged = { (statement: String) in
            let test = try TestKeychain()
            let keychain = try await test.create()
            try await keychain.add(.certificate(certificate, trust: .anchor, hosts: ["a.example"]))
            try await Self.change(test, statement)
            return (test, keychain)
        }
        do {
            let (test, keychain) = try await damaged("UPDATE item SET attributes = zeroblob(40)")
            await #expect(throws: KeychainError.damagedItem(KeychainItem.ID(1))) {
                try await keychain.store([.certificate(certificate, trust: .anchor)])
            }
            let changes = try await keychain.store([
                .certificate(certificate, trust: .anchor, hosts: ["b.example"]),
                .certificate(certificate, trust: .distrusted),
            ])
            #expect(changes.map(\.effect) == [.added, .added] && changes.allSatisfy { $0.damage.count == 1 })
            withExtendedLifetime(test) {}
        }
        // The certificate is the only secret of the item.
        let (test, keychain) = try await damaged("UPDATE item SET secret = zeroblob(40)")
        let change = try #require(try await keychain.store([.certificate(certificate, trust: .anchor)]).first)
        #expect(change.effect == .added && change.damage.map(\.item) == [KeychainItem.ID(1)])
        guard case .certificate(_, .anchor, hosts: ["a.example"])? = change.item?.kind else {
            Issue.record("\(change)")
            return
        }
        await #expect(throws: KeychainError.self) { try await keychain.trustSettings }
        withExtendedLifetime(test) {}
    }

    @Test("An older password does not replace a newer one that is damaged") func olderPassword() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let space = try ProtectionSpace.example()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for (number, password) in ["an old password", "a new password"].enumerated() {
            try await keychain.add(
                .internetPassword(Secret(password), user: "mary", space: space), at: now + Double(number))
        }
        let findings = { try await keychain.findings(expiringBefore: now, at: now).map(\.problem) }
        #expect(try await findings().contains(.superseded(by: KeychainItem.ID(2))))
        try await Self.change(test, "UPDATE item SET secret = CAST(x'0000' || substr(secret, 3) AS BLOB) WHERE id = 2")
        await #expect(throws: KeychainError.damagedItem(KeychainItem.ID(2))) { try await keychain.read(for: space) }
        #expect(try await findings() == [.damaged])
        // If it is stored again, it is the newest.
        let new = NewItem.internetPassword(Secret("a third password"), user: "mary", space: space)
        let change = try #require(try await keychain.store([new], at: now + 2).first)
        #expect(change.effect == .added && change.damage.map(\.item) == [KeychainItem.ID(2)])
        #expect(
            try await keychain.read(for: space)?.kind == .password(user: "mary", password: Secret("a third password")))
        #expect(try await keychain.store([new]).map(\.effect) == [.equal])
    }

    @Test("A damaged item in the manifest can be removed, after which the keychain is intact")
    func removingDamaged() async throws {
        let test = try TestKeychain()
        let keychain = try await Self.keychain(in: test)
        try await Self.change(
            test, "UPDATE item SET attributes = CAST(zeroblob(12) || substr(attributes, 13) AS BLOB) WHERE id = 2")
        try await keychain.remove([KeychainItem.ID(2)])
        #expect(try await keychain.verify() == 5)
    }

    /// Changes through which a pin or a distrusted certificate may be lost.
    static let losses = [
        "UPDATE item SET attributes = zeroblob(40) WHERE id = 6",
        "UPDATE item SET attributes = CAST(zeroblob(12) || substr(attributes, 13) AS BLOB) WHERE id = 6",
        "UPDATE item SET secret = x'00' WHERE id = 6",
        "UPDATE item SET secret = CAST(x'0000' || substr(secret, 3) AS BLOB) WHERE id = 6",
        "DELETE FROM item WHERE id = 6",
        "DELETE FROM item",
        "DELETE FROM manifest",
        "UPDATE header SET next_item = 6",
        "UPDATE item SET class = 5 WHERE id = 6",
    ]

    @Test("Damage never extends trust: there are no trust settings then, even after a repair", arguments: losses)
    func trust(statement: String) async throws {
        let test = try TestKeychain()
        let keychain = try await Self.keychain(in: test)
        #expect(try await keychain.trustSettings.entries.map(\.setting) == [.anchor, .distrusted])
        try await Self.change(test, statement)
        await #expect(throws: KeychainError.self) { try await keychain.trustSettings }
        let path = test.folder + "/repaired.sqlite"
        let repair = try await keychain.repair(to: path)
        let isHeader = repair.damage.contains(.header)
        let places = Keychain.Places(
            deviceSecret: test.places.deviceSecret, rememberedStates: isHeader ? nil : test.places.rememberedStates)
        let repaired = try await Keychain.open(at: path, places: places).unlock(with: keychain.keys)
        guard !repair.damagedItems.isEmpty else {
            // The row states that the item is a note, which cannot be verified.
            #expect(statement.contains("class = 5"))
            #expect(repair.damage == [.item(KeychainItem.ID(6), .note)])
            return
        }
        await #expect(throws: KeychainError.self) { try await repaired.trustSettings }
        try await repaired.remove(repair.damagedItems)
        #expect(
            try await repaired.trustSettings.entries.allSatisfy { $0.setting == .anchor } == !repair.saved.contains {
                $0.label == "Six"
            })
    }

    @Test("Damage that cannot affect trust settings leaves them available") func damageElsewhere() async throws {
        let test = try TestKeychain()
        let keychain = try await Self.keychain(in: test)
        try await Self.change(
            test, "UPDATE item SET secret = CAST(x'0000' || substr(secret, 3) AS BLOB) WHERE id = 2; DELETE FROM chunk")
        #expect(try await keychain.trustSettings.entries.count == 2)
    }

    @Test("A note with a lost attachment is saved with the other attachments") func attachment() async throws {
        let test = try TestKeychain()
        let keychain = try await Self.keychain(in: test)
        try await Self.change(test, "UPDATE chunk SET sealed = zeroblob(9) WHERE number = 0")
        let item = try await keychain.item(KeychainItem.ID(3))
        #expect(try await keychain.examine().damage == [.attachment("a.txt", of: item)])
        let path = test.folder + "/repaired.sqlite"
        _ = try await keychain.repair(to: path)
        let repaired = try await Keychain.open(at: path, places: test.places).unlock(with: keychain.keys)
        #expect(try await repaired.verify() == 6)
        let note = try await repaired.item(item.id)
        guard case .note(let text, let attachments) = try await repaired.secret(of: note) else {
            Issue.record("no note")
            return
        }
        #expect(text == Secret("three") && attachments.map(\.name) == ["b.txt"])
        #expect(try await repaired.attachment("b.txt", of: note) == Array("b.txt".utf8))
    }

    @Test("A damaged index hides no items, and a repair writes a new one") func index() async throws {
        let test = try TestKeychain()
        let keychain = try await Self.keychain(in: test)
        try await Self.change(test, "DELETE FROM entry")
        #expect(try await keychain.items(.with { $0.label = "Two" }).map(\.id.number) == [2])
        #expect(try await keychain.read(for: .example("two.example")) != nil)
        #expect(try await keychain.examine().damage == [.index])
        let path = test.folder + "/repaired.sqlite"
        #expect(try await keychain.repair(to: path).damagedItems.isEmpty)
        let repaired = try await Keychain.open(at: path, places: test.places).unlock(with: keychain.keys)
        #expect(try await repaired.verify() == 6)
        #expect(try await repaired.items(.with { $0.label = "Two" }).map(\.id.number) == [2])
    }

    @Test("A keychain with a damaged header opens only for a repair, and its result only as an older state")
    func header() async throws {
        let test = try TestKeychain()
        _ = try await Self.keychain(in: test)
        try await Self.change(test, "UPDATE header SET epoch = 'x', mac = zeroblob(32)")
        let passphrase = UnlockMethod.passphrase(TestKeychain.passphrase)
        let keychain = try await test.open()
        await #expect(throws: KeychainError.damaged(.header)) { try await keychain.unlock(with: passphrase) }
        let path = test.folder + "/repaired.sqlite"
        let repair = try await keychain.forRepair.unlock(with: passphrase).repair(to: path)
        #expect(repair.damage == [.header] && repair.saved.count == 6)
        let repaired = try await Keychain.open(at: path, places: test.places)
        await #expect(throws: KeychainError.rolledBack) { try await repaired.unlock(with: passphrase) }
        let accepted = try await repaired.unlock(with: passphrase, acceptingOlderState: true)
        try await accepted.remove(repair.damagedItems)
        #expect(try await accepted.verify() == 6)
    }

    @Test("An unreadable slot is reported, and the others remain usable") func slot() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let code = RecoveryCode()
        try await keychain.addSlot(.recoveryCode(code), cost: nil)
        try await Self.change(test, "UPDATE slot SET parameters = zeroblob(3) WHERE kind = 1")
        let locked = try await test.open()
        await #expect(throws: KeychainError.damaged(.slot)) {
            try await locked.unlock(with: .passphrase(TestKeychain.passphrase))
        }
        let unlocked = try await locked.unlock(with: .recoveryCode(code))
        #expect(try await unlocked.examine().damage == [.slot(1)])
        try await unlocked.changePassphrase(to: Secret("new"), cost: try #require(TestKeychain.cost))
        _ = try await locked.unlock(with: .passphrase(Secret("new")))
        try await unlocked.removeSlot(1)
        #expect(try await unlocked.verify() == 0)
    }

    @Test("Items of a page that SQLite cannot read are reported, and all others are read and saved")
    func page() async throws {
        let test = try TestKeychain()
        var keychain: UnlockedKeychain? = try await test.create()
        let keys = try #require(keychain?.keys)
        let text = String(repeating: "A line of a note. ", count: 50)
        try await keychain?.add((1...400).map { .note(Secret(text), label: "note \($0)") })
        try keychain?.keychain.file.checkpoint()
        keychain = nil
        var bytes = Array(try Data(contentsOf: URL(filePath: test.path)))
        let pageSize = 32_768
        let root = try await DatabaseQueue(path: test.path).read { database in
            try #require(try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'item'"))
        }
        // The root is an interior page, whose cells begin with a leaf's page number; the second leaf is overwritten.
        let start = (root - 1) * pageSize
        try #require(bytes[start] == 5)
        let cell = start + Int(bytes[start + 14]) << 8 + Int(bytes[start + 15])
        let leaf = bytes[cell..<(cell + 4)].reduce(0) { $0 << 8 | Int($1) }
        for place in ((leaf - 1) * pageSize)..<(leaf * pageSize) { bytes[place] = 0xA5 }
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: test.path + suffix) }
        let handle = try FileHandle(forWritingTo: URL(filePath: test.path))
        try handle.write(contentsOf: Data(bytes))
        try handle.close()

        let opened = try await test.open().unlock(with: keys)
        let report = try await opened.examine()
        let lost = report.damage.compactMap { if case .item(let id, nil) = $0 { id.number } else { nil } }
        #expect(lost.count > 10 && lost.count + report.items.count == 400)
        #expect(Set(lost).isDisjoint(with: report.items.map(\.id.number)))
        #expect(try await opened.listing().items == report.items)
        let other = try #require(report.items.last)
        #expect(try await opened.secret(of: other) == .note(Secret(text), attachments: []))
        await #expect(throws: KeychainError.damagedItem(KeychainItem.ID(lost[0]))) {
            try await opened.item(KeychainItem.ID(lost[0]))
        }
        let path = test.folder + "/repaired.sqlite"
        let repair = try await opened.repair(to: path)
        #expect(repair.saved == report.items && repair.damagedItems.map(\.number) == [401])
        let repaired = try await Keychain.open(at: path, places: test.places).unlock(with: keys)
        try await repaired.remove(repair.damagedItems)
        #expect(try await repaired.verify() == report.items.count)
    }
}
