// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import ErrorChecks
import KeychainAgents
import Secrets
import Testing
@testable import Keychains
import EssentialFoundation

@Suite(.timeLimit(.minutes(1))) struct KeychainTests {
    private let password = Secret("pa55 wörd")

    @Test("An added item is found by each of its attributes after the file was reopened")
    func adding() async throws {
        let test = try TestKeychain()
        let space = try ProtectionSpace.example()
        let added = try await test.create().add([
            .genericPassword(password, service: "backup", account: "Mary", label: "Backup", comment: "weekly"),
            .internetPassword(password, user: "mary", space: space, label: "Intranet"),
            .note(Secret("socks"), label: "Presents"),
        ])
        let keychain = try await test.open().unlock(with: .passphrase(TestKeychain.passphrase))
        let queries: [(KeychainQuery, [Int])] = [
            (.init(), [0, 1, 2]), (.init(.note), [2]), (.with { $0.service = "backup" }, [0]),
            (.with { $0.account = "MARY" }, [0, 1]), (.with { $0.host = "intranet.example" }, [1]),
            (.with { $0.label = "presents" }, [2]), (.with { $0.protectionSpace = space }, [1]),
            (.with { ($0.account, $0.itemClass) = ("mary", .internetPassword) }, [1]),
            (.with { ($0.account, $0.label) = ("mary", "Presents") }, []), (.with { $0.host = "other.example" }, []),
            (.with { $0.protectionSpace = try? .example(realm: nil) }, []),
        ]
        for (query, expected) in queries {
            #expect(try await keychain.items(query) == expected.map { added[$0] })
        }
        #expect(added.map(\.id.number) == [1, 2, 3])
        #expect(try await keychain.secret(of: added[0]) == .password(password))
        #expect(try await keychain.verify() == 3)
    }

    @Test("A replaced item keeps its identifier, and is found by its new attributes")
    func replacing() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let item = try await keychain.add(.genericPassword(password, service: "a", account: "mary", label: "Old"))
        let new = try await keychain.replace(
            item.id, by: .genericPassword(Secret("new"), service: "a", account: "joe", label: "New"))
        #expect(new.id == item.id && new.created == item.created)
        #expect(try await keychain.items(.with { $0.label = "Old" }).isEmpty)
        #expect(try await keychain.items(.with { $0.account = "mary" }).isEmpty)
        #expect(try await keychain.items(.with { $0.service = "a" }) == [new])
        #expect(try await keychain.secret(of: new) == .password(Secret("new")))
        #expect(try await keychain.verify() == 1)
    }

    @Test("A removed item is not found, and its identifier is not reused")
    func removing() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let item = try await keychain.add(.note(Secret("x"), label: "n"))
        try await keychain.remove([item.id])
        #expect(try await keychain.items().isEmpty)
        await #expect(throws: KeychainError.noItem(item.id)) { try await keychain.item(item.id) }
        await #expect(throws: KeychainError.noItem(item.id)) { try await keychain.remove([item.id]) }
        #expect(try await keychain.add(.note(Secret("y"), label: "n")).id != item.id)
        #expect(try await keychain.verify() == 1)
    }

    @Test("Attachments are returned unchanged", arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
    func attachments(size: Int) async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let item = try await keychain.add(
            .note(
                Secret("text"),
                attachments: [
                    .init(name: "first.txt", bytes: [1, 2, 3]),
                    .init(name: "photo.png", mediaType: "image/png", bytes: bytes),
                ], label: "Presents"))
        #expect(try await keychain.attachment("photo.png", of: item) == bytes)
        #expect(try await keychain.attachment("first.txt", of: item) == [1, 2, 3])
        guard case .note(let text, let attachments) = try await keychain.secret(of: item) else {
            Issue.record("no note")
            return
        }
        #expect(text == Secret("text"))
        #expect(attachments.map(\.name) == ["first.txt", "photo.png"] && attachments.map(\.size) == [3, size])
        await #expect(throws: KeychainError.noAttachment("none")) { try await keychain.attachment("none", of: item) }
        try await keychain.remove([item.id])
        #expect(try await keychain.verify() == 0)
    }

    @Test("10,000 items are found through a divided index")
    func many() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let spaces = try (0..<10_000).map { try ProtectionSpace.example("host\($0).example") }
        let first = spaces[..<300].map { NewItem.internetPassword(password, user: "u", space: $0) }
        let rest = spaces[300...].map { NewItem.internetPassword(password, user: "v", space: $0) }
        try await keychain.add(Array(first))
        try await keychain.add(Array(rest))
        for number in [0, 299, 300, 9_999] {
            let found = try await keychain.items(.with { $0.protectionSpace = spaces[number] })
            #expect(found.map(\.id.number) == [Int64(number + 1)])
        }
        #expect(try await keychain.items(.with { $0.host = "host10000.example" }).isEmpty)
        #expect(try await keychain.items(.with { $0.account = "u" }).count == 300)
        #expect(try await keychain.verify() == 10_000)
    }

    @Test("A session's store adds, finds and removes passwords and tokens by protection space")
    func credentialStore() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let space = try ProtectionSpace.example()
        #expect(try await keychain.read(for: space) == nil)
        try await keychain.save(.password(user: "mary", password: password), for: space)
        try await keychain.save(.token(Secret("t")), for: try .example(realm: "other"))
        #expect(
            try await keychain.read(for: space) == .password(user: "mary", password: password, persistence: .permanent))
        #expect(
            try await keychain.read(for: try .example(realm: "other")) == .token(Secret("t"), persistence: .permanent))
        try await keychain.save(.password(user: "joe", password: Secret("x")), for: space)
        // The other user's password is retained.
        #expect(try await keychain.items().count == 3)
        #expect(
            try await keychain.read(for: space)
                == .password(user: "joe", password: Secret("x"), persistence: .permanent))
        try await keychain.remove(for: space)
        #expect(
            try await keychain.read(for: space) == .password(user: "mary", password: password, persistence: .permanent))
        try await keychain.remove(for: space)
        #expect(try await keychain.read(for: space) == nil)
        #expect(try await keychain.items().map(\.isRejected) == [true, false, true])
        try await keychain.save(.password(user: "joe", password: Secret("y")), for: space)
        #expect(try await keychain.items().map(\.isRejected) == [true, false, false])
    }

    @Test("The login of an origin is used for each realm and method, but not as a token")
    func entireOrigin() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let host = try HostName("intranet.example")
        let entireOrigin = ProtectionSpace.entireOrigin(host: host, port: 443, scheme: "https")
        let login = Credential.password(user: "mary", password: password, persistence: .permanent)
        try await keychain.add([
            .internetPassword(Secret("t"), user: nil, space: entireOrigin),
            .internetPassword(password, user: "mary", space: entireOrigin, label: "Intranet"),
        ])
        let space = { (scheme: String, realm: String, method: AuthenticationMethod) in
            ProtectionSpace(host: host, port: 443, scheme: scheme, realm: realm, method: method)
        }
        #expect(try await keychain.read(for: space("https", "staff", .digest)) == login)
        #expect(try await keychain.read(for: space("https", "board", .ntlm)) == login)
        #expect(try await keychain.read(for: space("http", "staff", .digest)) == nil)
        let token = try await keychain.read(for: space("https", "staff", .bearer))
        #expect(token == .token(Secret("t"), persistence: .permanent))
        // A login that is already stored is not stored again.
        try await keychain.save(login, for: space("https", "staff", .digest))
        #expect(try await keychain.items().count == 2)
        try await keychain.remove(for: space("https", "staff", .digest))
        #expect(try await keychain.read(for: space("https", "staff", .digest)) == nil)
        #expect(try await keychain.item(KeychainItem.ID(2)).label == "Intranet")
    }

    @Test("Certificates affect servers according to their setting and hosts")
    func trustSettings() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let certificates = try (0..<3).map { _ in try TestKeychain.certificate() }
        let host = try HostName("intranet.example")
        try await keychain.add([
            try .certificate(certificates[0], trust: .anchor),
            try .certificate(certificates[1], trust: .pin, hosts: ["Intranet.example"]),
            try .certificate(certificates[2], trust: .distrusted),
        ])
        let policies = try await keychain.trustSettings.policies(DomainPolicies())
        let elsewhere = policies.fallback.trust
        #expect(elsewhere.anchors == .systemAnd([certificates[0]]))
        #expect(elsewhere.pins.pins.isEmpty)
        #expect(elsewhere.distrusted == [certificates[2]])
        let here = policies.policy(for: host).trust
        #expect(here.pins.pins == [Pin(of: certificates[1])])
        #expect(here.anchors == elsewhere.anchors && here.distrusted == elsewhere.distrusted)
    }

    @Test("A certificate with invalid host names applies to no host, instead of all") func unreadableHosts()
        async throws
    {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.add([try .certificate(TestKeychain.certificate(), trust: .anchor, hosts: ["localhost:8443"])]
        )
        #expect(try await keychain.trustSettings.entries.isEmpty)
    }

    @Test("Items without names are found") func unnamedItems() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let items: [NewItem] = [
            .genericPassword(Secret("a"), service: "", account: ""),
            .genericPassword(Secret("b"), service: "s", account: ""),
            .note(Secret("c"), label: ""),
        ]
        #expect(try await keychain.store(items).map(\.effect) == [.added, .added, .added])
        #expect(try await keychain.store(items).map(\.effect) == [.equal, .equal, .equal])
    }

    @Test("Keys from an agent can read the items that their access permits")
    func agentKeys() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let sometimes = try await keychain.add(.note(Secret("x"), label: "x"))
        let always = try await keychain.add(.note(Secret("y"), label: "y", accessibility: .afterFirstUnlock))
        let keys = try #require(KeyRing(keychain.keys.agentKeys))
        let later = try #require(
            KeyRing(.init(afterFirstUnlock: keychain.keys.agentKeys.afterFirstUnlock, whenUnlocked: nil)))
        let locked = try await test.open()
        #expect(try await locked.unlock(with: keys).secret(of: sometimes) == .note(Secret("x"), attachments: []))
        let some = try await locked.unlock(with: later)
        #expect(try await some.secret(of: always) == .note(Secret("y"), attachments: []))
        await #expect(throws: KeychainError.unlockNeeded) { try await some.secret(of: sometimes) }
        #expect(try await some.verify() == 2)
        await #expect(throws: KeychainError.rootKeyNeeded) { try await some.addSlot(.recoveryCode(RecoveryCode())) }
    }

    @Test("A this-device-only item cannot be read without the device's secret")
    func thisDeviceOnly() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let item = try await keychain.add(.note(Secret("x"), label: "x", accessibility: .whenUnlocked.thisDeviceOnly))
        #expect(try await keychain.secret(of: item) == .note(Secret("x"), attachments: []))
        try FileManager.default.removeItem(atPath: test.places.deviceSecret)
        await #expect(throws: KeychainError.notOnThisDevice) { try await keychain.secret(of: item) }
        #expect(try await keychain.items() == [item])
    }

    @Test("A backup can be opened, and has the same contents") func backup() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let item = try await keychain.add(.note(Secret("x"), label: "x"))
        let path = test.folder + "/copies/copy.sqlite"
        try await keychain.backup(to: path)
        let copy = try await Keychain.open(at: path, places: test.places)
            .unlock(with: .passphrase(TestKeychain.passphrase))
        #expect(try await copy.items() == [item])
        await #expect(throws: KeychainError.exists(path: path)) { try await keychain.backup(to: path) }
    }

    @Test("A keychain, its copies and its places are named by file URLs") func urls() async throws {
        let test = try TestKeychain()
        let folder = URL(filePath: test.folder)
        let places = try Keychain.Places(
            deviceSecret: folder.appending(path: "state/device"), rememberedStates: folder.appending(path: "state"))
        #expect(places == test.places)
        _ = try await test.create()
        let keychain = try await Keychain.open(at: folder.appending(path: "keychain.sqlite"), places: places)
        #expect(keychain.fileURL.path == test.path)
        let unlocked = try await keychain.unlock(with: .passphrase(TestKeychain.passphrase))
        let copies = ["backup", "repaired"].map { folder.appending(path: $0) }
        try await unlocked.backup(to: copies[0])
        _ = try await unlocked.repair(to: copies[1])
        for copy in copies { #expect(try await Keychain.open(at: copy, places: places).id == keychain.id) }

        for text in ["https://mary:secret@a.example/k?key=secret", "file://a.example/k"] {
            let url = try #require(URL(string: text))
            let error = KeychainError.notAFile(url: "\(url.scheme ?? "")://a.example/k")
            #expect(throws: error) { try Keychain.Places(deviceSecret: url, rememberedStates: nil) }
            await #expect(throws: error) { try await Keychain.open(at: url, places: places) }
            await #expect(throws: error) {
                try await Keychain.create(at: url, passphrase: TestKeychain.passphrase, places: places)
            }
            await #expect(throws: error) { try await unlocked.backup(to: url) }
            await #expect(throws: error) { try await unlocked.repair(to: url) }
        }
    }

    @Test("An older copy of the file is detected, and opens only on request") func rollback() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        try await keychain.add(.note(Secret("x"), label: "x"))
        let copy = test.folder + "/copy.sqlite"
        try await keychain.backup(to: copy)
        try await keychain.add(.note(Secret("y"), label: "y"))
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: test.path + suffix) }
        try FileManager.default.moveItem(atPath: copy, toPath: test.path)
        let old = try await test.open()
        await #expect(throws: KeychainError.rolledBack) {
            try await old.unlock(with: .passphrase(TestKeychain.passphrase))
        }
        let accepted = try await old.unlock(with: .passphrase(TestKeychain.passphrase), acceptingOlderState: true)
        #expect(try await accepted.items().count == 1)
        _ = try await test.open().unlock(with: .passphrase(TestKeychain.passphrase))
    }

    @Test("Each error describes the problem and possible remedies")
    func errors() { #expect(problems(of: KeychainError.examples).isEmpty) }
}

extension KeychainQuery {
    static func with(_ change: (inout KeychainQuery) -> Void) -> KeychainQuery {
        var query = KeychainQuery()
        change(&query)
        return query
    }
}
