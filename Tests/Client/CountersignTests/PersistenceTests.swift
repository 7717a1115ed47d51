// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import Testing

/// The effects of the persistences none, session and permanent.
@Suite("Persistence of credentials") struct PersistenceTests {
    struct Row: Sendable {
        let persistence: Credential.Persistence
        /// The number of questions to the handler by two requests of one session and one request of another.
        let questionCount: Int
        let challenges: Int
        let isStored: Bool
    }

    @Test(
        "A credential lasts for its request, its session or permanently",
        arguments: [
            Row(persistence: .none, questionCount: 3, challenges: 3, isStored: false),
            Row(persistence: .session, questionCount: 2, challenges: 2, isStored: false),
            Row(persistence: .permanent, questionCount: 1, challenges: 2, isStored: true),
        ])
    func lifetimes(row: Row) async throws {
        let server = try await BasicServer.start(knowing: ["mary"])
        let (store, recorder) = (MemoryStore(), Recorder())
        var configuration = HTTPSession.Configuration(handlers: [
            .basic: recorder.handler { _ in .use(BasicServer.credential("mary", row.persistence)) }
        ])
        configuration.credentialStore = store
        let another = HTTPSession(configuration)
        await withServers([server], configuration) { session async throws in
            for session in [session, session, another] {
                #expect(try await session.text(server.url()).status == 200)
            }
            #expect(recorder.handlerChallenges.count == row.questionCount)
            #expect(server.logins.count { $0 == nil } == row.challenges)
            #expect(store.contents == (row.isStored ? [BasicServer.credential("mary", .permanent)] : []))
            #expect(store.log.count { $0 == "save" } == (row.isStored ? 1 : 0))
        }
        await another.close()
    }

    @Test("A rejected credential is not saved") func rejectedCredential() async throws {
        let server = try await BasicServer.start(knowing: ["mary"])
        let store = MemoryStore()
        var configuration = HTTPSession.Configuration(handlers: [
            .basic: .closure { _ in .use(BasicServer.credential("eve", .permanent)) }
        ])
        configuration.credentialStore = store
        await withServers([server], configuration) { session async throws in
            #expect(try await session.text(server.url()).status == 401)
            #expect(!store.log.contains("save"))
        }
    }

    @Test("A stored credential is removed when the server rejects it") func outdatedCredential() async throws {
        let server = try await BasicServer.start(knowing: ["mary"])
        let (store, recorder) = (MemoryStore(), Recorder())
        let space = ProtectionSpace(
            host: try HostName("localhost"), port: server.server.port, scheme: "http", realm: "r", method: .basic)
        try await store.save(BasicServer.credential("old", .permanent), for: space)
        var configuration = HTTPSession.Configuration(handlers: [
            // The credential with another persistence still equals the rejected one.
            .basic: recorder.handler {
                .use(BasicServer.credential($0.failureCount == 1 ? "old" : "mary", .session))
            }
        ])
        configuration.credentialStore = store
        configuration.observer = recorder.note
        await withServers([server], configuration) { session async throws in
            #expect(try await session.text(server.url()).status == 401)
            #expect(server.logins == [nil, "old:oldold"])
            #expect(store.contents.isEmpty)
            #expect(recorder.handlerChallenges.map(\.proposedCredential) == [BasicServer.credential("old", .permanent)])
            #expect(try await session.text(server.url()).status == 200)
        }
    }

    @Test("A failing store is reported, and the request succeeds without it") func failingStore() async throws {
        let server = try await BasicServer.start(knowing: ["mary"])
        let recorder = Recorder()
        var configuration = HTTPSession.Configuration(handlers: [
            .basic: .closure { _ in .use(BasicServer.credential("mary", .permanent)) }
        ])
        configuration.credentialStore = MemoryStore(isBroken: true)
        configuration.observer = recorder.note
        await withServers([server], configuration) { session async throws in
            #expect(try await session.text(server.url()).status == 200)
            #expect(recorder.storeFailures == 2)  // one read and one save
        }
    }
}
