// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import WebApp
@testable import Keychains
import CertificateTrust
import ChallengeLab
import ChallengeLabTesting
import Challenges
import ErrorChecks
import EssentialFoundation
import Identities
import Secrets
import SwiftASN1
import Testing
import X509

@Suite("Credentials in the web application") struct CredentialsTests {
    private static let locked = "The keychain is locked"

    // MARK: Unlocking

    @Test("A keychain is created with a passphrase that is typed twice") func make() async throws {
        try await CredentialsScene.run(keychain: false) { scene in
            #expect(try await scene.get("/credentials").text.contains("Create a keychain"))
            let passphrase = CredentialsScene.passphrase
            let different = try await scene.submit("/keychain/make", ["passphrase": passphrase, "again": "other"])
            #expect(different.status == 403)
            #expect(different.text.contains("The two passphrases are not the same."))
            let empty = try await scene.submit("/keychain/make", ["passphrase": "", "again": ""])
            #expect(empty.text.contains("An empty passphrase protects nothing."))
            let weak = try await scene.submit("/keychain/make", ["passphrase": "12345678", "again": "12345678"])
            #expect(weak.text.contains("This passphrase is easily guessed.") && weak.text.contains("name=\"weak\""))
            #expect(!FileManager.default.fileExists(atPath: scene.path))
            let made = try await scene.submit("/keychain/make", ["passphrase": passphrase, "again": passphrase])
            #expect(made.text.contains("The keychain holds no credentials yet."))
            _ = try await scene.keychain()
            let second = try await scene.submit("/keychain/make", ["passphrase": "new", "again": "new", "weak": "on"])
            #expect(second.status == 403)
        }
    }

    @Test(
        "A locked keychain shows nothing but the form for unlocking",
        arguments: [
            "/credentials", "/credentials/item/1", "/credentials/item/1/chain", "/credentials/item/1/remove",
            "/credentials/reset", "/credentials/addition/x",
        ])
    func locked(path: String) async throws {
        try await CredentialsScene.run { scene in
            try await Self.fill(try await scene.keychain())
            let page = try await scene.get(path)
            #expect(page.text.contains(Self.locked))
            #expect(!page.text.contains("mary"))
            try await scene.unlock()
            #expect(!(try await scene.get(path).text.contains(Self.locked)))
            try await scene.submit("/keychain/lock")
            #expect(try await scene.get(path).text.contains(Self.locked))
        }
    }

    @Test("A locked keychain cannot be changed", arguments: ["item/1/remove", "reset", "add", "fetch", "addition/x"])
    func lockedForms(path: String) async throws {
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            try await Self.fill(keychain)
            #expect(try await scene.submit("/credentials/" + path, ["word": "delete"]).text.contains(Self.locked))
            #expect(try await keychain.items().count == 1)
        }
    }

    @Test("A wrong passphrase is refused with the keychain's message") func wrongPassphrase() async throws {
        try await CredentialsScene.run { scene in
            let page = try await scene.submit("/keychain/unlock", ["passphrase": "wrong"])
            #expect(page.status == 403)
            #expect(page.text.contains("The passphrase, PIN, code or key does not open the keychain."))
            #expect(!page.text.contains("\"wrong\""))
            #expect(try await scene.get("/credentials").text.contains(Self.locked))
        }
    }

    // MARK: The list

    @Test("Passwords are listed with user and host, and no secret is shown") func passwords() async throws {
        try await CredentialsScene.run { scene in
            try await Self.fill(try await scene.keychain())
            try await scene.unlock()
            let list = try await scene.get("/credentials").text
            #expect(list.contains("mary") && list.contains("intranet.example:443"))
            let details = try await scene.get("/credentials/item/1").text
            #expect(details.contains("mary") && !details.contains("hidden-secret") && !list.contains("hidden-secret"))
            #expect(try await scene.get("/credentials?text=INTRANET").text.contains("mary"))
            #expect(!(try await scene.get("/credentials?text=other").text.contains("mary")))
            #expect(!(try await scene.get("/credentials?kind=anchor").text.contains("mary")))
            #expect(try await scene.get("/credentials?kind=password").text.contains("mary"))
        }
    }

    @Test(
        "The expiry of a certificate is shown as text", .lab([]),
        arguments: [
            (days: -1.0, words: "Expired"), (days: 5.5, words: "in 5 days"), (days: 29.5, words: "Expires soon"),
            (days: 31.0, words: "Valid until"),
        ])
    func expiry(days: Double, words: String) async throws {
        let lab = try #require(Lab.current)
        let end = lab.authority.notValidAfter
        try await CredentialsScene.run(keychain: true) { scene in
            let item = try await scene.keychain().add(try .certificate(lab.authority, trust: .anchor))
            let view = try #require(CredentialView(item, at: end - days * 86_400))
            #expect([view.validity, view.mark].compactMap(\.self).joined(separator: "; ").contains(words))
        }
    }

    // MARK: Adding

    @Test("A certificate from a file is shown with its fingerprint, and added when that is confirmed", .lab([]))
    func addAnchor() async throws {
        let lab = try #require(Lab.current)
        let fingerprint = CertificateSummary(lab.authority).fingerprint
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let shown = try await scene.submit("/credentials/add", ["file": try Self.file(lab.authority)])
            #expect(shown.text.contains(fingerprint))
            #expect(try await scene.keychain().items().isEmpty)
            let place = try #require(shown.place(of: "/credentials/addition/"))
            #expect(shown.field("fingerprints") == fingerprint)
            let confirmed = ["fingerprints": fingerprint, "trust": "anchor"]
            let added = try await scene.submit(place, confirmed)
            #expect(added.text.contains("Added."))
            let item = try #require(try await scene.keychain().items().first)
            #expect(item.kind.itemClass == .certificate)
            let details = try await scene.get("/credentials/item/\(item.id)").text
            #expect(details.contains(fingerprint))
            // A confirmation is accepted once.
            #expect(try await scene.submit(place, confirmed).text.contains("credentials.addition-gone"))
            try await scene.submit("/credentials/item/\(item.id)/remove")
            #expect(try await scene.keychain().items().isEmpty)
        }
    }

    @Test(
        "A server's certificate becomes an anchor only on request, and a key of another certificate is refused",
        .lab([]))
    func addLeaf() async throws {
        let lab = try #require(Lab.current)
        let leaf = lab.clientIdentity.certificate
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let foreign = Array(try lab.authority.serializeAsPEM().pemString.utf8) + [0x0A]
            let mixed = Data(foreign + (try lab.clientIdentity.pemEncodedPrivateKey)).base64EncodedString()
            #expect(
                try await scene.submit("/credentials/add", ["file": mixed]).text.contains("identity.key-does-not-match")
            )
            for choice in [nil, "anchor"] {
                let shown = try await scene.submit("/credentials/add", ["file": try Self.file(leaf)])
                #expect(shown.text.contains("value=\"anchor\" required>"))
                let place = try #require(shown.place(of: "/credentials/addition/"))
                var fields = ["fingerprints": CertificateSummary(leaf).fingerprint]
                fields["trust"] = choice
                let page = try await scene.submit(place, fields)
                #expect(page.text.contains(choice == nil ? "anchor.not-an-authority" : "Added."))
                #expect(try await scene.keychain().items().count == (choice == nil ? 0 : 1))
            }
        }
    }

    @Test("The confirmation cannot be skipped, and applies to the displayed certificates") func confirmation()
        async throws
    {
        let (lab, other) = (try await Lab.start([]), try await Lab.start([]))
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let forged = ["fingerprints": CertificateSummary(other.authority).fingerprint]
            #expect(try await scene.submit("/credentials/addition/guessed", forged).text.contains("addition-gone"))
            let first = try await scene.submit("/credentials/add", ["file": try Self.file(lab.authority)])
            let place = try #require(first.place(of: "/credentials/addition/"))
            for fields in [forged, [:]] {
                #expect(try await scene.submit(place, fields).text.contains("other-fingerprints"))
            }
            // A second import replaces the first, so the confirmation on the first one's page has no effect.
            try await scene.submit("/credentials/add", ["file": try Self.file(other.authority)])
            for fields in [forged, ["fingerprints": CertificateSummary(lab.authority).fingerprint]] {
                #expect(try await scene.submit(place, fields).text.contains("addition-gone"))
            }
            #expect(try await scene.keychain().items().isEmpty)
        }
        try await lab.stop()
        try await other.stop()
    }

    @Test("An anchor from a URL is fetched once, with a warning if it was not encrypted", .lab([.plainHTTP]))
    func url() async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let shown = try await scene.submit(
                "/credentials/fetch", ["url": "http://localhost:\(lab[.plainHTTP].port)/ca.pem"])
            let fingerprint = CertificateSummary(lab.authority).fingerprint
            #expect(shown.text.contains(fingerprint))
            #expect(shown.text.contains("Anyone on the network path could have changed this certificate"))
            let place = try #require(shown.place(of: "/credentials/addition/"))
            try await scene.submit(place, ["fingerprints": fingerprint, "trust": "distrusted"])
            #expect(try await scene.keychain().trustSettings.entries.map(\.setting) == [.distrusted])
            let missing = try await scene.submit(
                "/credentials/fetch", ["url": "http://localhost:\(lab[.plainHTTP].port)/no-such-file"])
            #expect(missing.status == 400)
            let file = try await scene.submit("/credentials/fetch", ["url": "file:///etc/passwd"])
            #expect(file.text.contains("credentials.no-url"))
        }
    }

    @Test("No anchor is fetched from a server that is not trusted, even if trust is disabled", .lab([.selfSigned]))
    func untrustedURL() async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run { scene in
            try await scene.submit("/settings", ["trust": "disabled"])
            try await scene.unlock()
            let page = try await scene.submit("/credentials/fetch", ["url": lab.url(.selfSigned)])
            #expect(page.text.contains("Code: <code>trust.self-signed"))
        }
    }

    @Test("An identity is added with its key, and its chain is drawn", .lab([])) func identity() async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let identity = lab.clientIdentity
            let file = Data(try identity.pemEncodedChain + identity.pemEncodedPrivateKey).base64EncodedString()
            let shown = try await scene.submit("/credentials/add", ["file": file])
            let fingerprints = try #require(shown.field("fingerprints"))
            let place = try #require(shown.place(of: "/credentials/addition/"))
            let added = try await scene.submit(place, ["fingerprints": fingerprints])
            #expect(added.text.contains("Added."))
            let id = try #require(try await scene.keychain().items().first).id
            let details = try await scene.get("/credentials/item/\(id)").text
            #expect(details.contains("Fingerprint: ") && !details.contains("PRIVATE KEY"))
            #expect(try await scene.get("/credentials/item/\(id)/chain").text.hasPrefix("<svg"))
        }
    }

    @Test(
        "A file that is not a certificate is refused",
        arguments: [
            ("", "credentials.no-file"), ("not base64", "credentials.no-file"), ("AAAA", "identity."),
            ("aGVsbG8=", "identity."),
        ])
    func noCertificate(file: String, code: String) async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let page = try await scene.submit("/credentials/add", ["file": file])
            #expect(page.status == 400)
            #expect(page.text.contains("Code: <code>\(code)"))
        }
    }

    /// A PKCS#12 file with the passphrase "workshop".
    private static let identityFile = """
        MIIEDAIBAzCCA8IGCSqGSIb3DQEHAaCCA7MEggOvMIIDqzCCAmIGCSqGSIb3DQEHBqCCAlMwggJPAgEAMIICSAYJKoZIhvcNAQcB\
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjNGFbjnDjtlgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELCl\
        jHE0FgWVwOwJ/PLr6kuAggHgmokAfYJRT9fFIOG0URRzvYEEoybECO8+JNFxvBxQZDRJ/SV/gYopcLamd/0LcTEFrUjau900eu/6\
        hzbUXaeSP1lBJFCJUGabDLudJp/UG2k3Iv16Dir6HgskRozARidEp/f7Kqgq5XV+3L2YjvSFz16oSwN4hcG9nIEIvV/F7I6w6gTM\
        GHXhw/f/iFqj7qQY6OyNM0DA/VHvdGACjq2QxFvmo0cHltBK7Aa5OXOH49QevFNB771joZuai+Mc2sD7vdy2MqrV1QqqSdMlJ8uv\
        f3Zwx9SJWrKPsPPklHVISQt6ozd2DaoUw2d4aXWEfFY7EAVJOtA1W3BRnoBoH5t0tz2m0EEtrdUJwt1VbV2Dz8VkvckzAIIrkXg+\
        qk5P4ahMNp3PenxYXDevAzP/3LfmU76j2Mfu/EbcR632m0ejdi+1yNiqjrQTUG+5aafjAmmCYpS33As6Z2V7sLIZ5TCQ+REjYjjN\
        xIXGdLbhFQvO+jSEg6FGAmXEJoTjS86fYg1z28ot32YVb2eWUaeKMbalTW0Qc3k14ZcfLJ+Vqg9TzJEZXN14tNDtXMr2McE/XxJe\
        2y0Im0Xq0hnaHPcscLBMXRUhU/nB+YaXdF76aj8QbPWfWTIelsQfty//ZNFbzTuMMIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEq\
        MIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECBd7an/MPbwXAgIIADAMBggqhkiG\
        9w0CCQUAMB0GCWCGSAFlAwQBKgQQgPpauAhUVb3CBVH2R/WtkASBkHKYazoL8iuUFUV9OsHvyfwHnf+0oYcORPBbU0ptufwSufjc\
        YbDNSpDnHlULCbzE30GI5piKB/a/B3MSXPlmDSOD0O7AgTSuyGhsxZprmcvRe4p5r2BZdZze5QdCMeRxVMTwtGTwavJZAiUZUNVM\
        s9/SjX0E2xc9zJd0yyJ+Xq3YC7i8B/vm5vFxfj+MRji+CTElMCMGCSqGSIb3DQEJFTEWBBTOTTxf44t/6W+wA5tNYwy7bwRh7jBB\
        MDEwDQYJYIZIAWUDBAIBBQAEIEDNGcbvnCf1veSuVvv8KXnlqfuCVL+QPbAjQzmFGQIcBAiaeiX8ufGlaQICCAA=
        """

    @Test(
        "A PKCS#12 file needs its passphrase",
        arguments: [
            ("", "identity.passphrase-needed"), ("wrong", "identity.wrong-passphrase"), ("workshop", "Workshop"),
        ])
    func passphraseOfFile(passphrase: String, answer: String) async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let fields = ["file": Self.identityFile, "passphrase": passphrase]
            #expect(try await scene.submit("/credentials/add", fields).text.contains(answer))
            #expect(try await scene.keychain().items().isEmpty)
        }
    }

    @Test(
        "An anchor of the unlocked keychain applies to a fetch, unless it is for other hosts only", .lab([.goodHTTPS]))
    func fetching() async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run { scene in
            try await scene.submit("/settings", ["trust": "imported"])
            let keychain = try await scene.keychain()
            let limited = try await keychain.add(.certificate(lab.authority, trust: .anchor, hosts: ["localhost"]))
            try await scene.unlock()
            try await scene.submit("/fetch", ["url": lab.url(.goodHTTPS)])
            try await scene.wait(for: "<dialog", at: "/fetch/1")
            try await keychain.replace(limited.id, by: .certificate(lab.authority, trust: .anchor))
            try await scene.submit("/fetch", ["url": lab.url(.goodHTTPS)])
            try await scene.wait(for: "200 OK", at: "/fetch/2")
            try await scene.submit("/keychain/lock")
            try await scene.submit("/settings/forget")
            try await scene.submit("/fetch", ["url": lab.url(.goodHTTPS)])
            try await scene.wait(for: "<dialog", at: "/fetch/3")
        }
    }

    // MARK: Removing

    @Test("A reset requires a confirmation word, and keeps notes") func reset() async throws {
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            try await Self.fill(keychain)
            try await keychain.add(.note(Secret("text"), label: "Presents"))
            try await scene.unlock()
            #expect(try await scene.get("/credentials/reset").text.contains("1 in all"))
            for word in ["", "yes"] {
                #expect(try await scene.submit("/credentials/reset", ["word": word]).text.contains("word-missing"))
            }
            #expect(try await keychain.items().count == 2)
            try await scene.submit("/credentials/reset", ["word": "delete"])
            #expect(try await keychain.items().map(\.kind) == [.note])
        }
    }

    @Test("A damaged credential is reported, and the others can be shown and removed") func damaged() async throws {
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            for name in ["One", "Two"] {
                try await keychain.add(.genericPassword(Secret("x"), service: "s", account: "mary", label: name))
            }
            try keychain.keychain.file.checkpoint()
            // The first item's row is at the end of the seventh page, and its secret is the last column.
            var bytes = try Data(contentsOf: URL(filePath: scene.path))
            bytes.replaceSubrange((7 * 32_768 - 8)..<(7 * 32_768), with: Data(count: 8))
            try bytes.write(to: URL(filePath: scene.path))
            try await scene.unlock()
            let list = try await scene.get("/credentials").text
            #expect(list.contains("Item 1, a password, One") && list.contains("cannot be opened"))
            #expect(list.contains("/credentials/item/2"))
            #expect(try await scene.get("/credentials/item/2").text.contains("Two"))
            try await scene.submit("/credentials/item/2/remove")
            #expect(!(try await scene.get("/credentials").text.contains("/credentials/item/2")))
            let refused = try await scene.submit("/credentials/item/1/remove").text
            #expect(refused.contains("keychain.damaged-item"))
            #expect(try await scene.get("/presents").text.contains("Item 1, a password, One"))
        }
    }

    @Test("Missing items and notes are not credentials", arguments: ["item/1", "item/9", "item/x", "item/9/remove"])
    func gone(path: String) async throws {
        try await CredentialsScene.run { scene in
            try await scene.keychain().add(.note(Secret("text"), label: "Presents"))
            try await scene.unlock()
            #expect(try await scene.get("/credentials/" + path).text.contains("credentials.no-item"))
        }
    }

    @Test(
        "A form from another site is refused",
        arguments: [
            "keychain/make", "keychain/unlock", "keychain/lock", "credentials/add", "credentials/fetch",
            "credentials/addition/x", "credentials/reset", "credentials/item/1/remove", "presents/add",
            "presents/item/1/remove", "presents/import", "presents/export",
        ])
    func crossSite(path: String) async throws {
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            try await Self.fill(keychain)
            try await scene.unlock()
            let fields = ["word": "delete", "passphrase": CredentialsScene.passphrase]
            #expect(try await scene.post("/" + path, fields, site: "cross-site").status == 403)
            #expect(try await keychain.items().count == 1)
            #expect(!(try await scene.get("/credentials").text.contains(Self.locked)))
        }
    }

    @Test("Each error explains itself") func errors() { #expect(problems(of: CredentialsError.examples).isEmpty) }

    // MARK: Helpers

    private static func fill(_ keychain: UnlockedKeychain) async throws {
        let space = ProtectionSpace(
            host: try HostName("intranet.example"), port: 443, scheme: "https", realm: "staff", method: .basic)
        try await keychain.add(.internetPassword(Secret("hidden-secret"), user: "mary", space: space))
    }

    private static func file(_ certificate: Certificate) throws -> String {
        Data(try certificate.serializeAsPEM().pemString.utf8).base64EncodedString()
    }
}

extension CredentialsScene.Page {
    /// Returns the first link on the page with the given prefix.
    fileprivate func place(of prefix: String) -> String? {
        text.firstRange(of: prefix).map { String(text[$0.lowerBound...].prefix { $0 != "\"" }) }
    }
}
