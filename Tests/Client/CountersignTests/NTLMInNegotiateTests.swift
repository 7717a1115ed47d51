// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Challenges
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import Countersign

/// NTLM under the scheme Negotiate, for sessions without tickets.
@Suite struct NTLMInNegotiateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var password = Lab.credentials.password
        var options: NTLMGate.Options = .usesNegotiate
        var change: @Sendable (inout HTTPSession.Configuration) -> Void = { _ in }
        var isOwn = false
        var isPreemptive = false
        let status: HTTPResponse.Status
        /// The number of requests.
        let count: Int
    }

    static let rows = [
        Row(testDescription: "answered by a handler", status: .ok, count: 3),
        Row(testDescription: "answered with the request's own password", isOwn: true, status: .ok, count: 3),
        Row(testDescription: "a wrong password is sent once", password: "wrong", status: .unauthorized, count: 3),
        Row(
            testDescription: "not without TLS", change: { $0.allowsNTLMOverPlainHTTP = false }, status: .unauthorized,
            count: 1),
        Row(
            testDescription: "not if Negotiate alone is allowed",
            change: { $0.policies.fallback.methods = .only(.negotiate) }, status: .unauthorized, count: 1),
        Row(
            testDescription: "allowed together with NTLM",
            change: { $0.policies.fallback.methods = .only(.negotiate, .ntlm) }, status: .ok, count: 3),
        Row(
            testDescription: "not without NTLM among the session's methods",
            change: { $0.methods = MethodPreference(order: [.negotiate, .basic]) }, status: .unauthorized, count: 1),
        Row(
            testDescription: "a handler with the current user's tickets",
            change: { $0.handlers[.negotiate] = .closure { _ in .use(.currentUser()) } }, status: .unauthorized,
            count: 1
        ),
        Row(testDescription: "sent preemptively", isOwn: true, isPreemptive: true, status: .ok, count: 2),
        Row(
            testDescription: "not preemptively if Negotiate alone is allowed",
            change: { $0.policies.fallback.methods = .only(.negotiate) }, isOwn: true, isPreemptive: true,
            status: .unauthorized, count: 1),
        Row(
            testDescription: "not preemptively without NTLM among the session's methods",
            change: { $0.methods = MethodPreference(order: [.negotiate, .basic]) }, isOwn: true, isPreemptive: true,
            status: .unauthorized, count: 1),
        Row(testDescription: "NTLM itself has its own handler", options: [], status: .unauthorized, count: 1),
    ]

    @Test("A password answers Negotiate with NTLM, under the rules of NTLM", arguments: rows) func answers(row: Row)
        async throws
    {
        let server = try await ScriptedServer.start(behind: NTLMGate(try NTLMTerms(), options: row.options)) { _ in
            .init(.ok)
        }
        let credential = Credential.password(user: Lab.credentials.user, password: Secret(row.password))
        var configuration = HTTPSession.Configuration()
        configuration.allowsNTLMOverPlainHTTP = true
        if !row.isOwn {
            configuration.handlers[.negotiate] = .closure { challenge in
                challenge.failureCount == 0 ? .use(credential) : .performDefault
            }
        }
        row.change(&configuration)
        let used = NIOLockedValueBox<[Credential]>([])
        configuration.observer = { event in
            guard case .challenged(_, .used(let credential)) = event.kind else { return }
            used.withLockedValue { $0.append(credential) }
        }
        try await withSession(configuration, stopping: [server]) { session async throws in
            var request = SessionRequest.get("http://localhost:\(server.port)/")
            if row.isOwn { request.credential = credential }
            if row.isPreemptive { request.preemptiveMethod = .negotiate }
            #expect(try await session.send(request).status == row.status)
            #expect(server.requestCount == row.count)
            // An answer that is not sent is not reported.
            #expect(!used.withLockedValue { $0.contains(.currentUser()) })
        }
    }

    @Test(
        "A server that wants tickets only gets no password, and its response is delivered",
        arguments: ["Negotiate", "Negotiate YII=", "Negotiate oYG1MIGyoAMKAQCi"])
    func ticketsOnly(second: String) async throws {
        let fields = NIOLockedValueBox<[String]>([])
        let server = try await ScriptedServer.start { request in
            let field = request.head.headerFields[.authorization]
            fields.withLockedValue { $0.append(field ?? "") }
            return .init(.unauthorized, [.wwwAuthenticate: field == nil ? "Negotiate" : second], body: "tickets")
        }
        var configuration = HTTPSession.Configuration()
        configuration.allowsNTLMOverPlainHTTP = true
        configuration.handlers[.negotiate] = .closure { _ in .use(.password(user: "mary", password: Secret("s"))) }
        try await withSession(configuration, stopping: [server]) { session async throws in
            let (status, body) = try await session.text("http://localhost:\(server.port)/")
            #expect(status == 401 && body == "tickets")
        }
        // The first message of NTLM contains neither the user nor a proof.
        let sent = fields.withLockedValue { $0 }
        #expect(sent.count == 2)
        #expect(sent.last?.hasPrefix("Negotiate TlRMTVNTUAAB") == true)
    }

    @Test("Other methods come first, because most servers want a ticket for Negotiate") func order() async throws {
        let fields = NIOLockedValueBox<[String]>([])
        let server = try await ScriptedServer.start { request in
            let field = request.head.headerFields[.authorization]
            fields.withLockedValue { $0.append(field.map { String($0.prefix { $0 != " " }) } ?? "") }
            return field == nil ? .init(.unauthorized, [.wwwAuthenticate: "Negotiate, Basic realm=r"]) : .init(.ok)
        }
        var configuration = HTTPSession.Configuration()
        configuration.allowsNTLMOverPlainHTTP = true
        let url = "http://localhost:\(server.port)/"
        configuration.credentials[url] = .password(user: "mary", password: Secret("s"))
        try await withSession(configuration, stopping: [server]) { session async throws in
            #expect(try await session.get(url).status == .ok)
        }
        #expect(fields.withLockedValue { $0 } == ["", "Basic"])
    }

    @Test("A proxy's Negotiate is answered with NTLM too") func proxy() async throws {
        let origin = try await ScriptedServer.start { _ in .init(.ok) }
        let gate = NTLMGate(try NTLMTerms(), options: .usesNegotiate)
        let server = try await ScriptedServer.startProxy(behind: gate)
        var proxy = try Proxy("http://localhost:\(server.port)")
        proxy.credential = .password(user: Lab.credentials.user, password: Secret(Lab.credentials.password))
        var configuration = HTTPSession.Configuration(proxy: proxy)
        configuration.allowsNTLMOverPlainHTTP = true
        try await withSession(configuration, stopping: [origin, server]) { session async throws in
            #expect(try await session.get("http://localhost:\(origin.port)/").status == .ok)
        }
    }

    @Test("A token does not answer Negotiate") func token() async throws {
        let server = try await ScriptedServer.start { request in
            request.head.headerFields[.authorization] == "Bearer t"
                ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Negotiate, Bearer realm=r"])
        }
        try await withSession(HTTPSession.Configuration(), stopping: [server]) { session async throws in
            let request = SessionRequest.get("http://localhost:\(server.port)/").credential(.token(Secret("t")))
            #expect(try await session.send(request).status == .ok)
        }
    }
}
