// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Challenges
import ErrorExplanations
import NIOConcurrencyHelpers
import Testing

@testable import Countersign

/// The decision sees the chain of every TLS connection that a session opens, and may refuse it.
@Suite struct ServerTrustDecisionTests {
    private struct Refusal: Error {}

    /// The chains of which a decision was asked, and the answer that it gives.
    private final class Decision: Sendable {
        private let seen = NIOLockedValueBox<[ServerTrust]>([])
        private let refused = NIOLockedValueBox(false)

        init(refuses: Bool = false) { self.refuses = refuses }

        var trusts: [ServerTrust] { seen.withLockedValue { $0 } }
        var ports: [Int] { trusts.map(\.endpoint.port) }
        var refuses: Bool {
            get { refused.withLockedValue { $0 } }
            set { refused.withLockedValue { $0 = newValue } }
        }

        func decide(_ trust: ServerTrust) -> ServerTrustDecision {
            seen.withLockedValue { $0.append(trust) }
            return refuses ? .refuse : .performDefault
        }

        func install(in configuration: inout HTTPSession.Configuration) {
            configuration.serverTrustDecision = { self.decide($0) }
        }
    }

    /// Returns the code of the error of a request; `nil` if it succeeds.
    private static func code(_ session: HTTPSession, _ url: String, trust: TrustPolicy? = nil) async throws -> String? {
        do {
            #expect(try await session.text(url, trust: trust).status == 200)
            return nil
        } catch let error as SessionError {
            return error.code
        }
    }

    @Test(
        "A refused server receives no request, whether its policy trusts it or a handler would accept it",
        arguments: [
            (kind: LabServer.Kind.goodHTTPS, refuses: false, code: nil), (.goodHTTPS, true, "trust.declined"),
            (.selfSigned, false, nil), (.selfSigned, true, "trust.self-signed"),
        ] as [(kind: LabServer.Kind, refuses: Bool, code: String?)])
    func refusal(kind: LabServer.Kind, refuses: Bool, code: String?) async throws {
        try await withLab { lab async throws in
            let (recorder, decision) = (Recorder(), Decision(refuses: refuses))
            let handler = recorder.handler { challenge in
                guard case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
                return .use(.serverTrust(chain))
            }
            try await withSession(
                lab, handlers: [.serverTrust: handler], recorder: recorder, change: decision.install
            ) { session async throws in
                #expect(try await Self.code(session, lab[kind].url) == code)
            }
            let trust = try #require(decision.trusts.first)
            #expect(decision.trusts.count == 1)
            #expect(trust.endpoint.port == lab[kind].port)
            #expect(trust.verdict.isTrusted == (kind == .goodHTTPS))
            #expect(lab.requestCount(kind) == (refuses ? 0 : 1))
            #expect(recorder.handlerChallenges.count == (kind == .selfSigned && !refuses ? 1 : 0))
            if case .rejectedProtectionSpace = try #require(recorder.answers.last) {
                #expect(refuses)
            } else {
                #expect(!refuses)
            }
        }
    }

    /// Without a decision, such a chain is trusted on the event loop.
    @Test("A decision is asked once for each connection, also about a cached chain") func cachedChain() async throws {
        try await withLab { lab async throws in
            let (recorder, decision) = (Recorder(), Decision())
            let url = lab[.goodHTTPS].url
            try await withSession(lab, recorder: recorder, change: decision.install) { session async throws in
                for _ in 0..<3 { #expect(try await Self.code(session, url) == nil) }
                #expect(decision.ports == [lab[.goodHTTPS].port])
                // A connection of another policy is not shared, so the decision is asked about it.
                let other = TrustPolicy(anchors: .only([lab.authority]), profile: .privatePKI)
                decision.refuses = true
                #expect(try await Self.code(session, url, trust: other) == "trust.declined")
                #expect(decision.ports.count == 2)
                decision.refuses = false
                #expect(try await Self.code(session, url, trust: other) == nil)
                #expect(decision.ports.count == 3)
            }
            #expect(recorder.connections.count == 2)
        }
    }

    @Test("A remembered acceptance and a remembered key do not bypass a later refusal") func memories() async throws {
        try await withLab { lab async throws in
            let memory = VolatileServerMemory()
            for trust in [nil, TrustPolicy(anchors: .only([]), validation: .firstUse)] {
                let decision = Decision()
                let handlers: ChallengeHandlers = [
                    .serverTrust: .closure { challenge in
                        guard case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
                        return .use(.serverTrust(chain))
                    }
                ]
                try await withSession(
                    lab, handlers: handlers, trust: trust,
                    change: { configuration in
                        configuration.serverMemory = memory
                        configuration.connectionLimits.keepAliveTimeout = .zero
                        decision.install(in: &configuration)
                    }
                ) { session async throws in
                    let url = lab[.selfSigned].url
                    decision.refuses = true
                    #expect(try await Self.code(session, url) != nil)
                    #expect(try memory.server(at: HostEndpoint(of: url)) == nil)
                    decision.refuses = false
                    #expect(try await Self.code(session, url) == nil)
                    decision.refuses = true
                    #expect(try await Self.code(session, url) != nil)
                }
                // The last connection resumes a session first, but not one of a server that only the user accepted.
                #expect(decision.trusts.count == (trust == nil ? 3 : 4))
            }
        }
    }

    @Test("A decision sees the chains of the proxy and of the origin behind it", arguments: [false, true])
    func proxies(refuses: Bool) async throws {
        try await withLab { lab async throws in
            let decision = Decision(refuses: refuses)
            try await withSession(lab, proxy: Proxy(lab[.proxyTLS].url), change: decision.install) {
                session async throws in
                #expect(try await Self.code(session, lab[.goodHTTPS].url) == (refuses ? "trust.declined" : nil))
            }
            #expect(decision.ports == [lab[.proxyTLS].port] + (refuses ? [] : [lab[.goodHTTPS].port]))
        }
    }

    @Test("The error of a decision is the error of the request") func thrownError() async throws {
        try await withLab { lab async throws in
            try await withSession(lab, change: { $0.serverTrustDecision = { _ in throw Refusal() } }) {
                session async throws in
                await #expect(throws: Refusal.self) { try await session.text(lab[.goodHTTPS].url) }
            }
            #expect(lab.requestCount(.goodHTTPS) == 0)
        }
    }

    @Test("An inspection shows a server that the decision would refuse") func inspection() async throws {
        try await withLab { lab async throws in
            let decision = Decision(refuses: true)
            try await withSession(lab, change: decision.install) { session async throws in
                #expect(try await session.inspect(lab[.goodHTTPS].url).verdict.isTrusted)
            }
            #expect(decision.trusts.isEmpty)
        }
    }
}
