// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

@Suite struct SCRAMSessionTests {
    private static func withServer(
        password: String, adding information: SCRAMGate.Information = .proof,
        _ body: (ScriptedServer, HTTPSession, String) async throws -> Void
    ) async throws {
        let scram = try SCRAMGate(realm: "r", accepted: Lab.credentials, information: information)
        let server = try await ScriptedServer.start { request in
            let answer = request.head.headerFields[.authorization]
            if let challenge = scram.challenge(to: answer, method: "GET", target: "/", body: LabBody()) {
                return .init(.unauthorized, [.wwwAuthenticate: challenge + ", Basic realm=\"r\""])
            }
            let information = scram.information(about: answer ?? "", responseBody: [])
            return .init(.ok, information.map { [.authenticationInfo: $0] } ?? [:])
        }
        let credential = Credential.password(user: Lab.credentials.user, password: Secret(password))
        let configuration = HTTPSession.Configuration(handlers: [
            .scramSHA256: .closure { _ in .use(credential) }, .basic: .closure { _ in .cancel },
        ])
        try await withSession(configuration, stopping: [server]) { session async throws in
            try await body(server, session, "http://localhost:\(server.port)/")
        }
    }

    @Test("An exchange costs two requests, and the first one needs a challenge in addition") func requestCount()
        async throws
    {
        try await Self.withServer(password: Lab.credentials.password) { server, session, url async throws in
            for count in [3, 5, 7] {
                #expect(try await session.get(url).status == .ok)
                #expect(server.requestCount == count)
            }
        }
    }

    @Test("Each of several parallel requests runs a separate exchange") func parallelRequests() async throws {
        try await Self.withServer(password: Lab.credentials.password) { _, session, url async throws in
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<10 { group.addTask { try await session.get(url).status } }
                for try await status in group { #expect(status == .ok) }
            }
        }
    }

    @Test("A wrong password is sent once, and no weaker method is tried") func wrongPassword() async throws {
        try await Self.withServer(password: "wrong") { server, session, url async throws in
            #expect(try await session.get(url).status == .unauthorized)
            #expect(server.requestCount == 3)
        }
    }

    @Test(
        "A response whose server proof is missing or wrong is not delivered",
        arguments: [SCRAMGate.Information.nothing, .wrongProof])
    func wrongServerProof(information: SCRAMGate.Information) async throws {
        try await Self.withServer(password: Lab.credentials.password, adding: information) {
            server, session, url async throws in
            do {
                _ = try await session.get(url)
                Issue.record("delivered")
            } catch SessionError.authentication(.serverNotProven(let space, .wrongServerProof)) {
                #expect(space.method == .scramSHA256)
            }
        }
    }
}
