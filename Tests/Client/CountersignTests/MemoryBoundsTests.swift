// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import HTTPTypes
import NIOConcurrencyHelpers
import Testing
@testable import Countersign
import EssentialFoundation

@Suite("The memory that servers can use in a session is limited") struct MemoryBoundsTests {
    @Test("A full table discards its oldest entry")
    func oldestOut() {
        var table = RecentEntries<Int, String>(limit: 3)
        for key in 1...3 { table[key] = "\(key)" }
        table[1] = "again"
        table[4] = "4"
        #expect(table.count == 3)
        #expect(table[1] == "again" && table[2] == nil && table[3] == "3" && table[4] == "4")
        table.keep(1) { $0 != 4 }
        #expect(table[3] == nil && table[1] == "again" && table[4] == "4")
        #expect(table.change(4) { $0 += "!" } != nil && table[4] == "4!")
        #expect(table.change(5) { $0 += "!" } == nil)
        table[4] = nil
        #expect(table.count == 1)
    }

    @Test("The realms of an origin that last accepted a password are remembered, up to a limit")
    func acceptedRealms() async throws {
        let limit = CredentialMemory.Limit.spacesPerServer
        let questions = NIOLockedValueBox(0)
        let server = try await ScriptedServer.start { request in
            let realm = (request.head.path ?? "/").split(separator: "/").first ?? ""
            return request.login == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r\(realm)"]) : .init(.ok)
        }
        let handler: ClosureHandler = .closure { _ in
            questions.withLockedValue { $0 += 1 }
            return .use(.password(user: "mary", password: Secret("s3cret")))
        }
        try await withSession(.init(handlers: [.basic: handler]), stopping: [server]) { session async throws in
            for realm in 1...(limit + 8) {
                #expect(try await session.text("http://localhost:\(server.port)/\(realm)/").status == 200)
            }
            #expect(session.core.memory.counts.spaces == limit)
            #expect(questions.withLockedValue { $0 } == limit + 8)
            // The newest realm is still known, and the oldest requires the handler again.
            for (realm, asked) in [(limit + 8, 0), (1, 1)] {
                #expect(try await session.text("http://localhost:\(server.port)/\(realm)/").status == 200)
                #expect(questions.withLockedValue { $0 } == limit + 8 + asked)
            }
        }
    }

    @Test("Nonces are counted only for servers that require Digest")
    func nonceCounts() async throws {
        for (challenge, count) in [("Basic realm=r", 0), ("Digest realm=r, nonce=n", 1)] {
            let server = try await ScriptedServer.start { _ in .init(.unauthorized, [.wwwAuthenticate: challenge]) }
            try await withSession(.init(), stopping: [server]) { session async throws in
                #expect(try await session.text("http://localhost:\(server.port)/").status == 401)
                #expect(session.core.memory.counts.nonceCounts == count)
            }
        }
        let memory = CredentialMemory()
        for port in 1...(CredentialMemory.Limit.nonceCounts + 10) {
            _ = memory.nonceCounts(of: Challenger(origin: try HTTPURL.parse("http://localhost:\(port)/").url))
        }
        #expect(memory.counts.nonceCounts == CredentialMemory.Limit.nonceCounts)
    }

    @Test(
        "SCRAM's iteration count has a limit that can be raised",
        arguments: [(count: 5_000, limit: 5_000, isAnswered: true), (count: 5_001, limit: 5_000, isAnswered: false)])
    func iterations(count: Int, limit: Int, isAnswered: Bool) throws {
        let challenge = HTTPChallenge(method: .scramSHA256)
        var scram = try #require(HTTPSCRAMAuthenticator(challenge, iterationLimit: limit))
        let credential = Credential.password(user: "mary", password: Secret("s3cret"))
        let facts = RequestFacts(method: "GET", target: "/")
        let first = try scram.authorization(with: credential, for: facts)
        let step = try Self.step(after: first, iterations: count)
        if isAnswered {
            #expect(try scram.advance(with: step, credential: credential))
        } else {
            #expect(throws: HTTPAuthenticatorError.iterationCount(count, allowed: 4_096...limit)) {
                try scram.advance(with: step, credential: credential)
            }
        }
    }

    private static func step(after first: String, iterations: Int) throws -> HTTPChallenge {
        let data = try #require(first.split(separator: "data=").last.flatMap { Data(base64Encoded: String($0)) })
        let nonce = try #require(String(decoding: data, as: UTF8.self).split(separator: ",r=").last)
        let offer = Data("r=\(nonce)x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=\(iterations)".utf8).base64EncodedString()
        return try #require(try HTTPChallenge.parse(["SCRAM-SHA-256 sid=x, data=\(offer)"]).first)
    }
}
