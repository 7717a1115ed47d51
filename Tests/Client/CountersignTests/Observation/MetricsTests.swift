// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import Metrics
import Testing

@testable import Countersign

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
            let method = try #require(HTTPRequest.Method("PROPFIND"))
            let rare = SessionRequest(url: "http://localhost:\(server.port)/", method: method)
            _ = try await session.send(rare).body.collect(upTo: 100)
            #expect(record.sums["countersign.connections.open"] == 1)
            await #expect(throws: SessionError.self) { try await session.get("http://localhost:0/") }
        }
        let address = "server.address=localhost server.port=\(server.port)"
        let served = "network.protocol.version=1.1 \(address)"
        let failed = "network.protocol.version=1.1 error.type=404 \(address)"
        #expect(await eventually { record.sums["countersign.connections.open"] == 0 })
        var sums = record.sums
        sums["countersign.connections.open"] = nil
        #expect(
            sums == [
                "countersign.requests method=GET outcome=2xx": 4,
                "countersign.requests method=GET outcome=4xx": 1,
                "countersign.requests method=GET outcome=error": 1,
                "countersign.requests method=_OTHER outcome=2xx": 1,
                "countersign.errors code=request.invalid-url": 1,
                "countersign.connections.opened": 1,
                "countersign.connections.reused": 7,
                "countersign.challenges.answered method=basic": 1,
                "countersign.redirects": 1,
                "http.client.request.duration http.request.method=GET http.response.status_code=200 \(served)": 4,
                "http.client.request.duration http.request.method=GET http.response.status_code=302 \(served)": 1,
                "http.client.request.duration http.request.method=GET http.response.status_code=404 \(failed)": 1,
                "http.client.request.duration http.request.method=_OTHER http.response.status_code=200 \(served)": 1,
            ])
        #expect(Set(record.made).count == record.made.count)
    }

    @Test("A failed attempt has the code of its error, and each attempt is measured") func failures() async throws {
        let record = MetricsRecord()
        var configuration = HTTPSession.Configuration()
        configuration.metrics = record
        configuration.retries = .upTo(1, firstDelay: .milliseconds(1))
        try await withSession(configuration) { session async throws in
            await #expect(throws: SessionError.self) { try await session.get("http://localhost:1/") }
        }
        let series = record.sums.filter { $0.key.hasPrefix("http.client.request.duration") }
        #expect(
            series == [
                "http.client.request.duration http.request.method=GET error.type=connection.refused "
                    + "server.address=localhost server.port=1": 2
            ])
    }

    @Test("The number of servers with series of their own is limited") func servers() async throws {
        let record = MetricsRecord()
        let metrics = SessionMetrics(record)
        let attributes = AttemptAttributes(of: SessionError.cancelled(.sessionClosed), to: .get)
        for number in 0..<1_200 {
            metrics.record(attributes, at: HostEndpoint(host: try HostName("h\(number).test"), port: 80), .seconds(1))
        }
        let series = record.sums.filter { $0.key.hasPrefix("http.client.request.duration") }
        #expect(series.count == 1_001)
        #expect(series.first { $0.key.hasSuffix("server.address=_OTHER") }?.value == 200)
    }
}
