// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

@Suite struct SCRAMSessionTests {
    /// What the server says of itself once it lets a request in.
    enum Information: CaseIterable {
        case proof
        case none
        case another
    }

    private static func withServer(
        password: String, says information: Information = .proof,
        _ body: (ScriptedServer, Session, String) async throws -> Void
    ) async throws {
        let scram = SCRAMServer(realm: "r", password: "secret")
        let server = try await ScriptedServer.start { request in
            switch scram.judge(request.head.headerFields[.authorization]) {
            case .challenge(let challenge):
                return .init(.unauthorized, [.wwwAuthenticate: challenge + ", Basic realm=\"r\""])
            case .accepted(let proof):
                return switch information {
                case .proof: .init(.ok, [.authenticationInfo: proof])
                case .none: .init(.ok)
                case .another: .init(.ok, [.authenticationInfo: proof.replacing("data=", with: "data=AAAA")])
                }
            }
        }
        let credential = Credential.password(user: "u", password: Secret(password))
        let session = Session(
            .init(handlers: [
                .scramSHA256: .closure { _ in .use(credential) }, .basic: .closure { _ in .cancel },
            ]))
        do {
            try await body(server, session, "http://localhost:\(server.port)/")
        } catch {
            Issue.record(error)
        }
        await session.close()
        await server.stop()
    }

    @Test func anExchangeCostsTwoRequestsAndTheFirstChallengeOneMore() async throws {
        try await Self.withServer(password: "secret") { server, session, url async throws in
            for count in [3, 5, 7] {
                #expect(try await session.get(url).status == .ok)
                #expect(server.requestCount == count)
            }
        }
    }

    @Test func requestsAtOnceHaveExchangesOfTheirOwn() async throws {
        try await Self.withServer(password: "secret") { _, session, url async throws in
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<10 { group.addTask { try await session.get(url).status } }
                for try await status in group { #expect(status == .ok) }
            }
        }
    }

    @Test func aWrongPasswordIsSentOnceAndNoWeakerMethodTried() async throws {
        try await Self.withServer(password: "wrong") { server, session, url async throws in
            #expect(try await session.get(url).status == .unauthorized)
            #expect(server.requestCount == 3)
        }
    }

    @Test(arguments: [Information.none, .another])
    func aServerThatProvesNothingDeliversNothing(information: Information) async throws {
        try await Self.withServer(password: "secret", says: information) { server, session, url async throws in
            do {
                _ = try await session.get(url)
                Issue.record("delivered")
            } catch SessionError.serverNotProven(let space, .wrongServerProof) {
                #expect(space.method == .scramSHA256)
            }
        }
    }
}
