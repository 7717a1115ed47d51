// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Challenges
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// Resumed TLS sessions with the lab's servers, each request on a new connection.
@Suite struct TLSResumptionTests {
    private static let versions: [HTTPSession.TLSVersions] = [.onlyTLS12, .onlyTLS13]

    /// Sends requests to a lab server, each on a new connection, and returns the reports of the connections.
    private static func connections(
        _ count: Int = 2, to kind: LabServer.Kind = .goodHTTPS, handlers: ChallengeHandlers = [:],
        change: (Lab, inout HTTPSession.Configuration) -> Void
    ) async throws -> [ConnectionReport.TLS] {
        let recorder = Recorder()
        try await withLab { lab async throws in
            try await withSession(
                lab, handlers: handlers, recorder: recorder, change: { change(lab, &$0) }
            ) { session async throws in
                for _ in 0..<count {
                    let request = SessionRequest(url: lab[kind].url, headerFields: [.connection: "close"])
                    _ = try await session.send(request).expecting(.successful).body.collect(upTo: 1 << 16)
                }
            }
        }
        return recorder.connections.compactMap(\.tls)
    }

    @Test("A second connection resumes the session of the first, and trust is evaluated again", arguments: versions)
    func resumption(versions: HTTPSession.TLSVersions) async throws {
        let decisions = NIOLockedValueBox(0)
        let reports = try await Self.connections(3) { _, configuration in
            configuration.tlsVersions = versions
            configuration.serverTrustDecision = { trust in
                decisions.withLockedValue { $0 += 1 }
                #expect(trust.verdict.isTrusted)
                return .performDefault
            }
        }
        #expect(reports.map(\.isResumed) == [false, true, true])
        #expect(decisions.withLockedValue { $0 } == 3)
        let chains = Set(reports.map { [$0.chain.leaf] + $0.chain.issuers })
        #expect(chains.count == 1)
        #expect(reports.allSatisfy { $0.signatureScheme == "ecdsa_secp256r1_sha256" && $0.keyExchangeGroup != nil })
    }

    @Test("Events and metrics say that a session was resumed")
    func observation() async throws {
        let (metrics, recorder) = (MetricsRecord(), Recorder())
        try await withLab { lab async throws in
            try await withSession(lab, recorder: recorder, change: { $0.metrics = metrics }) { session async throws in
                for _ in 0..<3 {
                    let request = SessionRequest(url: lab[.goodHTTPS].url, headerFields: [.connection: "close"])
                    _ = try await session.send(request).body.collect(upTo: 1 << 16)
                }
            }
        }
        #expect(metrics.sums["countersign.connections.opened"] == 3)
        #expect(metrics.sums["countersign.connections.resumed"] == 2)
        let lines = recorder.printed.split(separator: "\n").filter { $0.contains("connected to") }
        #expect(lines.map { $0.hasSuffix(" resumed") } == [false, true, true])
    }

    @Test("The setting prevents resumption", arguments: versions)
    func setting(versions: HTTPSession.TLSVersions) async throws {
        let reports = try await Self.connections { _, configuration in
            configuration.tlsVersions = versions
            configuration.resumesTLSSessions = false
        }
        #expect(reports.map(\.isResumed) == [false, false])
    }

    @Test("A resumption does not trust a server that is refused now", arguments: versions)
    func refusal(versions: HTTPSession.TLSVersions) async throws {
        let decisions = NIOLockedValueBox(0)
        let error = await #expect(throws: SessionError.self) {
            try await Self.connections { _, configuration in
                configuration.tlsVersions = versions
                configuration.serverTrustDecision = { _ in
                    decisions.withLockedValue { count in
                        count += 1
                        return count == 1 ? .performDefault : .refuse
                    }
                }
            }
        }
        guard case .trust(.notTrusted)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // The session's certificates and the server's were refused.
        #expect(decisions.withLockedValue { $0 } == 3)
    }

    @Test("If a session's certificates are not trusted any more, those of a full handshake decide", arguments: versions)
    func replacement(versions: HTTPSession.TLSVersions) async throws {
        let decisions = NIOLockedValueBox(0)
        let reports = try await Self.connections(3) { _, configuration in
            configuration.tlsVersions = versions
            configuration.serverTrustDecision = { _ in
                decisions.withLockedValue { count in
                    count += 1
                    return count == 2 ? .refuse : .performDefault
                }
            }
        }
        #expect(reports.map(\.isResumed) == [false, false, true])
        #expect(decisions.withLockedValue { $0 } == 4)
    }

    @Test("A resumed session has the identity of its first handshake, without another question", arguments: versions)
    func identity(versions: HTTPSession.TLSVersions) async throws {
        let (recorder, identity) = (Recorder(), NIOLockedValueBox<Identity?>(nil))
        let handler = recorder.handler { _ in
            identity.withLockedValue { $0 }.map { .use(.identity($0)) } ?? .performDefault
        }
        let reports = try await Self.connections(
            to: .clientCertificateRequired, handlers: [.clientCertificate: handler]
        ) { lab, configuration in
            configuration.tlsVersions = versions
            identity.withLockedValue { $0 = lab.clientIdentity }
        }
        #expect(reports.map(\.isResumed) == [false, true])
        #expect(reports.allSatisfy { $0.clientCertificate != nil && $0.unansweredCertificateRequest == nil })
        #expect(recorder.handlerChallenges.count == 1)
    }

    @Test("A session without the requested identity is not resumed, and the user is asked again", arguments: versions)
    func anonymous(versions: HTTPSession.TLSVersions) async throws {
        let recorder = Recorder()
        let reports = try await Self.connections(
            to: .clientCertificateWanted,
            handlers: [.clientCertificate: recorder.handler { _ in .performDefault }]
        ) { _, configuration in
            configuration.tlsVersions = versions
        }
        #expect(reports.map(\.isResumed) == [false, false])
        #expect(recorder.handlerChallenges.count == 2)
    }

    @Test("An inspection makes a full handshake") func inspection() async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                _ = try await session.text(lab[.goodHTTPS].url)
                for _ in 0..<2 { #expect(try await session.inspect(lab[.goodHTTPS].url).verdict.isTrusted) }
            }
        }
    }
}
