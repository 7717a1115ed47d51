// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import WebApp
import Testing

/// Tests that requests of other sites, other programs and previous browsers are refused.
@Suite("Attacks on the web application") struct AttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: WebRequest
        let status: Int
        /// The error code that the page contains; `nil` for none.
        let code: String?

        init(_ name: String, _ status: Int, _ code: String? = nil, _ request: WebRequest) {
            (testDescription, self.status, self.code, self.request) = (name, status, code, request)
        }
    }

    private static let elsewhere = WebRequest.Value.other("http://evil.example")
    private static let form = WebRequest.form("/fetch", ["url": "http://localhost:1/"])

    static let attacks = [
        Attack(
            "a form of another site", 403, "web.cross-site",
            form.with {
                $0.origin = elsewhere
                $0.site = .other("cross-site")
            }),
        Attack(
            "a form of another site in a browser without Fetch Metadata", 403, "web.cross-site",
            form.with {
                $0.origin = elsewhere
                $0.site = .missing
            }),
        Attack(
            "a form of another port of this computer", 403, "web.cross-site",
            form.with {
                $0.origin = .other("http://127.0.0.1:1")
                $0.site = .other("same-site")
            }),
        Attack(
            "a form of a sandboxed frame", 403, "web.cross-site",
            form.with {
                $0.origin = .other("null")
                $0.site = .other("cross-site")
            }),
        Attack("a form without an origin", 403, "web.cross-site", form.with { $0.origin = .missing }),
        Attack("a form as text/plain", 403, "web.cross-site", form.with { $0.type = "text/plain" }),
        Attack(
            "a fetch of another site", 403, "web.cross-site",
            WebRequest.get("/fetch").with {
                $0.origin = elsewhere
                $0.site = .other("cross-site")
            }),
        Attack(
            "a picture in another site", 403, "web.cross-site",
            WebRequest.get("/fetch/1/content").with {
                $0.site = .other("cross-site")
            }),
        Attack(
            "an EventSource of another site", 403, "web.cross-site",
            WebRequest.get("/fetch/1/events").with {
                $0.origin = elsewhere
                $0.site = .other("cross-site")
            }),
        Attack(
            "a WebSocket of another site", 403, "web.cross-site",
            WebRequest.get("/fetch").with {
                $0.origin = elsewhere
                $0.site = .other("cross-site")
                $0.rest = """
                    Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r
                    Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n
                    """
            }),
        Attack(
            "a name that leads here (DNS rebinding)", 421, "web.wrong-host",
            WebRequest.get("/fetch").with {
                $0.host = .other("evil.example:PORT")
            }),
        Attack(
            "a form of a name that leads here", 421, "web.wrong-host",
            form.with {
                $0.host = .other("evil.example")
                $0.origin = elsewhere
            }),
        Attack(
            "localhost, whose IPv6 may be another's", 421, "web.wrong-host",
            WebRequest.get("/fetch").with {
                $0.host = .other("localhost:PORT")
            }),
        Attack("no Host", 421, "web.wrong-host", WebRequest.get("/fetch").with { $0.host = .missing }),
        Attack("no cookie", 403, "web.not-signed-in", WebRequest.get("/fetch").with { $0.cookie = .missing }),
        Attack(
            "a guessed cookie", 403, "web.not-signed-in",
            WebRequest.get("/settings").with {
                $0.cookie = .other("countersign-PORT=AAAA")
            }),
        Attack("a form without its token", 403, "web.stale-form", form.with { $0.formToken = .missing }),
        Attack("a form with a guessed token", 403, "web.stale-form", form.with { $0.formToken = .other("AAAA") }),
        Attack("a guessed token at the entrance", 403, "web.token-used", .form("/open", ["token": "AAAA"])),
        Attack("a path out of the files", 404, "web.not-found", .get("/../../etc/passwd")),
        Attack("an encoded path out of the files", 404, "web.not-found", .get("/%2e%2e/%2e%2e/etc/passwd")),
        Attack("a path out of a fetch", 410, "web.fetch-gone", .get("/fetch/..%2f..%2fetc%2fpasswd")),
        Attack("another method", 404, "web.not-found", form.with { $0.method = "DELETE" }),
        Attack(
            "an upload of 1 GiB", 413, "web.too-large",
            form.with {
                $0.rest = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1073741824\r\n\r\nurl="
            }),
        Attack(
            "an upload without a length", 413, "web.too-large",
            form.with {
                let part = String(repeating: "x", count: 1 << 20)
                $0.rest = """
                    Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n\(part)\r
                    100000\r\n\(part)\r\n
                    """
            }),
    ]

    @Test("The composer is served to each browser on this host, with a separate policy") func composer() async throws {
        try await WebScene.run { scene in
            let outside = WebScene(server: scene.server, home: scene.home, cookie: "", formToken: "", token: "")
            #expect(try await outside.send(.get("/composer"))["location"] == "/composer/")
            let page = try await outside.send(.get("/composer/"))
            #expect(page.status == 200 && page.text.contains("<title>Password Composer</title>"))
            #expect(page["content-security-policy"]?.contains("script-src 'self' 'wasm-unsafe-eval';") == true)
            for (name, type) in [
                ("index.html", "text/html; charset=utf-8"), ("composer.wasm", "application/wasm"),
                ("service-worker.js", "text/javascript; charset=utf-8"),
                ("manifest.webmanifest", "application/manifest+json"), ("icon-192.png", "image/png"),
            ] {
                let file = try await outside.send(.get("/composer/" + name))
                #expect(file.status == 200 && file["content-type"] == type)
            }
            try await outside.expect(403, for: .get("/composerX"))
            try await outside.expect(403, for: .get("/fetch"))
        }
    }

    @Test("Each request that does not come from the application's page is refused") func refused() async throws {
        try await WebScene.run { scene in
            for attack in Self.attacks {
                let start = ContinuousClock.now
                let response = try await scene.send(attack.request)
                #expect(response.status == attack.status, "\(attack.testDescription)")
                if let code = attack.code { #expect(response.text.contains(code), "\(attack.testDescription)") }
                #expect(ContinuousClock.now - start < .seconds(60), "\(attack.testDescription)")
                print("web attack: \(attack.testDescription): \(response.status) \(attack.code ?? "")")
            }
            // None of the requests started a fetch.
            try await scene.expect(410, for: .get("/fetch/1"))
        }
    }

    @Test("The token of the redirecting file is accepted once, and the file is removed") func usedToken() async throws {
        try await WebScene.run { scene in
            #expect(!scene.cookie.isEmpty)
            try await scene.expect(403, for: .form("/open", ["token": scene.token]))
            try await scene.expect(200, for: .get("/fetch"))
        }
    }

    @Test("A new browser ends the session of the earlier one") func oneBrowser() throws {
        let access = BrowserAccess()
        let first = try #require(access.exchange(access.issueToken()))
        #expect(access.session(for: first.cookie) != nil)
        let token = access.issueToken()
        let second = try #require(access.exchange(token))
        #expect(access.exchange(token) == nil)
        #expect(access.session(for: first.cookie) == nil)
        #expect(access.session(for: second.cookie)?.formToken == second.formToken)
        #expect(first.cookie.utf8.count == 43)
    }

    @Test(
        "Every response has header fields that isolate it from other sites",
        arguments: ["/fetch", "/settings", "/style.css", "/nowhere", "/open"])
    func fields(path: String) async throws {
        try await WebScene.run { scene in
            let response = try await scene.send(.get(path))
            #expect(response["content-security-policy"]?.contains("default-src 'none'; script-src 'self'") == true)
            #expect(response["x-content-type-options"] == "nosniff")
            #expect(response["referrer-policy"] == "no-referrer")
            #expect(response["cross-origin-resource-policy"] == "same-origin")
            #expect(response["cross-origin-opener-policy"] == "same-origin")
            #expect(response["cache-control"] == "no-store")
            #expect(response["permissions-policy"] != nil)
            #expect(response["server"] == nil)
        }
    }

    @Test("200 idle connections do not stop the server") func idleConnections() async throws {
        try await WebScene.run { scene in
            let (opened, note) = AsyncStream.makeStream(of: Void.self)
            let holding = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<200 {
                        group.addTask {
                            try await RawConnection.open(to: scene.port).hold {
                                note.yield()
                                try await Task.sleep(for: .seconds(60))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            var count = 0
            for await _ in opened {
                count += 1
                if count == 200 { break }
            }
            try await scene.expect(200, for: .get("/fetch"))
            holding.cancel()
            _ = await holding.result
        }
    }
}
