// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Metrics
import Testing

@Suite struct MetricsTests {
    @Test("Requests, connections, challenges and redirects are counted") func counts() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.head.path {
            case "/moved": .init(.found, [.location: "/"])
            case "/missing": .init(.notFound)
            case "/secret" where request.head.headerFields[.authorization] == nil:
                .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            default: .init(.ok, body: "page")
            }
        }
        let record = MetricsRecord()
        var configuration = HTTPSession.Configuration(
            handlers: [.basic: .closure { _ in .use(.password(user: "u", password: Secret("p"))) }])
        configuration.metrics = record
        try await withSession(configuration, stopping: [server]) { session async throws in
            for path in ["/", "/", "/moved", "/missing", "/secret"] {
                _ = try await session.text("http://localhost:\(server.port)\(path)")
            }
            let rare = SessionRequest(url: "http://localhost:\(server.port)/", method: .trace)
            _ = try await session.send(rare).body.collect(upTo: 100)
            #expect(record.sums["countersign_connections_open"] == 1)
            await #expect(throws: SessionError.self) { try await session.get("http://localhost:0/") }
        }
        #expect(await eventually { record.sums["countersign_connections_open"] == 0 })
        var sums = record.sums
        sums["countersign_connections_open"] = nil
        #expect(
            sums == [
                "countersign_requests method=GET outcome=2xx": 4,
                "countersign_requests method=GET outcome=4xx": 1,
                "countersign_requests method=GET outcome=error": 1,
                "countersign_requests method=other outcome=2xx": 1,
                "countersign_request_duration method=GET": 6,
                "countersign_request_duration method=other": 1,
                "countersign_errors code=request.invalid-url": 1,
                "countersign_connections_opened": 1,
                "countersign_connections_reused": 7,
                "countersign_challenges_answered method=basic": 1,
                "countersign_redirects": 1,
            ])
        #expect(Set(record.made).count == record.made.count)
    }
}
