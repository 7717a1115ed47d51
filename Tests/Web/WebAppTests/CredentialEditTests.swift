// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import ChallengeLabTesting
import Challenges
import HTTPTypes
import Identities
import Keychains
import Secrets
import TestServer
import Testing

@testable import WebApp

@Suite("Editing credentials in the web application") struct CredentialEditTests {
    @Test("The label, hosts and setting of a certificate can be changed", .lab([])) func certificate() async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            let id = try await keychain.add(try .certificate(lab.authority, trust: .anchor)).id.number
            try await scene.unlock()
            let form = try await scene.get("/credentials/item/\(id)/edit").text
            #expect(form.contains("value=\"anchor\" checked"))
            let wrong = try await scene.submit(
                "/credentials/item/\(id)/edit",
                ["label": "Typed", "hosts": "a.example https://b.example", "trust": "distrusted"])
            #expect(wrong.status == 400 && wrong.text.contains("https://b.example") && wrong.text.contains("Typed"))
            #expect(wrong.text.contains("value=\"distrusted\" checked"))
            let saved = try await scene.submit(
                "/credentials/item/\(id)/edit",
                ["label": " Office ", "comment": "<i>ours", "hosts": "A.example.\n10.0.0.1, [0::1]", "trust": "pin"])
            #expect(saved.text.contains("Office") && saved.text.contains("&lt;i&gt;ours"))
            let item = try #require(try await keychain.items().first)
            #expect(item.id.number == id && item.label == "Office" && item.comment == "<i>ours")
            guard case .certificate(_, .pin, let hosts) = item.kind else {
                Issue.record("\(item.kind)")
                return
            }
            #expect(hosts == ["a.example", "10.0.0.1", "::1"])
        }
    }

    @Test("The user and password can be changed, and an empty password field keeps the password") func password()
        async throws
    {
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            let space = ProtectionSpace.entireOrigin(host: try HostName("intranet.example"), port: 443, scheme: "https")
            let id = try await keychain.add(.internetPassword(Secret("kept"), user: "mary", space: space)).id.number
            try await scene.unlock()
            let path = "/credentials/item/\(id)/edit"
            #expect(try await scene.get(path).text.contains("value=\"mary\""))
            #expect(!(try await scene.get(path).text.contains("kept")))
            try await scene.submit(path, ["label": "Intranet", "user": "anna", "password": ""])
            #expect(
                try await keychain.read(for: space)
                    == .password(user: "anna", password: Secret("kept"), persistence: .permanent))
            try await scene.submit(path, ["user": "anna", "password": "new"])
            #expect(
                try await keychain.read(for: space)
                    == .password(user: "anna", password: Secret("new"), persistence: .permanent))
        }
    }

    @Test("A login cannot be changed to the same as another, and the form keeps its input") func sameLogin()
        async throws
    {
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            let space = ProtectionSpace.entireOrigin(host: try HostName("intranet.example"), port: 443, scheme: "https")
            let items = try await keychain.add(
                ["mary", "joe"].map { .internetPassword(Secret("kept"), user: $0, space: space) })
            try await scene.unlock()
            let page = try await scene.submit(
                "/credentials/item/\(items[1].id)/edit", ["label": "Typed", "user": "mary", "password": ""])
            #expect(page.status == 400 && page.text.contains("is the same item already") && page.text.contains("Typed"))
            #expect(try await keychain.items() == items)
        }
    }

    @Test("A rejected password stays so until it is changed") func rejected() async throws {
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            let space = ProtectionSpace.entireOrigin(host: try HostName("intranet.example"), port: 443, scheme: "https")
            let id = try await keychain.add(.internetPassword(Secret("old"), user: "mary", space: space)).id.number
            try await keychain.remove(for: space)
            try await scene.unlock()
            let path = "/credentials/item/\(id)/edit"
            try await scene.submit(path, ["label": "Intranet", "user": "mary"])
            #expect(try await keychain.read(for: space) == nil)
            try await scene.submit(path, ["label": "Intranet", "user": "", "password": "new"])
            #expect(try await keychain.read(for: space) != nil)
            #expect(try await scene.get("/credentials").text.contains("(no user)"))
        }
    }

    @Test("Concurrent changes of passphrase and PIN are both stored") func unlockingAtOnce() async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let (old, new) = (CredentialsScene.passphrase, "four words of mine")
            async let pin = scene.submit("/credentials/unlocking/pin", ["passphrase": old, "pin": "418207"])
            async let passphrase = scene.submit(
                "/credentials/unlocking/passphrase", ["passphrase": old, "new": new, "again": new])
            let pages = try await [pin.text, passphrase.text]
            #expect(pages[1].contains("The passphrase was changed."))
            let keychain = try await Keychain.open(at: scene.path, places: scene.places)
            _ = try await keychain.unlock(with: .passphrase(Secret(new)))
            // The PIN is set if its form arrived before the passphrase was changed.
            let hasPIN = try await keychain.slots.contains { $0.kind == .pin }
            #expect(hasPIN == pages[0].contains("The PIN was set."))
        }
    }

    @Test("A new PIN has the same limit of failures as the previous one") func eraseLimit() async throws {
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            try await keychain.addSlot(.pin(Secret("418207")), policy: PINPolicy(eraseAfter: 4))
            try await scene.unlock()
            let fields = ["passphrase": CredentialsScene.passphrase, "pin": "730264"]
            #expect(try await scene.submit("/credentials/unlocking/pin", fields).text.contains("was set"))
            let pins = try await keychain.keychain.slots.filter { $0.kind == .pin }
            #expect(pins.map(\.eraseAfter) == [4])
        }
    }

    @Test("An edited identity keeps its key, and a note is not a credential", .lab([]))
    func identityAndNote() async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            let items = try await keychain.add([
                .identity(lab.clientIdentity), .note(Secret("text"), label: "Note"),
            ])
            try await scene.unlock()
            try await scene.submit(
                "/credentials/item/\(items[0].id.number)/edit", ["label": "Client", "hosts": "intranet.example"])
            let item = try await keychain.item(items[0].id)
            guard case .identity(let identity) = try await keychain.secret(of: item),
                case .identity(_, let hosts) = item.kind
            else {
                Issue.record("\(item)")
                return
            }
            #expect(identity.certificate == lab.clientIdentity.certificate && hosts == ["intranet.example"])
            let note = try await scene.submit("/credentials/item/\(items[1].id.number)/edit", ["label": "Other"])
            #expect(note.text.contains("There is no such credential."))
            #expect(try await keychain.item(items[1].id).label == "Note")
        }
    }

    @Test("The passphrase and the PIN can be changed with the current passphrase") func unlocking() async throws {
        try await CredentialsScene.run { scene in
            try await scene.unlock()
            let (place, old) = ("/credentials/unlocking", CredentialsScene.passphrase)
            let wrong = try await scene.submit(place + "/pin", ["passphrase": "wrong", "pin": "418207"])
            #expect(
                wrong.status == 400
                    && wrong.text.contains("The passphrase, PIN, code or key does not open the keychain."))
            let short = try await scene.submit(place + "/pin", ["passphrase": old, "pin": "1"])
            #expect(short.status == 400)
            #expect(
                try await scene.submit(place + "/pin", ["passphrase": old, "pin": "418207"]).text.contains("was set"))
            let changed = try await scene.submit(place + "/pin", ["passphrase": old, "pin": "730264"])
            #expect(changed.text.contains("Remove the PIN"))
            try await scene.submit("/keychain/lock")
            #expect(try await scene.submit("/keychain/unlock", ["pin": "418207"]).status == 403)
            #expect(try await scene.submit("/keychain/unlock", ["pin": "730264"]).text.contains("Passphrase and PIN"))
            let removed = try await scene.submit(place + "/no-pin", ["passphrase": old])
            #expect(removed.text.contains("The PIN was removed."))
            let different = ["passphrase": old, "new": "four words of mine", "again": "other"]
            #expect(try await scene.submit(place + "/passphrase", different).text.contains("are not the same"))
            let weak = ["passphrase": old, "new": "12345678", "again": "12345678"]
            #expect(try await scene.submit(place + "/passphrase", weak).text.contains("name=\"weak\""))
            let new = ["passphrase": old, "new": "four words of mine", "again": "four words of mine"]
            #expect(try await scene.submit(place + "/passphrase", new).text.contains("The passphrase was changed."))
            try await scene.submit("/keychain/lock")
            #expect(try await scene.submit("/keychain/unlock", ["passphrase": old]).status == 403)
            let opened = try await scene.submit("/keychain/unlock", ["passphrase": "four words of mine"])
            #expect(opened.text.contains("Passphrase and PIN"))
            #expect(try await Keychain.open(at: scene.path, places: scene.places).slots.map(\.kind) == [.passphrase])
        }
    }

    @Test("Passwords can be stored permanently in the unlocked keychain", .lab([.basic]))
    func permanent() async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run { scene in
            let settings = ["credentials": "permanent", "trust": "disabled", "history": "session"]
            let refused = try await scene.submit("/settings", settings)
            #expect(refused.status == 400 && refused.text.contains("credentials.keychain-needed"))
            try await scene.unlock()
            #expect(try await scene.submit("/settings", settings).status == 200)
            try await scene.submit("/fetch", ["url": lab.url(.basic)])
            let question = try await scene.wait(for: "<dialog", at: "/fetch/1")
            let number = try #require(question.field("question"))
            let user = Lab.credentials
            try await scene.submit(
                "/fetch/1/answer",
                ["question": number, "choice": "login", "user": user.user, "password": user.password])
            try await scene.wait(for: "Done", at: "/fetch/1")
            let stored = try await scene.keychain().items(KeychainQuery(.internetPassword))
            #expect(stored.count == 1)
        }
    }

    @Test(
        "An identity of the keychain is offered for a server's request, and presented",
        .lab([.clientCertificateRequired]))
    func storedIdentity() async throws {
        let lab = try #require(Lab.current)
        try await CredentialsScene.run { scene in
            let keychain = try await scene.keychain()
            let id = try await keychain.add(try .identity(lab.clientIdentity, label: "My key")).id.number
            try await keychain.add(try .identity(lab.clientIdentity, hosts: ["other.example"], label: "Not here"))
            try await scene.submit("/settings", ["trust": "disabled"])
            try await scene.submit("/fetch", ["url": lab.url(.clientCertificateRequired)])
            let locked = try await scene.wait(for: "<dialog", at: "/fetch/1")
            #expect(locked.text.contains("The keychain is locked.") && !locked.text.contains("My key"))
            try await scene.unlock()
            let number = try #require(locked.field("question"))
            try await scene.submit("/fetch/1/answer", ["question": number, "choice": "again"])
            let offered = try await scene.wait(for: "My key", at: "/fetch/1")
            #expect(offered.text.contains("value=\"\(id)\" aria-describedby=\"kept-\(id)-help\" checked"))
            #expect(!offered.text.contains("Not here"))
            let answer = ["question": try #require(offered.field("question")), "choice": "identity", "kept": "\(id)"]
            try await scene.submit("/fetch/1/answer", answer)
            try await scene.wait(for: "Done", at: "/fetch/1")
            // The settings offer the identity too, without a question.
            #expect(try await scene.get("/settings").text.contains("My key"))
            #expect(try await scene.submit("/settings/identity", ["kept": "999"]).text.contains("no such credential"))
            let chosen = try await scene.submit("/settings/identity", ["kept": "\(id)"])
            #expect(chosen.text.contains("/settings/identity/remove"))
            try await scene.submit("/fetch", ["url": lab.url(.clientCertificateRequired)])
            try await scene.wait(for: "Done", at: "/fetch/2")
        }
    }

    @Test("A server's error body is shown as text") func errorBody() async throws {
        let server = try await ScriptedServer.start { _ in
            .init(.notFound, [.contentType: "text/html"], body: "<b>No such report")
        }
        try await CredentialsScene.run(keychain: false) { scene in
            try await scene.submit("/fetch", ["url": "http://localhost:\(server.port)/"])
            let page = try await scene.wait(for: "Failed", at: "/fetch/1").text
            #expect(page.contains("&lt;b&gt;No such report") && page.contains("response.download-refused"))
        }
        await server.stop()
    }
}
