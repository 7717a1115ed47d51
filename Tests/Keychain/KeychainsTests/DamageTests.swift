// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import GRDB
import Secrets
import Testing
@testable import Keychains
import EssentialFoundation

@Suite(.timeLimit(.minutes(30))) struct DamageTests {
    /// A closed keychain with a few items, and its contents.
    struct Sample: Sendable {
        let test: TestKeychain
        let keys: KeyRing
        let bytes: [UInt8]
        let secrets: [KeychainItem.ID: ItemSecret]

        init() async throws {
            test = try TestKeychain()
            var secrets: [KeychainItem.ID: ItemSecret] = [:]
            var keychain: UnlockedKeychain? = try await test.create()
            keys = try #require(keychain?.keys)
            let items: [NewItem] = [
                .internetPassword(Secret("one"), user: "mary", space: try .example()),
                .genericPassword(Secret("two"), service: "s", account: "a", label: "Two"),
                .note(
                    Secret("three"), attachments: [.init(name: "a", bytes: [UInt8](repeating: 7, count: 100))],
                    label: "n"),
            ]
            for item in try #require(try await keychain?.add(items)) {
                secrets[item.id] = try await keychain?.secret(of: item)
            }
            self.secrets = secrets
            // The log is written to the file.
            try await keychain?.compact()
            try keychain?.keychain.file.checkpoint()
            keychain = nil
            bytes = Array(try Data(contentsOf: URL(filePath: test.path)))
        }

        /// Reads as much as possible from a changed file.
        ///
        /// - Returns: The number of wrong or silently missing secrets; 0 if the change is detected or has no effect.
        func wrongSecrets(in bytes: [UInt8], at path: String) async throws -> Int {
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try Data(bytes).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            do {
                let places = Keychain.Places(deviceSecret: test.places.deviceSecret, rememberedStates: nil)
                let keychain = try await Keychain.open(at: path, places: places).unlock(with: keys)
                var wrong = 0
                for (id, secret) in secrets {
                    guard let item = try? await keychain.item(id), let found = try? await keychain.secret(of: item)
                    else { continue }
                    if found != secret { wrong += 1 }
                }
                // Missing items must be reported.
                if let items = try? await keychain.items(), items.count != secrets.count { wrong += 1 }
                if (try? await keychain.verify()) != nil, try await keychain.items().count != secrets.count {
                    wrong += 1
                }
                return wrong
            } catch is KeychainError {
                return 0
            }
        }
    }

    /// Changes some bytes of the file, one at a time.
    ///
    /// With `KEYCHAIN_TAMPER=all`, it changes each byte, but only some of the zeros, which are mostly unused space.
    @Test("A changed byte never leads to a wrong secret, and never ends the process") func flippedBytes() async throws {
        let sample = try await Sample()
        let isAll = ProcessInfo.processInfo.environment["KEYCHAIN_TAMPER"] == "all"
        let count = sample.bytes.count
        let step = max(count / 600, 1)
        let places =
            isAll
            ? sample.bytes.indices.filter { sample.bytes[$0] != 0 || $0 % 16 == 0 }
            : Array(stride(from: Int.random(in: 0..<step), to: count, by: step))
        var wrong = 0
        let path = sample.test.folder + "/flipped.sqlite"
        for place in places {
            var bytes = sample.bytes
            bytes[place] ^= UInt8.random(in: 1...255)
            let found = try await sample.wrongSecrets(in: bytes, at: path)
            if found > 0 { Issue.record("byte \(place)") }
            wrong += found
        }
        #expect(wrong == 0)
    }

    @Test("A truncated file never leads to a wrong secret") func cut() async throws {
        let sample = try await Sample()
        let path = sample.test.folder + "/cut.sqlite"
        for count in stride(from: 0, to: sample.bytes.count, by: max(sample.bytes.count / 60, 1)) {
            #expect(try await sample.wrongSecrets(in: Array(sample.bytes[..<count]), at: path) == 0, "\(count) bytes")
        }
    }

    /// SQL statements of an attacker who can write the file but has no key.
    static let attacks: [(String, KeychainError)] = [
        ("DELETE FROM item WHERE id = 1", .damaged(.manifest)),
        ("DELETE FROM entry", .damaged(.manifest)),
        ("DELETE FROM manifest", .damaged(.manifest)),
        ("UPDATE item SET version = 2 WHERE id = 1", .damagedItem(KeychainItem.ID(1))),
        ("UPDATE item SET accessibility = 2 WHERE id = 1", .damagedItem(KeychainItem.ID(1))),
        ("UPDATE item SET class = 1 WHERE id = 1", .damagedItem(KeychainItem.ID(1))),
        ("UPDATE item SET class = 'x' WHERE id = 1", .damagedItem(KeychainItem.ID(1))),
        (
            "UPDATE item SET secret = (SELECT secret FROM item WHERE id = 2) WHERE id = 1",
            .damagedItem(KeychainItem.ID(1))
        ),
        (
            "INSERT INTO item SELECT 9, class, accessibility, version, attributes, secret FROM item WHERE id = 1",
            .damagedItem(KeychainItem.ID(9))
        ),
        ("UPDATE header SET epoch = epoch + 1", .damaged(.header)),
        ("UPDATE header SET next_item = 1", .damaged(.header)),
        ("UPDATE header SET index_bits = 63", .damaged(.header)),
        ("UPDATE header SET mac = 'x'", .damaged(.header)),
        ("UPDATE header SET format = 9", .otherVersion(9)),
        ("DELETE FROM header", .damaged(.header)),
        ("DROP TABLE item", .damaged(.file)),
    ]

    @Test("Changes of the tables without a key are detected", arguments: attacks)
    func attack(statement: String, error: KeychainError) async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.add([.note(Secret("x"), label: "x"), .note(Secret("y"), label: "y")])
        let queue = try DatabaseQueue(path: test.path)
        try await queue.write { try $0.execute(sql: statement) }
        await #expect(throws: error) {
            let opened = try await test.open().unlock(with: keychain.keys)
            _ = try await opened.items(.with { $0.label = "x" })
            _ = try await opened.verify()
        }
        // A write does not give the changed rows a valid authentication code.
        _ = try? await test.open().unlock(with: keychain.keys).add(.note(Secret("z"), label: "x"))
        await #expect(throws: error) { try await test.open().unlock(with: keychain.keys).verify() }
    }

    @Test("An earlier version of an item is detected") func replay() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let item = try await keychain.add(.note(Secret("old"), label: "x"))
        let queue = try DatabaseQueue(path: test.path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE saved AS SELECT * FROM item") }
        try await keychain.replace(item.id, by: .note(Secret("new"), label: "x"))
        try await queue.write { try $0.execute(sql: "REPLACE INTO item SELECT * FROM saved") }
        await #expect(throws: KeychainError.damaged(.manifest)) { try await keychain.item(item.id) }
    }

    @Test("A missing or changed part of an attachment is detected") func attachments() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 65_536) }
        let item = try await keychain.add(
            .note(Secret(""), attachments: [.init(name: "a", bytes: bytes)], label: "x"))
        let queue = try DatabaseQueue(path: test.path)
        try await queue.write { database in
            try database.execute(
                sql: "UPDATE chunk SET sealed = (SELECT sealed FROM chunk WHERE number = 1) WHERE number = 0")
        }
        await #expect(throws: KeychainError.damaged(.attachment)) { try await keychain.attachment("a", of: item) }
        try await queue.write { try $0.execute(sql: "DELETE FROM chunk WHERE number = 3") }
        await #expect(throws: KeychainError.damaged(.attachment)) { try await keychain.verify() }
    }

    @Test("A slot with an excessive cost is refused without being tried") func slot() async throws {
        let test = try TestKeychain()
        _ = try await test.create()
        let queue = try DatabaseQueue(path: test.path)
        var parameters = FieldWriter()
        parameters.field([1, 2, 3])
        for number: Int64 in [1 << 60, 8, 1, 0] { parameters.number(number) }
        try await queue.write { [bytes = parameters.bytes] database in
            try database.execute(sql: "UPDATE slot SET parameters = ?", arguments: [Data(bytes)])
        }
        await #expect(throws: KeychainError.damaged(.slot)) {
            try await test.open().unlock(with: .passphrase(TestKeychain.passphrase))
        }
    }

    @Test("A file or folder that others can access is refused", arguments: ["", "keychain.sqlite"])
    func rights(name: String) async throws {
        let test = try TestKeychain()
        _ = try await test.create()
        let path = name.isEmpty ? test.folder : test.path
        try FileManager.default.setAttributes([.posixPermissions: name.isEmpty ? 0o750 : 0o640], ofItemAtPath: path)
        await #expect(throws: KeychainError.unsafePermissions(path: path)) { try await test.open() }
    }

    @Test("A symbolic link instead of the file is refused") func link() async throws {
        let test = try TestKeychain()
        _ = try await test.create()
        let link = test.folder + "/link.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: test.path)
        await #expect(throws: KeychainError.unsafePermissions(path: link)) {
            try await Keychain.open(at: link, places: test.places)
        }
    }

    @Test("The file contains no plaintext") func nothingInClear() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.add([
            .internetPassword(
                Secret("SECRETWORD"), user: "USERNAME", space: try .example("hostname.example", realm: "REALMNAME"),
                label: "LABELNAME", comment: "COMMENTWORD"),
            .note(
                Secret("NOTETEXT"), attachments: [.init(name: "FILENAME", bytes: Array("FILEBYTES".utf8))], label: "T"),
        ])
        for suffix in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: test.path + suffix))
            for word in [
                "SECRETWORD", "USERNAME", "hostname", "REALMNAME", "LABELNAME", "COMMENTWORD", "NOTETEXT", "FILENAME",
                "FILEBYTES",
            ] {
                #expect(bytes.firstRange(of: Data(word.utf8)) == nil, "\(word)")
            }
        }
    }
}
