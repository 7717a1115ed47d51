// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Challenges
import Foundation
import Identities
import Keychains
import Secrets
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CommandSupport
@testable import KeychainCommand

@Suite("The files that the keychain imports and exports") struct KeychainFilesTests {
    // MARK: Logins

    private static func keychain(in folder: Folder, _ name: String) async throws -> UnlockedKeychain {
        try await Keychain.create(
            at: folder.file("\(name)/keychain.sqlite"), passphrase: Secret("correct horse battery"),
            places: .init(deviceSecret: folder.file("state/device"), rememberedStates: nil))
    }

    /// The properties and secrets of the items, in the keychain's order.
    private static func contents(_ keychain: UnlockedKeychain) async throws -> [[String]] {
        var contents: [[String]] = []
        for item in try await keychain.items() {
            guard case .password(let password) = try await keychain.secret(of: item) else { continue }
            let bytes = password.withUnsafeBytes { Array($0) }
            contents.append([
                "\(item.kind)", item.label, item.comment, "\(item.created)", "\(item.modified)",
                "\(item.accessibility)", "\(item.isRejected)", "\(bytes)",
            ])
        }
        return contents
    }

    @Test("Exported logins come back with every property that they had") func loginRoundTrip() async throws {
        let folder = try Folder()
        let keychain = try await Self.keychain(in: folder, "one")
        let host = try HostName("intranet.example")
        let space = {
            (scheme: String, port: Int, realm: String?, method: AuthenticationMethod, role: ProtectionSpace.Role) in
            ProtectionSpace(host: host, port: port, scheme: scheme, realm: realm, method: method, role: role)
        }
        var rejected = NewItem.internetPassword(
            Secret("rejected"), user: "joe", space: space("https", 443, "staff", .basic, .origin))
        rejected.isRejected = true
        try await keychain.add(
            [
                .internetPassword(
                    Secret("a,\"b\"\r\nc "), user: "mary",
                    space: space("https", 443, "staff, \"all\"", .digest, .origin),
                    label: "In, tranet", comment: "two\nlines", accessibility: .afterFirstUnlock),
                .internetPassword(
                    Secret("any realm"), user: "", space: .entireOrigin(host: host, port: 443, scheme: "https")),
                .internetPassword(Secret("empty realm"), user: "mary", space: space("https", 8443, "", .any, .origin)),
                .internetPassword(
                    Secret("a token"), user: nil, space: .entireOrigin(host: host, port: 443, scheme: "https")),
                .internetPassword(
                    Secret("token of a realm"), user: nil, space: space("http", 80, "api", .bearer, .origin)),
                .internetPassword(Secret("proxy"), user: "mary", space: space("http", 3128, "p", .basic, .proxy)),
                .internetPassword(Secret("socks"), user: "mary", space: space("socks5", 1080, nil, .any, .proxy)),
                .genericPassword(Secret(utf8: [0xFF, 0xFE, 0]), service: "https://intranet.example", account: "mary"),
                .genericPassword(Secret("no names"), service: "", account: "", label: "Label"),
                .genericPassword(
                    Secret("here"), service: "backup", account: "root", accessibility: .whenUnlocked.thisDeviceOnly),
                rejected,
            ], at: Date(timeIntervalSince1970: 1_700_000_000))
        let edited = try #require(try await keychain.items().first)
        try await keychain.store(
            [
                .internetPassword(
                    Secret("changed"), user: "mary", space: space("https", 443, "staff, \"all\"", .digest, .origin),
                    accessibility: .afterFirstUnlock)
            ], at: edited.modified + 60)
        let before = try await Self.contents(keychain)
        let table = try await LoginTable(keychain)
        #expect(table.omissions.isEmpty)

        let list = try PasswordList(table.bytes)
        #expect(list.skippedLines.isEmpty && list.unreadColumns.isEmpty)
        let items = try list.logins.flatMap { $0.items(try ItemOptions.parse([])) }
        let other = try await Self.keychain(in: folder, "two")
        #expect(try await other.store(items).allSatisfy { $0.effect == .added })
        #expect(try await Self.contents(other) == before)
        // A second import finds no new or different items.
        #expect(try await keychain.store(items).allSatisfy { $0.effect == .equal })
        #expect(try await LoginTable(other).bytes == table.bytes)
    }

    @Test("Items that a login table cannot contain are reported") func otherItems() async throws {
        let folder = try Folder()
        let keychain = try await Self.keychain(in: folder, "one")
        try await keychain.add([
            .note(Secret("a"), label: "One"), .note(Secret("b"), label: "Two"),
            .certificate(TestAuthority(root: .authority("root")).certificate, trust: .anchor),
        ])
        #expect(
            try await LoginTable(keychain).omissions == [
                "1 certificate, which 'export ITEM' writes one by one",
                "2 notes, which 'export ITEM' writes one by one",
            ])
    }

    @Test(
        "An imported login is stored for each server, with the canonical host name",
        arguments: [
            ("url,username,password\nHTTPS://Intranet.Example:443/a,m,p", ["https://intranet.example"]),
            ("url,username,password\nhttps://bücher.example./,m,p", ["https://xn--bcher-kva.example"]),
            ("url,username,password\nhttps://xn--bcher-kva.example/,m,p", ["https://xn--bcher-kva.example"]),
            (
                "login_uri,login_username,login_password\n\"https://a.example/,https://b.example/x\",m,p",
                ["https://a.example", "https://b.example"]
            ),
            ("url,username,password,httpRealm\nhttps://a.example,m,p,staff", ["https://a.example staff"]),
            ("url,username,password\nandroid://x@com.example,m,p", ["android://x@com.example"]),
        ])
    func places(file: String, places: [String]) throws {
        let items = try PasswordList(file.utf8).logins.flatMap { $0.items(try ItemOptions.parse([])) }
        #expect(
            items.map { item in
                switch item.kind {
                case .internetPassword(let space, _):
                    [space.url, space.realm].compactMap(\.self).joined(separator: " ")
                case .genericPassword(let service, _): service
                default: ""
                }
            } == places)
    }

    // MARK: Certificates

    /// The certificates and keys of one hierarchy.
    private struct Hierarchy {
        let root: TestAuthority
        let intermediate: TestAuthority
        let leaf: TestAuthority
        /// A second certificate of the leaf's key.
        let renewed: TestAuthority
        let other: TestAuthority
        let selfSigned: TestAuthority
        let oldRoot: TestAuthority

        init() throws {
            root = try TestAuthority(root: .authority("root"))
            intermediate = try root.issue(.authority("intermediate"))
            let recipe = Recipe().with { $0.commonName = "leaf" }
            leaf = try intermediate.issue(recipe)
            renewed = try intermediate.issue(recipe.with { $0.serialNumber = [0x41] })
            other = try TestAuthority(root: .authority("other"))
            selfSigned = try TestAuthority(root: Recipe().with { $0.commonName = "self" })
            oldRoot = try TestAuthority(
                root: .authority("old").with {
                    ($0.version, $0.constraints, $0.keyUsage) = (.v1, nil, nil)
                })
        }

        func contents(_ names: [String]) throws -> IdentityContents {
            let all = [
                "root": root, "intermediate": intermediate, "leaf": leaf, "renewed": renewed, "other": other,
                "self": selfSigned, "old": oldRoot,
            ]
            let blocks = try names.map { name in
                let isKey = name.hasSuffix(" key")
                let one = try #require(all[String(name.prefix { $0 != " " })])
                return isKey
                    ? String(decoding: try Identity.pemEncoded(Certificate.PrivateKey(one.key)), as: UTF8.self)
                    : try one.certificate.serializeAsPEM().pemString
            }
            return try IdentityContents(of: blocks.joined(separator: "\n").utf8, privateKeys: .included)
        }
    }

    struct Bundle: CustomTestStringConvertible, Sendable {
        let blocks: [String]
        /// The chains of the identities.
        var identities: [[String]] = []
        /// The certificates that become anchors if the user names no setting.
        var anchors: [String] = []
        /// The number of blocks that are reported as not imported.
        var omissionCount = 0

        var testDescription: String { blocks.joined(separator: ", ") }
    }

    static let bundles = [
        Bundle(blocks: ["root"], anchors: ["root"]),
        // Other programs distribute an intermediate authority without its root.
        Bundle(blocks: ["intermediate"], anchors: ["intermediate"]),
        Bundle(blocks: ["intermediate", "root"], anchors: ["root"], omissionCount: 1),
        Bundle(blocks: ["root", "intermediate", "other"], anchors: ["root", "other"], omissionCount: 1),
        Bundle(blocks: ["leaf", "leaf key"], identities: [["leaf"]]),
        Bundle(
            blocks: ["leaf key", "root", "leaf", "intermediate"], identities: [["leaf", "intermediate", "root"]]),
        Bundle(blocks: ["other", "leaf", "leaf key"], identities: [["leaf"]], anchors: ["other"]),
        Bundle(
            blocks: ["leaf", "leaf key", "self", "self key"], identities: [["leaf"], ["self"]]),
        Bundle(
            blocks: ["leaf", "renewed", "intermediate", "leaf key"],
            identities: [["leaf", "intermediate"], ["leaf", "intermediate"]]),
        Bundle(blocks: ["leaf", "leaf key", "other key"], identities: [["leaf"]], omissionCount: 1),
    ]

    @Test("A file's certificates become identities or anchors, or are omitted, in any order", arguments: bundles)
    func bundle(_ bundle: Bundle) throws {
        let found = try ImportedCertificates(try Hierarchy().contents(bundle.blocks))
        let names = { (certificates: [Certificate]) in
            certificates.map { String(CertificateSummary($0).subject.dropFirst("CN=".count)) }
        }
        #expect(found.identities.map { names($0.identity.chain) } == bundle.identities)
        #expect(names(try found.certificates(as: nil)) == bundle.anchors)
        #expect(found.omissions(as: nil).count == bundle.omissionCount)
    }

    @Test(
        "A certificate of a server becomes an anchor only if the user requests that",
        arguments: [
            ["leaf"], ["self"], ["old"], ["leaf", "intermediate", "root"], ["root", "self"],
            ["leaf", "self", "self key"],
        ])
    func leaf(blocks: [String]) throws {
        let found = try ImportedCertificates(try Hierarchy().contents(blocks))
        let error = #expect(throws: AnchorFolderError.self) { try found.certificates(as: nil) }
        guard case .notAnAuthority? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            try found.certificates(as: .anchor).count == blocks.filter { !$0.hasPrefix("self ") }.count
                - found.identities.count)
        #expect(found.hasOthers && found.omissions(as: .anchor).isEmpty)
    }

    @Test(
        "A key that does not match its certificate is refused with the certificate's name",
        arguments: [
            (["leaf", "other key"], "leaf"), (["other key", "leaf"], "leaf"), (["root", "other key"], "root"),
            (["self", "self key", "leaf", "other key"], "leaf"),
        ])
    func mismatch(blocks: [String], subject: String) throws {
        let contents = try Hierarchy().contents(blocks)
        let error = IdentityError.keyDoesNotMatch(subject: try DistinguishedName { CommonName(subject) })
        #expect(throws: error) {
            try ImportedCertificates(contents)
        }
    }

    @Test("Keys without certificates are refused") func keysAlone() throws {
        let contents = try Hierarchy().contents(["leaf key", "other key"])
        #expect(throws: IdentityError.noCertificate) { try ImportedCertificates(contents) }
    }
}
