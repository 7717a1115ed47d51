// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import CommandSupport
@testable import CountersignCommand

@Suite struct TokenTests {
    @Test(
        "A bearer token is sent to the URL's origin only, unless an option permits redirects",
        arguments: [
            (token: "good", flags: [] as [String], status: CommandStatus.notAuthenticated, seen: [nil] as [String?]),
            (token: "good", flags: ["--send-credentials-across-redirects"], status: .done, seen: ["Bearer good"]),
            (token: "bad", flags: [], status: .notAuthenticated, seen: []),
        ])
    func bearerToken(
        token: String, flags: [String], status: CommandStatus, seen: [String?]
    ) async throws {
        let home = try Folder()
        let arrived = NIOLockedValueBox<[String?]>([])
        let demand: HTTPFields = [.wwwAuthenticate: "Bearer realm=r"]
        let second = try await ScriptedServer.start { request in
            let field = request.head.headerFields[.authorization]
            arrived.withLockedValue { $0.append(field) }
            return field == nil ? .init(.unauthorized, demand) : .init(.ok)
        }
        let place = "http://localhost:\(second.port)/"
        let first = try await ScriptedServer.start { request in
            request.head.headerFields[.authorization] == "Bearer good"
                ? .init(.found, [.location: place]) : .init(.unauthorized, demand)
        }
        let file = try home.write(token + "\n", to: "token")
        let run = try await CommandRun(
            ["get", "http://localhost:\(first.port)/", "--bearer-file", file] + flags, home: home)
        #expect(run.status == status, "\(run.errors)")
        #expect(arrived.withLockedValue { $0 } == seen)
        #expect(!run.errors.contains(token))
        await first.stop()
        await second.stop()
    }
}
