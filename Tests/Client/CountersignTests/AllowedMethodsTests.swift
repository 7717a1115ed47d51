// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@Suite("A server receives credentials only by the methods that are allowed for it") struct AllowedMethodsTests {
    /// The challenges of a server, the methods that are allowed for it, and the expected scheme of the response.
    struct Row: Sendable, CustomTestStringConvertible {
        let offered: [String]
        let allowed: AllowedMethods
        var preemptiveMethod: AuthenticationMethod?
        let answer: String?

        var testDescription: String { "\(offered) with \(allowed), unasked \(preemptiveMethod?.description ?? "none")" }
    }

    static let rows = [
        Row(offered: ["Basic realm=r"], allowed: .all, answer: "Basic"),
        Row(offered: ["Basic realm=r"], allowed: .only(.basic), answer: "Basic"),
        Row(offered: ["Basic realm=r"], allowed: .only(.ntlm), answer: nil),
        Row(offered: ["Basic realm=r"], allowed: .only([]), answer: nil),
        Row(offered: ["Digest realm=r, nonce=n", "Basic realm=r"], allowed: .only(.basic), answer: "Basic"),
        Row(offered: ["Digest realm=r, nonce=n", "Basic realm=r"], allowed: .only(.digest, .ntlm), answer: "Digest"),
        Row(offered: ["Basic realm=r"], allowed: .only(.ntlm), preemptiveMethod: .basic, answer: nil),
        Row(offered: ["Basic realm=r"], allowed: .only(.basic), preemptiveMethod: .basic, answer: "Basic"),
    ]

    @Test("An origin receives credentials only by an allowed method", arguments: rows)
    func origin(row: Row) async throws {
        let answers = NIOLockedValueBox<[String]>([])
        let server = try await ScriptedServer.start(
            Self.reply(row, .authorization, .wwwAuthenticate, .unauthorized, answers))
        let recorder = Recorder()
        var configuration = HTTPSession.Configuration()
        configuration.policies.fallback.methods = row.allowed
        configuration.observer = recorder.note
        try await withSession(configuration, stopping: [server]) { session async throws in
            var request = SessionRequest(url: "http://localhost:\(server.port)/")
            request.credential = .password(user: "mary", password: Secret("s3cret"))
            request.preemptiveMethod = row.preemptiveMethod
            let response = try await session.send(request)
            #expect(response.status == (row.answer == nil ? .unauthorized : .ok))
            #expect(answers.withLockedValue { $0 } == (row.answer.map { [$0] } ?? []))
        }
    }

    @Test("A proxy receives credentials only by an allowed method, and the error names the methods", arguments: rows)
    func proxy(row: Row) async throws {
        let answers = NIOLockedValueBox<[String]>([])
        let server = try await ScriptedServer.start(
            Self.reply(row, .proxyAuthorization, .proxyAuthenticate, .proxyAuthenticationRequired, answers))
        var proxy = try Proxy("http://localhost:\(server.port)")
        proxy.credential = .password(user: "mary", password: Secret("s3cret"))
        proxy.preemptiveMethod = row.preemptiveMethod
        proxy.methods = row.allowed
        try await withSession(.init(proxy: proxy), stopping: [server]) { session async throws in
            for url in ["http://a.test/", "https://a.test/"] where row.answer == nil {
                await #expect { _ = try await session.get(url) } throws: { error in
                    guard case SessionError.proxy(.methodsNotAllowed(let endpoint, let offered, let allowed)) = error
                    else {
                        return false
                    }
                    return endpoint == proxy.endpoint && offered == [.basic] && allowed == row.allowed
                }
            }
            if row.answer != nil { #expect(try await session.get("http://a.test/").status == .ok) }
            #expect(answers.withLockedValue { $0 } == (row.answer.map { [$0] } ?? []))
        }
    }

    @Test("The policy of the proxy's own domain applies to the proxy, with other methods than the origin's")
    func both() async throws {
        let answers = NIOLockedValueBox<[String]>([])
        let row = Row(offered: ["Basic realm=r"], allowed: .all, answer: "Basic")
        let server = try await ScriptedServer.start(
            Self.reply(row, .proxyAuthorization, .proxyAuthenticate, .proxyAuthenticationRequired, answers))
        var proxy = try Proxy("http://localhost:\(server.port)")
        proxy.credential = .password(user: "mary", password: Secret("s3cret"))
        for (entry, fallback, isAnswered) in [
            (nil, AllowedMethods.only(.ntlm), true), (AllowedMethods.only(.ntlm), .all, false),
            (.only(.basic), .only(.ntlm), true),
        ] {
            var configuration = HTTPSession.Configuration(proxy: proxy)
            configuration.policies.fallback.methods = fallback
            if let entry {
                configuration.policies.set(.init(domain: proxy.endpoint.host, policy: ServerPolicy(methods: entry)))
            }
            try await withSession(configuration) { session async throws in
                let status = try? await session.get("http://a.test/").status
                #expect((status == .ok) == isAnswered)
            }
        }
        await server.stop()
    }

    @Test("A SOCKS proxy receives a password only if that method is allowed")
    func socks() async throws {
        let server = try await ScriptedServer.startSOCKS(behind: .anyLogin)
        let proxy = try Self.proxy("socks5://localhost:\(server.port)", allowing: .only(AuthenticationMethod.basic))
        try await withSession(.init(proxy: proxy), stopping: [server]) { session async throws in
            await #expect {
                _ = try await session.get("http://localhost:1/")
            } throws: { error in
                guard case SessionError.proxy(.methodsNotAllowed(_, let offered, let allowed)) = error else {
                    return false
                }
                return offered == [AuthenticationMethod.socksPassword] && allowed == proxy.methods
            }
        }
    }

    @Test("Sets of methods are parsed and compared")
    func sets() {
        let (one, two) = (AllowedMethods.only(.basic), AllowedMethods.only(.basic, .ntlm))
        #expect(two.description == "basic, ntlm" && AllowedMethods.all.description == "all")
        #expect(two.contains(.ntlm) && !one.contains(.ntlm) && AllowedMethods.all.contains(.init("own")))
        #expect(one.isSubset(of: two) && !two.isSubset(of: one) && one.isSubset(of: .all))
        #expect(!AllowedMethods.all.isSubset(of: two) && AllowedMethods.all.isSubset(of: .all))
        #expect(
            two.intersection(one) == one && two.intersection(.all) == two && AllowedMethods.all.intersection(one) == one
        )
    }

    private static func proxy(_ url: String, allowing methods: AllowedMethods) throws -> Proxy {
        var proxy = try Proxy(url)
        proxy.credential = .password(user: "mary", password: Secret("s3cret"))
        proxy.methods = methods
        return proxy
    }

    /// Sends the row's challenges to a request without credentials and accepts every credential.
    private static func reply(
        _ row: Row, _ answer: HTTPField.Name, _ challenge: HTTPField.Name, _ status: HTTPResponse.Status,
        _ answers: NIOLockedValueBox<[String]>
    ) -> @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply {
        { request in
            guard let field = request.head.headerFields[answer] else {
                var fields = HTTPFields()
                for text in row.offered { fields.append(HTTPField(name: challenge, value: text)) }
                return .init(status, fields)
            }
            answers.withLockedValue { $0.append(String(field.prefix { $0 != " " })) }
            return .init(.ok)
        }
    }
}
