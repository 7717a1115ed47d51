// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTypes
import Secrets
import Testing
@testable import ChallengeLab
import EssentialFoundation

/// Tests of NTLM over real connections, with the library's exchange as the client.
@Suite struct NTLMGateTests {
    private static func withServer(
        _ terms: NTLMTerms? = nil, options: NTLMGate.Options = [], isProxy: Bool = false,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let gate = NTLMGate(try terms ?? NTLMTerms(), options: options)
        let server =
            isProxy
            ? try await ScriptedServer.startProxy(behind: gate)
            : try await ScriptedServer.start(behind: gate) { request in
                .init(.ok, body: "connection \(request.connection)")
            }
        do {
            try await body(server)
        } catch {
            Issue.record(error)
        }
        await server.stop()
    }

    /// The client side of an exchange.
    private struct Client {
        private var exchange: NTLMExchange
        private let field: String

        init(
            user: String = "lab", password: String = "countersign", service: String = "HTTP/localhost",
            field: String = "Authorization"
        ) throws {
            exchange = try NTLMExchange(
                user: user, password: Secret(password), service: service, channelBinding: nil)
            self.field = field
        }

        /// Returns the field that answers a challenge.
        mutating func answer(_ challenge: String?) throws -> String {
            let parsed = try #require(try HTTPChallenge.parse([challenge ?? ""]).first)
            guard case .send(let value) = try exchange.receive(parsed, at: Date(), clientChallenge: 1) else {
                return ""
            }
            return "\(field): \(value)"
        }
    }

    /// Sends all requests of an exchange, and returns the last response.
    private static func authenticate(
        _ wire: inout RawConnection, _ line: String = "GET /", client: Client? = nil
    ) async throws -> RawConnection.Answer? {
        var client = try client ?? Client()
        let first = try #require(try await wire.ask(line))
        #expect(first.challenge == "NTLM")
        let second = try #require(try await wire.ask(line, client.answer(first.challenge)))
        #expect(second.challenge?.hasPrefix("NTLM TlRMTVNTUAAC") == true)
        return try await wire.ask(line, client.answer(second.challenge))
    }

    @Test(
        "A connection is authenticated once", arguments: [NTLMTerms.Omission.nothing, .timestamp, .targetInformation],
        [NTLMGate.Options(), .chunksRefusals])
    func onceAConnection(omission: NTLMTerms.Omission, options: NTLMGate.Options) async throws {
        try await Self.withServer(try NTLMTerms(omitting: omission), options: options) { server async throws in
            try await RawConnection.open(to: server.port) { wire async throws in
                #expect(try await Self.authenticate(&wire)?.body == "connection 1")
                for _ in 0..<3 { #expect(try await wire.ask("GET /")?.status == 200) }
                #expect(server.requestCount == 6)
            }
            try await RawConnection.open(to: server.port) { wire async throws in
                #expect(try await wire.ask("GET /")?.status == 401)
                #expect(try await Self.authenticate(&wire)?.body == "connection 2")
            }
            #expect(server.connectionCount == 2)
        }
    }

    @Test("Another user on an authenticated connection is refused") func otherUser() async throws {
        let terms = try NTLMTerms(accepted: [Lab.credentials, .init(user: "mary", password: "secret")])
        try await Self.withServer(terms) { server async throws in
            try await RawConnection.open(to: server.port) { wire async throws in
                #expect(try await Self.authenticate(&wire)?.status == 200)
                var mary = try Client(user: "mary", password: "secret")
                #expect(try await wire.ask("GET /", mary.answer("NTLM"))?.status == 401)
                #expect(try await wire.isClosed())
            }
            try await RawConnection.open(to: server.port) { wire async throws in
                let mary = try Client(user: "mary", password: "secret")
                #expect(try await Self.authenticate(&wire, client: mary)?.status == 200)
            }
        }
    }

    @Test("After a refusal the connection can authenticate again") func retry() async throws {
        try await Self.withServer { server async throws in
            try await RawConnection.open(to: server.port) { wire async throws in
                for client in [try Client(password: "wrong"), try Client(service: "HTTP/elsewhere.test")] {
                    let refused = try await Self.authenticate(&wire, client: client)
                    #expect(refused?.status == 401 && refused?.challenge == "NTLM")
                }
                #expect(try await Self.authenticate(&wire)?.status == 200)
            }
        }
    }

    @Test("A response to another connection's challenge is refused") func otherConnection() async throws {
        try await Self.withServer { server async throws in
            try await RawConnection.open(to: server.port) { here async throws in
                var client = try Client()
                let negotiation = try client.answer("NTLM")
                let challenge = try await here.ask("GET /", negotiation)?.challenge
                let answer = try client.answer(challenge)
                try await RawConnection.open(to: server.port) { there async throws in
                    #expect(try await there.ask("GET /", answer)?.status == 401)
                    #expect(try await there.ask("GET /", negotiation)?.challenge != challenge)
                    #expect(try await there.ask("GET /", answer)?.status == 401)
                    #expect(try await there.ask("GET /")?.status == 401)
                }
                #expect(try await here.ask("GET /", answer)?.status == 200)
            }
        }
    }

    @Test("A request between the messages of an exchange invalidates the challenge") func interruption() async throws {
        for between in [nil, "Authorization: NTLM", "Authorization: NTLM AAAA", "Authorization: Basic bGFiOng="] {
            try await Self.withServer { server async throws in
                try await RawConnection.open(to: server.port) { wire async throws in
                    var client = try Client()
                    let challenge = try await wire.ask("GET /", client.answer("NTLM"))?.challenge
                    #expect(try await wire.ask("GET /", between)?.challenge == "NTLM")
                    #expect(try await wire.ask("GET /", client.answer(challenge))?.status == 401)
                }
            }
        }
    }

    @Test("A server may close after either 401 response") func closing() async throws {
        try await Self.withServer(options: [.closesAfterFirstRefusal, .chunksRefusals]) { server async throws in
            try await RawConnection.open(to: server.port) { wire async throws in
                #expect(try await wire.ask("GET /")?.head.contains("close") == true)
                #expect(try await wire.isClosed())
            }
            try await RawConnection.open(to: server.port) { wire async throws in
                var client = try Client()
                let challenge = try await wire.ask("GET /", client.answer("NTLM"))?.challenge
                #expect(try await wire.ask("GET /", client.answer(challenge))?.status == 200)
            }
        }
        try await Self.withServer(options: .closesAfterChallenge) { server async throws in
            try await RawConnection.open(to: server.port) { wire async throws in
                var client = try Client()
                let answer = try await wire.ask("GET /", client.answer("NTLM"))
                #expect(answer?.challenge?.hasPrefix("NTLM TlRM") == true)
                #expect(try await wire.isClosed())
            }
        }
    }

    @Test("A proxy authenticates a connection before it opens the tunnel") func tunnel() async throws {
        let origin = try await ScriptedServer.start { _ in .init(.ok, body: "origin") }
        try await Self.withServer(isProxy: true) { proxy async throws in
            try await RawConnection.open(to: proxy.port) { wire async throws in
                let client = try Client(field: "Proxy-Authorization")
                let line = "CONNECT localhost:\(origin.port)"
                #expect(try await Self.authenticate(&wire, line, client: client)?.status == 200)
                for _ in 0..<2 { #expect(try await wire.ask("GET /")?.body == "origin") }
                #expect(proxy.requestCount == 3 && origin.requestCount == 2)
            }
            try await RawConnection.open(to: proxy.port) { wire async throws in
                #expect(try await wire.ask("CONNECT localhost:\(origin.port)")?.status == 407)
            }
        }
        await origin.stop()
    }

    @Test("A proxy's connection for plain requests stays authenticated") func plainProxy() async throws {
        let origin = try await ScriptedServer.start { request in
            .init(.ok, body: request.head.headerFields[.proxyAuthorization] ?? "nothing of the proxy's")
        }
        try await Self.withServer(isProxy: true) { proxy async throws in
            try await RawConnection.open(to: proxy.port) { wire async throws in
                let client = try Client(field: "Proxy-Authorization")
                let line = "GET http://localhost:\(origin.port)/"
                let answer = try await Self.authenticate(&wire, line, client: client)
                #expect(answer?.body == "nothing of the proxy's")
                for _ in 0..<2 { #expect(try await wire.ask(line)?.status == 200) }
                #expect(proxy.requestCount == 5 && origin.requestCount == 3)
                #expect(proxy.connectionCount == 1)
            }
        }
        await origin.stop()
    }
}
