// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

/// The sources of a credential: the request, the session's memory, the permanent store and a handler.
@Suite struct CredentialLookupTests {
    private typealias Server = BasicServer

    /// The available sources and the credentials that the request is expected to send.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var own: String?
        var isRemembered = false
        var isStored = false
        var isHandled = false
        let sent: [String?]
    }

    static let rows = [
        Row(testDescription: "nothing is known", sent: [nil]),
        Row(testDescription: "the handler only", isHandled: true, sent: [nil, "handled:handledhandled"]),
        Row(
            testDescription: "the store before the handler", isStored: true, isHandled: true,
            sent: [nil, "stored:storedstored"]),
        Row(
            testDescription: "the memory before the store", isRemembered: true, isStored: true, isHandled: true,
            sent: [nil, "remembered:rememberedremembered"]),
        Row(
            testDescription: "the request before the others", own: "own", isRemembered: true, isStored: true,
            isHandled: true,
            sent: [nil, "own:ownown"]),
        Row(
            testDescription: "the request's is rejected, then the handler's is sent",
            own: "wrong", isRemembered: true, isStored: true, isHandled: true,
            sent: [nil, "wrong:wrongwrong", "handled:handledhandled"]),
        Row(
            testDescription: "the request's is rejected, and the memory and the store are not used", own: "wrong",
            isRemembered: true, isStored: true,
            sent: [nil, "wrong:wrongwrong"]),
    ]

    @Test(
        "Credentials are looked up in the request, the memory, the store and the handler, in that order",
        arguments: rows)
    func order(row: Row) async throws {
        let server = try await Server.start(knowing: ["own", "remembered", "stored", "handled"])
        let store = MemoryStore()
        var configuration = HTTPSession.Configuration(handlers: [
            .basic: .closure { challenge in
                let isFirst = challenge.proposedCredential == nil && row.isRemembered
                if isFirst { return .use(Server.credential("remembered")) }
                return row.isHandled ? .use(Server.credential("handled")) : .performDefault
            }
        ])
        configuration.credentialStore = store
        await withServers([server], configuration) { session async throws in
            if row.isRemembered { #expect(try await session.text(server.url("/other/")).status == 200) }
            if row.isStored {
                let space = ProtectionSpace(
                    host: try HostName("localhost"), port: server.server.port, scheme: "http", realm: "r",
                    method: .basic)
                try await store.save(Server.credential("stored", .permanent), for: space)
            }
            var request = SessionRequest(url: server.url("/here/"))
            request.credential = row.own.map { Server.credential($0) }
            _ = try await session.send(request)
            #expect(server.visits.filter { $0.path == "/here/" }.map(\.login) == row.sent)
        }
    }

    @Test("A request's own credential is used only for requests with the same credential")
    func requestCredential() async throws {
        let server = try await Server.start()
        await withServers([server], HTTPSession.Configuration()) { session async throws in
            var own = SessionRequest(url: server.url())
            own.credential = Server.credential("own")
            var other = own
            other.credential = Server.credential("other")
            let rows: [(SessionRequest, String?)] = [
                (own, "own:ownown"), (own, "own:ownown"), (SessionRequest(url: server.url()), nil),
                (other, "other:otherother"), (own, "own:ownown"),
            ]
            for (request, login) in rows {
                let response = try await session.send(request)
                #expect(response.status == (login == nil ? .unauthorized : .ok))
                #expect(server.logins.suffix(1) == [login])
            }
            // The first request of each user is challenged, and no other user's credential is tried.
            #expect(server.logins.count == 1 + 5 + 1)
        }
    }

    @Test(
        "A password is sent preemptively only by a method that supports that",
        arguments: [
            (method: AuthenticationMethod.basic, sent: ["own:ownown"]),
            (method: .digest, sent: [nil, "own:ownown"]),  // needs a challenge first
            (method: .bearer, sent: [nil, "own:ownown"]),  // cannot carry a password
        ])
    func preemptive(method: AuthenticationMethod, sent: [String?]) async throws {
        let server = try await Server.start()
        await withServers([server], HTTPSession.Configuration()) { session async throws in
            var request = SessionRequest(url: server.url())
            request.credential = Server.credential("own")
            request.preemptiveMethod = method
            #expect(try await session.send(request).status == .ok)
            #expect(server.logins == sent)
            #expect(try await session.text(server.url()).status == 401)
            #expect(server.logins.last == .some(nil))
        }
    }

    @Test("A bearer token is sent preemptively") func preemptiveToken() async throws {
        let server = try await Server.start()
        await withServers([server], HTTPSession.Configuration()) { session async throws in
            var request = SessionRequest(url: server.url())
            request.credential = .token(Secret("tok-en."))
            request.preemptiveMethod = .bearer
            #expect(try await session.send(request).status == .ok)
            #expect(server.logins == ["Bearer tok-en."])
        }
    }

    @Test("A credential that was rejected when sent preemptively is not sent again")
    func rejectedPreemptive() async throws {
        let server = try await Server.start(knowing: ["right"])
        let recorder = Recorder()
        var configuration = HTTPSession.Configuration(handlers: [
            .basic: recorder.handler { _ in .use(Server.credential("right")) }
        ])
        configuration.observer = recorder.note
        await withServers([server], configuration) { session async throws in
            var request = SessionRequest(url: server.url())
            request.credential = Server.credential("wrong")
            request.preemptiveMethod = .basic
            #expect(try await session.send(request).status == .ok)
            #expect(server.logins == ["wrong:wrongwrong", "right:rightright"])
            #expect(recorder.handlerChallenges.map(\.failureCount) == [1])
            #expect(recorder.preemptions == 1)
        }
    }

    @Test("A server that changes its realm each time receives five responses")
    func renamedRealms() async throws {
        let server = try await Server.start(knowing: [], realm: { "r\($0)" })
        let configuration = HTTPSession.Configuration(handlers: [.basic: .closure { _ in .use(Server.credential("a")) }]
        )
        await withServers([server], configuration) { session async throws in
            #expect(try await session.text(server.url()).status == 401)
            #expect(server.logins.count == 1 + 5)
        }
        let other = try await Server.start(knowing: [], realm: { "r\($0)" })
        await withServers([other], HTTPSession.Configuration()) { session async throws in
            var request = SessionRequest(url: other.url())
            request.credential = Server.credential("a")
            #expect(try await session.send(request).status == .unauthorized)
            #expect(other.logins == [nil, "a:aa"])
        }
    }
}
