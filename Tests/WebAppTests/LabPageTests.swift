// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@testable import WebApp
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

    @Test("A form of another site is refused", arguments: ["start", "stop", "trust"])
    func crossSite(path: String) async throws {
        try await CredentialsScene.run(keychain: false) { scene in
            let refused = try await scene.post("/lab/" + path, site: "cross-site")
            #expect(refused.status == 403)
            #expect(try await scene.get("/lab").text.contains("Start the servers"))
        }
    }
}
