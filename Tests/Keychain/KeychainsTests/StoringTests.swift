// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Identities
import Secrets
import Testing
import TrustRecipes
import X509
@testable import Keychains
import EssentialFoundation

@Suite("Storing items", .timeLimit(.minutes(1))) struct StoringTests {
    /// Two contents of the same item, and a different item.
    struct Pair: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let first: @Sendable () throws -> NewItem
        let second: @Sendable () throws -> NewItem
        let other: @Sendable () throws -> NewItem
    }

    private static func login(
        _ password: String, _ user: String?, _ host: String = "intranet.example", realm: String? = "staff"
    ) throws -> NewItem {
        .internetPassword(Secret(password), user: user, space: try .example(host, realm: realm))
    }

    static let pairs = [
        Pair(
            testDescription: "login", first: { try login("one", "mary") },
            second: { try login("two", "mary", "INTRANET.example.") }, other: { try login("one", "Mary") }),
        Pair(
            testDescription: "token", first: { try login("one", nil) }, second: { try login("two", nil) },
            other: { try login("one", "") }),
        Pair(
            testDescription: "login of a realm", first: { try login("one", "mary", realm: "staff") },
            second: { try login("two", "mary", realm: "staff") }, other: { try login("one", "mary", realm: "Staff") }),
        Pair(
            testDescription: "password", first: { .genericPassword(Secret("one"), service: "backup", account: "") },
            second: { .genericPassword(Secret("two"), service: "backup", account: "") },
            other: { .genericPassword(Secret("one"), service: "", account: "backup") }),
    ]

    @Test(
        "An item is stored once: equal contents change nothing, and different contents replace it",
        arguments: pairs)
    func once(_ pair: Pair) async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        #expect(try await keychain.store([pair.first()]).map(\.effect) == [.added])
        #expect(try await keychain.store([pair.first()]).map(\.effect) == [.equal])
        #expect(try await keychain.effects(ofStoring: [pair.second()]).map(\.effect) == [.changed])
        #expect(try await keychain.store([pair.second()], replacing: false).map(\.effect) == [.retained])
        let first = try #require(try await keychain.items().first)
        #expect(try await keychain.secret(of: first) == .password(Secret("one")))
        let changed = try await keychain.store([pair.second(), pair.other()])
        #expect(changed.map(\.effect) == [.changed, .added])
        #expect(changed.map(\.item?.id.number) == [1, 2])
        let items = try await keychain.items()
        #expect(items.count == 2 && items[0].created == first.created)
        #expect(try await keychain.secret(of: items[0]) == .password(Secret("two")))
        #expect(try await keychain.verify() == 2)
    }

    @Test("Of two contents in one call the newer or last one is stored, and a repetition is equal")
    func repetitions() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        var (old, new) = (try Self.login("old", "mary"), try Self.login("new", "mary"))
        #expect(try await keychain.effects(ofStoring: [old, new]).map(\.effect) == [.superseded, .added])
        #expect(try await keychain.effects(ofStoring: [old, old]).map(\.effect) == [.added, .equal])
        (old.modified, new.modified) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
        #expect(try await keychain.store([new, old]).map(\.effect) == [.added, .superseded])
        let item = try #require(try await keychain.items().first)
        #expect(try await keychain.secret(of: item) == .password(Secret("new")))
        #expect(item.modified == Date(timeIntervalSince1970: 2))
    }

    @Test("Unspecified label, comment and accessibility are retained, and a rejection is removed")
    func properties() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let space = try ProtectionSpace.example()
        try await keychain.add(
            .internetPassword(
                Secret("one"), user: "mary", space: space, label: "Intranet", comment: "at work",
                accessibility: .afterFirstUnlock))
        try await keychain.remove(for: space)
        var new = try Self.login("two", "mary")
        new.keepsStoredAccessibility = true
        let item = try #require(try await keychain.store([new]).first?.item)
        #expect(item.label == "Intranet" && item.comment == "at work" && item.accessibility == .afterFirstUnlock)
        #expect(!item.isRejected)
        let named = try #require(
            try await keychain.store([
                .internetPassword(
                    Secret("two"), user: "mary", space: space, label: "Office", accessibility: .whenUnlocked)
            ]).first)
        #expect(named.effect == .changed && named.item?.label == "Office" && named.item?.comment == "at work")
        #expect(named.item?.accessibility == .whenUnlocked)
    }

    @Test("A certificate is stored once per setting with all hosts, and a distrusted one stays distrusted")
    func certificates() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let certificate = try TestKeychain.certificate()
        let effect = { (trust: TrustSettings.Setting, hosts: [String]) in
            try await keychain.store([.certificate(certificate, trust: trust, hosts: hosts)]).first?.effect
        }
        #expect(try await effect(.distrusted, []) == .added)
        #expect(try await effect(.anchor, ["a.example"]) == .added)
        #expect(try await effect(.anchor, ["b.example"]) == .changed)
        #expect(try await effect(.anchor, ["A.example"]) == .equal)
        let hosts = try await keychain.items().map { item -> [String] in
            guard case .certificate(_, let setting, let hosts) = item.kind else { return [] }
            return [setting.rawValue] + hosts
        }
        #expect(hosts == [["distrusted"], ["anchor", "a.example", "b.example"]])
        // Storing an anchor without hosts keeps its hosts; a pin or distrust without hosts applies to all hosts.
        #expect(try await effect(.anchor, []) == .equal)
        #expect(try await effect(.pin, ["a.example"]) == .added)
        #expect(try await effect(.pin, []) == .changed)
        #expect(try await effect(.pin, ["b.example"]) == .equal)
        #expect(try await keychain.items().count == 3)
    }

    @Test("An identity is stored once, and keeps its issuers if a file contains only the leaf") func identities()
        async throws
    {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let root = try TestAuthority(root: .authority("root"))
        let leaf = try root.issue(Recipe())
        let identity = { (chain: [Certificate]) in
            try Identity(chain: chain, privateKey: Certificate.PrivateKey(leaf.key))
        }
        let entireOrigin = try identity([leaf.certificate, root.certificate])
        #expect(try await keychain.store([.identity(identity([leaf.certificate]))]).map(\.effect) == [.added])
        #expect(try await keychain.store([.identity(entireOrigin, label: "Me")]).map(\.effect) == [.changed])
        #expect(try await keychain.store([.identity(identity([leaf.certificate]))]).map(\.effect) == [.equal])
        let items = try await keychain.items()
        #expect(items.map(\.label) == ["Me"])
        #expect(try await keychain.secret(of: items[0]) == .identity(entireOrigin))
    }

    @Test("Notes with the same title are equal only with the same text and attachments") func notes() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let note = { (text: String, file: String) in
            NewItem.note(Secret(text), attachments: [.init(name: "file", bytes: Array(file.utf8))], label: "Presents")
        }
        let effects = try await keychain.store([note("a", "1"), note("a", "2"), note("b", "1"), note("a", "1")]).map(
            \.effect)
        #expect(effects == [.added, .added, .added, .equal])
        #expect(try await keychain.store([note("a", "2"), note("b", "2")]).map(\.effect) == [.equal, .added])
        // Editing may give two notes the same title.
        let item = try await keychain.add(.note(Secret("c"), label: "Other"))
        #expect(try await keychain.replace(item.id, by: .note(Secret("c"), label: "Presents")).label == "Presents")
    }

    @Test("An item cannot be changed to the same as another") func collision() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let items = try await keychain.add([try Self.login("one", "mary"), try Self.login("two", "joe")])
        await #expect(throws: KeychainError.itemExists(items[0].id)) {
            try await keychain.replace(items[1].id, by: Self.login("two", "mary"))
        }
        #expect(try await keychain.items() == items)
        #expect(try await keychain.replace(items[1].id, by: Self.login("three", "joe")).id == items[1].id)
    }

    @Test("Of a login that is stored twice, the newest is used, and the audit reports the other")
    func storedTwice() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let space = try ProtectionSpace.example(realm: nil)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let login = { (password: String) in NewItem.internetPassword(Secret(password), user: "mary", space: space) }
        let new = try await keychain.add(login("a new password"), at: now)
        let old = try await keychain.add(login("an old password"), at: now - 86_400)
        let offered = { try await keychain.read(for: space) }
        #expect(
            try await offered() == .password(user: "mary", password: Secret("a new password"), persistence: .permanent))
        let findings = try await keychain.findings(expiringBefore: now, at: now).filter {
            $0.problem == .superseded(by: new.id)
        }
        #expect(findings.map(\.item.id) == [old.id])
        // A change affects the newest of them.
        let changed = try await keychain.store([login("a third password")], at: now + 60)
        #expect(changed.map(\.item?.id) == [new.id])
        #expect(
            try await offered()
                == .password(user: "mary", password: Secret("a third password"), persistence: .permanent))
    }

    @Test("A login for a realm or a method is used for that, the most specific first") func narrowLogins() async throws
    {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let host = try HostName("intranet.example")
        let space = { (realm: String?, method: AuthenticationMethod) in
            ProtectionSpace(host: host, port: 443, scheme: "https", realm: realm, method: method)
        }
        let add = { (user: String, space: ProtectionSpace) in
            _ = try await keychain.add(.internetPassword(Secret(user), user: user, space: space))
        }
        try await add("whole", space(nil, .any))
        try await add("method", space(nil, .digest))
        try await add("realm", space("staff", .any))
        try await add("exact", space("staff", .digest))
        let user = { (realm: String?, method: AuthenticationMethod) -> String? in
            guard case .password(let user, _)? = try await keychain.read(for: space(realm, method))?.kind else {
                return nil
            }
            return user
        }
        #expect(try await user("staff", .digest) == "exact")
        #expect(try await user("staff", .basic) == "realm")
        #expect(try await user("board", .digest) == "method")
        #expect(try await user("board", .basic) == "whole")
        #expect(try await user("staff", .bearer) == nil)
    }

    @Test("Saving after a challenge changes the user's login only, also a rejected one for the origin")
    func savingAfterChallenge() async throws {
        let test = try TestKeychain()
        let keychain = try await test.create()
        let space = try ProtectionSpace.example()
        let entireOrigin = ProtectionSpace.entireOrigin(host: space.host, port: 443, scheme: "https")
        let user = { (name: String, password: String) in
            Credential.password(user: name, password: Secret(password), persistence: .permanent)
        }
        try await keychain.add(.internetPassword(Secret("old"), user: "mary", space: entireOrigin, label: "Intranet"))
        try await keychain.remove(for: space)
        try await keychain.save(user("mary", "new"), for: space)
        #expect(try await keychain.items().map(\.label) == ["Intranet"])
        #expect(try await keychain.read(for: space) == user("mary", "new"))
        try await keychain.save(user("joe", "other"), for: space)
        #expect(try await keychain.read(for: space) == user("joe", "other"))
        let retained = try #require(try await keychain.items(.with { $0.account = "mary" }).first)
        #expect(try await keychain.secret(of: retained) == .password(Secret("new")))
    }
}
