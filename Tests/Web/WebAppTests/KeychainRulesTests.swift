// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import ChallengeLabTesting
import CommandSupport
import HTTPTypes
import Keychains
import Secrets
import TestServer
import Testing
import X509
@testable import WebApp
import EssentialFoundation
import POSIX

/// Tests of the keychain's anchors, pins and distrusted certificates, which apply with server trust "Imported".
@Suite("Rules of the keychain in the web application") struct KeychainRulesTests {
    /// A change of the keychain after its rules were added.
    enum Circumstance: CaseIterable {
        case unlocked, neverUnlocked, locked, removed, emptied, overwritten, replaced, behindLink
    }

    /// Runs a closure with a server that is trusted because of an imported anchor.
    private static func withServer(
        _ body: @Sendable (CredentialsScene, Lab) async throws -> Void
    ) async throws {
        try await Lab.withServers([.goodHTTPS]) { lab in
            try await CredentialsScene.run { scene in
                let anchors = AnchorFolder(environment: ["COUNTERSIGN_HOME": scene.home])
                #expect(try anchors.add(lab.authority))
                try await scene.submit("/settings", ["trust": "imported"])
                try await body(scene, lab)
            }
        }
    }

    @Test(
        "A server that the keychain distrusts is never trusted, whatever happens to the keychain",
        arguments: [TrustSettings.Setting.distrusted, .pin], Circumstance.allCases)
    func refused(setting: TrustSettings.Setting, circumstance: Circumstance) async throws {
        let other = try await Lab.start([])
        try await other.stop()
        try await Self.withServer { scene, lab in
            // A pin of another authority cannot match the server.
            let certificate = setting == .pin ? other.authority : lab.authority
            try await scene.keychain().add(.certificate(certificate, trust: setting))
            try await scene.arrange(circumstance)
            let page = try await scene.waitForEnd(of: try await scene.fetch(lab.url(.goodHTTPS)))
            let words =
                switch circumstance {
                case .unlocked: setting == .pin ? "trust.pin-mismatch" : "trust.distrusted"
                case .neverUnlocked, .locked, .replaced: "Unlock the keychain"
                case .removed: "credentials.trust-gone"
                case .emptied, .overwritten: "keychain.not-keychain"
                case .behindLink: "keychain.unsafe-rights"
                }
            #expect(page.contains(words))
            #expect(!page.contains("200 OK") && page.contains(lab.url(.goodHTTPS)))
        }
    }

    @Test(
        "A fetch requests to unlock the keychain, and continues afterwards", .lab([.goodHTTPS]),
        arguments: ["passphrase", "pin"])
    func unlocking(way: String) async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run(keychain: false) { scene in
            let fields = [
                "passphrase": CredentialsScene.passphrase, "again": CredentialsScene.passphrase, "pin": "271828",
            ]
            try await scene.submit("/keychain/make", fields)
            try await scene.keychain().add(.certificate(lab.authority, trust: .anchor))
            try await scene.submit("/settings", ["trust": "imported"])
            try await scene.submit("/keychain/lock")
            try await scene.submit("/fetch", ["url": lab.url(.goodHTTPS)])
            let question = try await scene.wait(for: "Unlock the keychain", at: "/fetch/1")
            #expect(question.text.contains("Nothing was sent yet."))
            try await scene.answer(1, ["choice": "unlock", "passphrase": "wrong"])
            _ = try await scene.wait(
                for: "The passphrase, PIN, code or key does not open the keychain.", at: "/fetch/1")
            // A user who declines sees the reason, and another attempt asks again.
            try await scene.answer(1, ["choice": "decline"])
            _ = try await scene.wait(for: "credentials.trust-locked", at: "/fetch/1")
            try await scene.submit("/fetch/1/resume")
            _ = try await scene.wait(for: "Unlock the keychain", at: "/fetch/1")
            let secret = way == "pin" ? fields["pin"] : fields["passphrase"]
            try await scene.answer(1, ["choice": "unlock", way: secret ?? ""])
            _ = try await scene.wait(for: "200 OK", at: "/fetch/1")
        }
    }

    @Test("A fetch continues if the keychain was unlocked elsewhere in the meantime") func unlockedElsewhere()
        async throws
    {
        try await Self.withServer { scene, lab in
            try await scene.submit("/fetch", ["url": lab.url(.goodHTTPS)])
            _ = try await scene.wait(for: "Unlock the keychain", at: "/fetch/1")
            try await scene.unlock()
            try await scene.answer(1, ["choice": "again"])
            _ = try await scene.wait(for: "200 OK", at: "/fetch/1")
        }
    }

    @Test("A missing keychain is ignored after the server trust was changed") func gone() async throws {
        try await Self.withServer { scene, lab in
            try await scene.arrange(.removed)
            let number = try await scene.fetch(lab.url(.goodHTTPS))
            #expect(try await scene.waitForEnd(of: number).contains("credentials.trust-gone"))
            try await scene.submit("/settings", ["trust": "imported"])
            try await scene.submit("/fetch/\(number)/resume")
            #expect(try await scene.waitForEnd(of: number).contains("credentials.trust-gone"))
            for trust in ["default", "imported"] { try await scene.submit("/settings", ["trust": trust]) }
            try await scene.submit("/fetch/\(number)/resume")
            #expect(try await scene.waitForEnd(of: number).contains("200 OK"))
        }
    }

    @Test("A rule for a redirect's host applies, even if the keychain is locked in the meantime")
    func redirect() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (openings, opened) = AsyncStream.makeStream(of: Void.self)
        try await Self.withServer { scene, lab in
            try await scene.keychain().add(
                .certificate(lab.authority, trust: .distrusted, hosts: ["localhost"]))
            try await scene.unlock()
            let url = lab.url(.goodHTTPS)
            try await TestServer.with([
                [
                    .receiveHead,
                    .script { _ in
                        arrived.finish()
                        for await _ in openings {}
                    },
                    .send("HTTP/1.1 302 Found", "Location: \(url)", "Content-Length: 0", "Connection: close", ""),
                ]
            ]) { server in
                try await scene.submit("/fetch", ["url": server.url("/").replacing("localhost", with: "127.0.0.1")])
                for await _ in arrivals {}
                try await scene.submit("/keychain/lock")
                opened.finish()
                let page = try await scene.waitForEnd(of: 1)
                #expect(page.contains("trust.distrusted") && !page.contains("200 OK"))
            }
        }
    }

    @Test("Locking discards the keys even if the file is missing") func lockWithoutFile() async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            #expect(try await scene.get("/credentials").text.contains("no credentials yet"))
            for suffix in ["", "-wal", "-shm"] { rename(scene.path + suffix, scene.path + ".away" + suffix) }
            try await scene.submit("/keychain/lock")
            for suffix in ["", "-wal", "-shm"] { rename(scene.path + ".away" + suffix, scene.path + suffix) }
            #expect(try await scene.get("/credentials").text.contains("The keychain is locked"))
        }
    }

    @Test("A certificate is not fetched from a server that the keychain distrusts") func certificate() async throws {
        try await Self.withServer { scene, lab in
            try await scene.keychain().add(.certificate(lab.authority, trust: .distrusted))
            try await scene.unlock()
            let page = try await scene.submit("/credentials/fetch", ["url": lab.url(.goodHTTPS)])
            #expect(page.text.contains("Code: <code>trust.distrusted"))
        }
    }
}

extension CredentialsScene {
    /// The configuration folder.
    fileprivate var home: String { String(path.dropLast("/keychain/keychain.sqlite".count)) }

    /// Starts a fetch, and returns its number.
    fileprivate func fetch(_ url: String) async throws -> Int {
        let place = try await post("/fetch", ["url": url]).place
        return try #require(place.flatMap { Int($0.dropFirst("/fetch/".count)) })
    }

    /// Waits until a fetch has ended or requires an answer.
    fileprivate func waitForEnd(of number: Int) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let page = try await get("/fetch/\(number)").text
            if !page.contains("data-running") || page.contains("<dialog") { return page }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("The fetch did not end.")
        return ""
    }

    fileprivate func answer(_ number: Int, _ fields: [String: String]) async throws {
        let question = try await get("/fetch/\(number)").field("question") ?? ""
        try await submit("/fetch/\(number)/answer", fields.merging(["question": question]) { own, _ in own })
    }

    fileprivate func arrange(_ circumstance: KeychainRulesTests.Circumstance) async throws {
        guard circumstance != .neverUnlocked else { return }
        try await unlock()
        // A fetch that failed or was trusted shows that the rules were used.
        _ = try await waitForEnd(of: try await fetch("http://localhost:1/"))
        guard circumstance != .unlocked else { return }
        try await submit("/keychain/lock")
        let manager = FileManager.default
        func removeAll() throws {
            for suffix in ["", "-wal", "-shm"] where manager.fileExists(atPath: path + suffix) {
                try manager.removeItem(atPath: path + suffix)
            }
        }
        switch circumstance {
        case .unlocked, .neverUnlocked, .locked: break
        case .removed: try removeAll()
        case .emptied, .overwritten:
            try removeAll()
            let text = circumstance == .emptied ? "" : "no keychain"
            _ = manager.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        case .replaced:
            try removeAll()
            _ = try await Keychain.create(at: path, passphrase: Secret("another one"), places: places)
        case .behindLink:
            try removeAll()
            try manager.createSymbolicLink(atPath: path, withDestinationPath: path + ".elsewhere")
        }
    }
}
