// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import WebApp
import ChallengeLab
import Testing

@Suite("The lab in the web application") struct LabPageTests {
    @Test("The servers are started, trusted for the session, and stopped") func startAndStop() async throws {
        try await CredentialsScene.run(keychain: false) { scene in
            #expect(try await scene.get("/lab").text.contains("Start the servers"))
            let page = try await scene.submit("/lab/start").text
            #expect(page.contains("self-signed") && page.contains("Trust it until the lab stops"))
            let place = try #require(
                page.firstRange(of: "/fetch?url=").map { page[$0.lowerBound...].prefix { $0 != "\"" } })
            let fetch = try await scene.get(String(place)).text
            #expect(fetch.contains("value=\"http"))
            #expect(try await scene.submit("/lab/trust", ["trust": "yes"]).text.contains("It is an anchor until"))
            let stopped = try await scene.submit("/lab/stop").text
            #expect(stopped.contains("Start the servers") && !stopped.contains("self-signed"))
            try await scene.submit("/lab/start")
            #expect(!(try await scene.get("/lab").text.contains("It is an anchor until")))
        }
    }

    /// Waits for the last row of a client's results.
    private static func table(_ scene: CredentialsScene) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            let page = try await scene.get("/lab/grade").text
            if !page.contains("data-running") { return page }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Unfinished()
    }

    private struct Unfinished: Error {}

    @Test("This client is graded, and passes all tests of the lab") func gradeThisClient() async throws {
        try await CredentialsScene.run(keychain: false) { scene in
            #expect(try await scene.get("/lab/grade").status == 303)
            let first = try await scene.submit("/lab/grade", ["client": "session"]).text
            #expect(first.contains("data-events=\"/lab/grade/events\"") && first.contains("This client"))
            let events = try await scene.get("/lab/grade/events").text
            #expect(events.contains("\"isRunning\":false"))
            let page = try await Self.table(scene)
            let count = LabServer.Kind.allCases.count + LabServer.Kind.allCases.count(where: \.isProxy)
            #expect(page.contains("\(count) of \(count) rows as expected"))
            #expect(page.contains("digest-sha-256") && !page.contains("mark bad"))
            #expect(try await scene.get("/lab/grade?rows=unexpected").text.contains("No rows."))
            let json = try await scene.get("/lab/grade/table.json")
            #expect(json.text.contains("\"isAsExpected\" : true"))
            #expect(try await scene.get("/lab/grade/table.svg").text.hasPrefix("<svg"))
        }
    }

    @Test("Another client is graded with its command line, and can be stopped") func gradeAnotherClient() async throws {
        try await CredentialsScene.run(keychain: false) { scene in
            let wrong = try await scene.submit("/lab/grade", ["client": "program", "command": "true"])
            #expect(wrong.status == 400 && wrong.text.contains("it has no {url}"))
            let command = "false <b> {url}"
            try await scene.submit("/lab/grade", ["client": "program", "command": command])
            let page = try await Self.table(scene)
            #expect(page.contains("false &lt;b&gt; {url}"))
            #expect(page.contains("mark bad") && page.contains("mark good") && page.contains("not run: no {password}"))
            let missing = ["client": "program", "command": "/no/such/program {url}"]
            try await scene.submit("/lab/grade", missing)
            #expect(try await Self.table(scene).contains("/no/such/program"))
            try await scene.submit("/lab/grade", ["client": "program", "command": "sleep 60 {url}"])
            let stopped = try await scene.submit("/lab/grade/stop").text
            #expect(!stopped.contains("data-running") && stopped.contains("Stopped after "))
            try await scene.submit("/lab/grade", ["client": "session"])
            let session = try await scene.submit("/lab/grade/stop").text
            #expect(session.contains("Stopped after ") && !session.contains("mark bad"))
        }
    }

    @Test("A form from another site is refused", arguments: ["start", "stop", "trust", "grade", "grade/stop"])
    func crossSite(path: String) async throws {
        try await CredentialsScene.run(keychain: false) { scene in
            if path != "start" { try await scene.submit("/lab/start") }
            let refused = try await scene.post("/lab/" + path, ["trust": "yes"], site: "cross-site")
            #expect(refused.status == 403)
            let page = try await scene.get("/lab").text
            #expect(page.contains("Start the servers") == (path == "start"))
            #expect(!page.contains("It is an anchor until") && !page.contains("The last table"))
        }
    }
}
