// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import WebApp
import ChallengeLab
import ChallengeLabTesting
import EssentialFoundation
import HTTPTypes
import Identities
import TestServer
import Testing

/// Tests of a fetch, from the URL to the displayed result.
@Suite("Fetching in the web application") struct FetchTests {
    private static let unvalidated =
        "{\"credentials\": \"session\", \"history\": \"session\", \"trust\": \"disabled\", \"showsEvents\": false}"

    @Test("A password is requested with the same text as on the terminal, and the picture is shown", .lab([.basic]))
    func basic() async throws {
        let lab = try #require(Lab.current)
        try await WebScene.run(settings: Self.unvalidated) { scene in
            try await scene.submit("/fetch", ["url": "https://localhost:\(lab[.basic].port)/image.png"])
            let question = try await scene.page(of: 1, with: "<dialog")
            #expect(
                question.contains(
                    "asks for a user and a password for &quot;Countersign lab&quot; (basic; the connection is encrypted)."
                ))
            try await scene.answer(1, ["choice": "login", "user": "lab", "password": "wrong"])
            _ = try await scene.page(of: 1, with: "It rejected the last answer.")
            try await scene.answer(1, ["choice": "login", "user": "lab", "password": "countersign"])
            let page = try await scene.page(of: 1, with: "/fetch/1/content")
            #expect(page.contains("200 OK"))
            #expect(page.contains("password of lab"))
            #expect(!page.contains("countersign\""))
            let picture = try await scene.send(.get("/fetch/1/content"))
            #expect(picture.status == 200)
            #expect(picture["content-type"] == "image/png")
            #expect(picture["content-security-policy"]?.hasPrefix("sandbox; default-src 'none'") == true)
        }
    }

    @Test("The user is asked about an untrusted server each time", .lab([.selfSigned])) func trust() async throws {
        let lab = try #require(Lab.current)
        try await WebScene.run { scene in
            try await scene.submit("/fetch", ["url": lab.url(.selfSigned)])
            let question = try await scene.page(of: 1, with: "<dialog")
            #expect(question.contains("its certificate is signed with its own key"))
            #expect(question.contains("Fingerprint: "))
            #expect(question.contains("If another server answers in its place, it can read and change everything."))
            try await scene.answer(1, ["choice": "decline"])
            _ = try await scene.page(of: 1, with: "trust.self-signed")
            try await scene.submit("/fetch/1/resume")
            try await scene.answer(1, ["choice": "accept"])
            let page = try await scene.page(of: 1, with: "200 OK")
            let place = try #require(page.value(after: "<a class=\"verdict\" href=\""))
            let verdict = try await scene.send(.get(place))
            #expect(verdict["content-type"] == "image/svg+xml")
            #expect(verdict.text.contains("not trusted"))
            // Trusting once applies to this fetch only.
            try await scene.submit("/fetch", ["url": lab.url(.selfSigned)])
            _ = try await scene.page(of: 2, with: "<dialog")
            try await scene.submit("/fetch/2/stop")
            _ = try await scene.page(of: 2, with: "Stopped")
        }
    }

    @Test("A stopped fetch continues at its position") func resume() async throws {
        try await TestServer.with([
            [
                .receiveHead,
                .send("HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: 10", "ETag: \"a\"", ""),
                .send(Array("01234".utf8)), .stall,
            ],
            [
                .receiveHead,
                .send(
                    "HTTP/1.1 206 Partial Content", "Content-Type: text/plain", "Content-Range: bytes 5-9/10",
                    "Content-Length: 5", "ETag: \"a\"", "Connection: close", ""), .send(Array("56789".utf8)),
            ],
        ]) { server in
            let url = server.url("/file.txt")
            try await WebScene.run { scene in
                try await scene.submit("/fetch", ["url": url])
                _ = try await scene.page(of: 1, with: "5 B of 10 B")
                try await scene.submit("/fetch/1/stop")
                #expect(try await scene.page(of: 1, with: "Stopped").contains("Resume"))
                try await scene.submit("/fetch/1/resume")
                let page = try await scene.page(of: 1, with: "0123456789")
                #expect(page.contains("5 B came before"))
            }
            let request = String(decoding: server.received[1], as: UTF8.self)
            #expect(request.contains("Range: bytes=5-"))
            #expect(request.contains("If-Range: \"a\""))
        }
    }

    @Test("Events report the progress until the fetch ends") func events() async throws {
        let server = try await ScriptedServer.start { _ in
            .init(.ok, [.contentType: "application/json"], body: "{\"a\": [1, null]}")
        }
        try await WebScene.run { scene in
            try await scene.submit("/fetch", ["url": "http://localhost:\(server.port)/"])
            let events = try await scene.send(.get("/fetch/1/events"))
            #expect(events["content-type"] == "text/event-stream")
            #expect(events.text.contains("\"isRunning\":false"))
            let page = try await scene.page(of: 1, with: "class=\"tree\"")
            #expect(page.contains("<span class=\"key\">a</span>"))
        }
        await server.stop()
    }

    @Test("A token is requested and sent", .lab([.bearer])) func token() async throws {
        let lab = try #require(Lab.current)
        try await WebScene.run(settings: Self.unvalidated) { scene in
            try await scene.submit("/fetch", ["url": lab.url(.bearer)])
            try await scene.answer(1, ["choice": "token", "token": Lab.token])
            let page = try await scene.page(of: 1, with: "200 OK")
            #expect(!page.contains(Lab.token))
        }
    }

    @Test(
        "An early identity is presented without a question, another one after a question",
        .lab([.clientCertificateRequired]))
    func identity() async throws {
        let lab = try #require(Lab.current)
        let identity = try lab.clientIdentity.pemEncodedChain + lab.clientIdentity.pemEncodedPrivateKey
        let file = Data(identity).base64EncodedString()
        try await WebScene.run(settings: Self.unvalidated) { scene in
            try await scene.submit("/fetch", ["url": lab.url(.clientCertificateRequired)])
            try await scene.answer(1, ["choice": "identity", "identity": "AAAA"])
            _ = try await scene.page(of: 1, with: "class=\"problem\"")
            try await scene.answer(1, ["choice": "identity", "identity": file])
            _ = try await scene.page(of: 1, with: "200 OK")
            try await scene.submit("/settings/identity", ["identity": file])
            try await scene.submit("/fetch", ["url": lab.url(.clientCertificateRequired)])
            _ = try await scene.page(of: 2, with: "200 OK")
        }
    }

    @Test("Deeply nested JSON is truncated") func deepJSON() async throws {
        let text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let server = try await ScriptedServer.start { _ in .init(.ok, [.contentType: "application/json"], body: text) }
        try await WebScene.run { scene in
            try await scene.submit("/fetch", ["url": "http://localhost:\(server.port)/"])
            _ = try await scene.page(of: 1, with: "…")
        }
        await server.stop()
    }

    @Test("Ending the program ends a fetch that waits for an answer", .lab([.selfSigned])) func end() async throws {
        let lab = try #require(Lab.current)
        let start = ContinuousClock.now
        try await WebScene.run { scene in
            try await scene.submit("/fetch", ["url": lab.url(.selfSigned)])
            _ = try await scene.page(of: 1, with: "<dialog")
            Task { try await scene.send(.get("/fetch/1/events")) }
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test(
        "Fetched content is shown as data",
        arguments: ["text/html", "image/svg+xml", "application/pdf", "text/javascript"])
    func dataOnly(type: String) async throws {
        let script = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(document.domain)</script></svg>"
        let server = try await ScriptedServer.start { _ in .init(.ok, [.contentType: type], body: script) }
        try await WebScene.run { scene in
            try await scene.submit("/fetch", ["url": "http://localhost:\(server.port)/..%2f\"x.html"])
            let page = try await scene.page(of: 1, with: "/fetch/1/download")
            #expect(!page.contains("<script>alert"))
            let content = try await scene.send(.get("/fetch/1/content"))
            #expect(content.status == (type == "image/svg+xml" ? 200 : 404))
            #expect(content["x-content-type-options"] == "nosniff")
            if content.status == 200 { #expect(content["content-security-policy"]?.hasPrefix("sandbox;") == true) }
            let download = try await scene.send(.get("/fetch/1/download"))
            #expect(download["content-type"] == "application/octet-stream")
            #expect(download["content-disposition"]?.hasPrefix("attachment; filename=\"") == true)
            #expect(download["content-security-policy"]?.hasPrefix("sandbox;") == true)
        }
        await server.stop()
    }

    @Test("A quotation mark with an accent does not end an attribute") func escaping() async throws {
        try await WebScene.run { scene in
            let (quote, mark) = ("\"\u{301} autofocus", "<\u{301}b>")
            let page = try await scene.submit("/fetch", ["url": "http://localhost:1/" + quote + mark])
            let scalars = Array(page.text.unicodeScalars)
            for index in scalars.indices.dropFirst() where scalars[index] == "\u{301}" {
                #expect(scalars[index - 1] == ";")
            }
        }
    }

    @Test("A URL that cannot be read is explained") func unreadableURL() async throws {
        try await WebScene.run { scene in
            let page = try await scene.submit("/fetch", ["url": "https://a b/"])
            #expect(page.status == 400)
            #expect(page.text.contains("Code: <code>request."))
        }
    }
}
