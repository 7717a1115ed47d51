// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import Countersign
import HTTPTypes
import Testing

@testable import CountersignCommand

@Suite struct EventLogTests {
    @Test("Connections and challenges are those of one request, although the log has several") func requests()
        async throws
    {
        let server = try await ScriptedServer.start { request in
            request.head.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""]) : .init(.ok)
        }
        let log = EventLog()
        var configuration = HTTPSession.Configuration(
            handlers: [.basic: .closure { _ in .use(.password(user: "u", password: Secret("p"))) }])
        configuration.observer = log.note
        let session = HTTPSession(configuration)
        var requests = Array(repeating: SessionRequest(url: "http://localhost:\(server.port)/"), count: 2)
        for index in requests.indices {
            requests[index].identifier = RequestIdentifier()
            _ = try await session.send(requests[index]).body.collect(upTo: 10)
        }
        #expect(requests.map { log.connectionCount(of: $0.identifier) } == [1, 0])
        #expect(requests.map { log.challenges(of: $0.identifier).count } == [1, 0])
        #expect(log.challenges().count == 1)
        await session.close()
        await server.stop()
    }
}
