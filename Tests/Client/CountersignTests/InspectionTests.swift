// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Challenges
import ErrorExplanations
import Testing
@testable import Countersign

/// An inspection of a server's chain sends no request and trusts no server.
@Suite struct InspectionTests {
    @Test(
        "An inspection returns the chain and its verdict, whether trusted or not",
        arguments: [
            (kind: LabServer.Kind.goodHTTPS, failure: nil as String?), (.wrongHost, "trust.host-mismatch"),
            (.expired, "trust.expired"),
            (.selfSigned, "trust.self-signed"), (.unknownRoot, "trust.unknown-root"),
            (.missingIntermediate, "trust.issuer-not-found"),
        ])
    func verdicts(kind: LabServer.Kind, failure: String?) async throws {
        try await withLab { lab in
            try await withSession(lab) { session in
                let trust = try await session.inspect(lab[kind].url)
                #expect(trust.verdict.failure?.code == failure)
                #expect(trust.tlsVersion == "TLSv1.3")
                #expect(trust.cipherSuite?.hasPrefix("TLS_") == true)
                #expect(trust.certificateRequest == nil)
                #expect(lab.requestCount(kind) == 0)
            }
        }
    }

    @Test("An inspection retains nothing of its session", arguments: [LabServer.Kind.goodHTTPS, .unknownRoot])
    func release(kind: LabServer.Kind) async throws {
        weak var core: SessionCore?
        let lab = try await Lab.start()
        try await withSession(lab) { session async throws in
            core = session.core
            _ = try await session.inspect(lab[kind].url)
        }
        try await lab.stop()
        #expect(await eventually { core == nil })
    }

    @Test("An inspection asks no handler and presents no identity") func noQuestions() async throws {
        try await withLab { lab in
            let handlers: ChallengeHandlers = [
                .serverTrust: .closure { challenge in
                    Issue.record("asked")
                    return .performDefault
                },
                .clientCertificate: .identity(lab.clientIdentity, host: "localhost"),
            ]
            try await withSession(lab, handlers: handlers) { session in
                let trust = try await session.inspect(lab[.untrustedAndClientCertificateRequired].url)
                #expect(!trust.verdict.isTrusted)
                #expect(trust.certificateRequest != nil)
            }
        }
    }

    @Test("The chain is returned even if the server closes for lack of a client certificate")
    func closingServer() async throws {
        try await withLab { lab in
            try await withSession(lab, change: { $0.tlsVersions = .onlyTLS12 }) { session in
                let trust = try await session.inspect(lab[.clientCertificateRequired].url)
                #expect(trust.verdict.isTrusted)
                #expect(trust.certificateRequest != nil)
            }
        }
    }

    @Test(
        "An inspection goes through the proxy, with the proxy's credential",
        arguments: [LabServer.Kind.proxyOpen, .proxyDigest])
    func proxies(kind: LabServer.Kind) async throws {
        try await withLab { lab in
            let handlers: ChallengeHandlers = [
                .digest: .password(
                    user: Lab.credentials.user, password: Secret(Lab.credentials.password), host: "localhost",
                    role: .proxy)
            ]
            try await withSession(lab, handlers: handlers, proxy: Proxy(lab[kind].url)) { session in
                let trust = try await session.inspect(lab[.goodHTTPS].url)
                #expect(trust.verdict.isTrusted)
                await #expect(throws: SessionError.self) { try await session.inspect("https://127.0.0.1:1/") }
            }
        }
    }

    @Test("The inspection of a server without TLS throws") func noChain() async throws {
        try await withLab { lab in
            try await withSession(lab) { session in
                await #expect(throws: SessionError.self) { try await session.inspect(lab[.plainHTTP].url) }
                await #expect(throws: SessionError.self) {
                    try await session.inspect("https://localhost:\(lab[.plainHTTP].port)/")
                }
            }
        }
    }
}
