// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
import Testing

@Suite struct PasswordTests {
    private static let kinds: [LabServer.Kind] = [.basic, .digestMD5, .digestSHA256]

    private static func right(_ lab: Lab, _ kind: LabServer.Kind, _ persistence: Credential.Persistence = .session)
        throws -> Credential
    {
        let credentials = try #require(lab[kind].credentials)
        return .password(
            user: credentials.user, password: Secret(credentials.password), persistence: persistence)
    }

    @Test("The handler is asked once, and later requests send the password preemptively", arguments: kinds)
    func rememberedPassword(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let credential = try Self.right(lab, kind)
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(credential) }
            let before = lab.requestCount(kind)
            try await withSession(lab, handlers: [.basic: handler, .digest: handler], recorder: recorder) {
                session async throws in
                for _ in 0..<5 { #expect(try await session.text(lab[kind].url).status == 200) }
            }
            #expect(recorder.handlerChallenges.count == 1)
            #expect(recorder.preemptions == 4)
            #expect(lab.requestCount(kind) - before == 6)
        }
    }

    @Test("With persistence none, each request is challenged", arguments: kinds)
    func persistenceNone(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let credential = try Self.right(lab, kind, .none)
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(credential) }
            try await withSession(lab, handlers: [.basic: handler, .digest: handler], recorder: recorder) {
                session async throws in
                for _ in 0..<2 { #expect(try await session.text(lab[kind].url).status == 200) }
            }
            #expect(recorder.handlerChallenges.count == 2)
            #expect(recorder.preemptions == 0)
        }
    }

    @Test("Without a handler the 401 response is delivered", arguments: kinds)
    func noHandler(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                #expect(try await session.text(lab[kind].url).status == 401)
            }
        }
    }

    @Test("A rejected password is not sent again", arguments: kinds + [.wrongPasswordForever])
    func rejectedPassword(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(.password(user: "lab", password: Secret("wrong"))) }
            let before = lab.requestCount(kind)
            try await withSession(lab, handlers: [.basic: handler, .digest: handler], recorder: recorder) {
                session async throws in
                #expect(try await session.text(lab[kind].url).status == 401)
            }
            #expect(recorder.handlerChallenges.map(\.failureCount) == [0, 1])
            #expect(lab.requestCount(kind) - before == 2)
        }
    }

    @Test("The handler is asked with a growing failure count until its credential is accepted", arguments: kinds)
    func failureCount(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let credential = try Self.right(lab, kind)
            let recorder = Recorder()
            let handler = recorder.handler { challenge in
                challenge.failureCount < 3
                    ? .use(.password(user: "lab", password: Secret("wrong \(challenge.failureCount)")))
                    : .use(credential)
            }
            try await withSession(lab, handlers: [.basic: handler, .digest: handler], recorder: recorder) {
                session async throws in
                #expect(try await session.text(lab[kind].url).status == 200)
            }
            #expect(recorder.handlerChallenges.map(\.failureCount) == [0, 1, 2, 3])
            #expect(
                recorder.handlerChallenges.last?.proposedCredential
                    == .password(user: "lab", password: Secret("wrong 2")))
        }
    }

    @Test("Parallel requests to one protection space all succeed") func parallelRequests() async throws {
        try await withLab { lab async throws in
            let credential = try Self.right(lab, .digestSHA256)
            let handler = Recorder().handler { _ in .use(credential) }
            try await withSession(lab, handlers: [.digest: handler]) { session async throws in
                #expect(try await session.text(lab[.digestSHA256].url).status == 200)
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<20 { group.addTask { try await session.text(lab[.digestSHA256].url).status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == [Int](repeating: 200, count: 20))
            }
        }
    }

    @Test("An Authorization field of the request is sent unchanged, and its rejection asks no handler")
    func explicitField() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let credential = try Self.right(lab, .basic)
            let handler = recorder.handler { _ in .use(credential) }
            try await withSession(lab, handlers: [.basic: handler], recorder: recorder) { session async throws in
                let request = SessionRequest(
                    url: lab[.basic].url, headerFields: [.authorization: "Basic d3Jvbmc6d3Jvbmc="])
                #expect(try await session.send(request).status == .unauthorized)
            }
            #expect(recorder.handlerChallenges.isEmpty)
        }
    }

    @Test("Cancelling a challenge ends the request with an error") func cancellation() async throws {
        try await withLab { lab async throws in
            let handler = Recorder().handler { _ in .cancel }
            try await withSession(lab, handlers: [.basic: handler]) { session async throws in
                do {
                    _ = try await session.text(lab[.basic].url)
                    Issue.record("the request succeeded")
                } catch SessionError.cancelled(.challenge(let space)) {
                    #expect(space.realm != nil)
                    #expect(space.method == .basic)
                }
            }
        }
    }
}
