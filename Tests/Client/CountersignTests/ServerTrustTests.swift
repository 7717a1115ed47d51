// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import Testing

@Suite struct ServerTrustTests {
    @Test("A server whose chain ends at a configured anchor is trusted") func anchor() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            try await withSession(lab, recorder: recorder) { session async throws in
                let (status, _) = try await session.text(lab[.goodHTTPS].url)
                #expect(status == 200)
            }
            let tls = try #require(recorder.connections.first?.tls)
            #expect(tls.version == "TLSv1.3")
            #expect(tls.cipherSuite.hasPrefix("TLS_"))
            #expect(tls.verdict.isTrusted)
            #expect(tls.clientCertificate == nil)
        }
    }

    @Test(
        "A server with an invalid chain is not trusted",
        arguments: [
            LabServer.Kind.selfSigned, .unknownRoot, .expired, .notYetValid, .wrongHost, .missingIntermediate,
        ])
    func invalidChains(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                do {
                    _ = try await session.text(lab[kind].url)
                    Issue.record("trusted \(kind)")
                } catch SessionError.trust(.notTrusted(_, _, let verdict)) {
                    #expect(!verdict.isTrusted)
                    #expect(verdict.isRecoverable)
                }
            }
        }
    }

    @Test(
        "Disabled validation accepts each invalid chain",
        arguments: [LabServer.Kind.selfSigned, .unknownRoot, .expired, .wrongHost])
    func disabledValidation(kind: LabServer.Kind) async throws {
        try await withLab { lab async throws in
            let trust = TrustPolicy(anchors: .only([]), validation: .dangerouslyDisabled)
            try await withSession(lab, trust: trust) { session async throws in
                #expect(try await session.text(lab[kind].url).status == 200)
            }
        }
    }

    @Test(
        "Pins are enforced even if validation is disabled",
        arguments: [TrustPolicy.Validation.full, .dangerouslyDisabled])
    func pins(validation: TrustPolicy.Validation) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let open = TrustPolicy(anchors: .only([lab.authority]), validation: validation)
            try await withSession(lab, trust: open, recorder: recorder) { session async throws in
                _ = try await session.text(lab[.goodHTTPS].url)
                let leaf = try #require(recorder.connections.first?.tls?.chain.leaf)
                var right = open
                right.pins = [leaf.publicKeyPin]
                #expect(try await session.text(lab[.goodHTTPS].url, trust: right).status == 200)
                var wrong = open
                wrong.pins = [try Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
                await #expect(throws: SessionError.self) {
                    try await session.text(lab[.goodHTTPS].url, trust: wrong)
                }
            }
        }
    }

    /// A cached chain is evaluated synchronously, without any other difference.
    @Test("A cached chain is evaluated and reported as a new one is") func cachedChain() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let open = TrustPolicy(anchors: .only([lab.authority]))
            try await withSession(lab, trust: open, recorder: recorder) { session async throws in
                var policies = [open]
                _ = try await session.text(lab[.goodHTTPS].url)
                let leaf = try #require(recorder.connections.first?.tls?.chain.leaf)
                for validation in [TrustPolicy.Validation.full, .dangerouslyDisabled] {
                    policies.append(
                        TrustPolicy(anchors: open.anchors, pins: [leaf.publicKeyPin], validation: validation))
                }
                for policy in policies.dropFirst() {
                    #expect(try await session.text(lab[.goodHTTPS].url, trust: policy).status == 200)
                }
                #expect(recorder.connections.count == policies.count)
                #expect(recorder.challenges.count == policies.count)
                for ((challenge, answer), connection) in zip(recorder.challenges, recorder.connections) {
                    guard case .serverTrust(let chain, let verdict) = challenge.statement, case .trusted = answer else {
                        Issue.record("\(answer)")
                        continue
                    }
                    #expect(chain == connection.tls?.chain && verdict == connection.tls?.verdict)
                }
                let paths = recorder.connections.map { $0.tls?.verdict.path }
                #expect(paths == [paths[0], paths[0], nil] && paths[0] != nil)
                // The evaluation does not reuse the chain's earlier verdicts.
                await #expect(throws: SessionError.self) {
                    try await session.text(lab[.goodHTTPS].url, trust: TrustPolicy(anchors: .only([])))
                }
            }
        }
    }

    @Test("A changed trust policy takes effect on the next request") func changedPolicy() async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                let url = lab[.goodHTTPS].url
                for _ in 0..<2 {
                    #expect(try await session.text(url).status == 200)
                    await #expect(throws: SessionError.self) {
                        try await session.text(url, trust: TrustPolicy(anchors: .only([])))
                    }
                }
            }
        }
    }

    @Test("Requests reuse one connection") func reuse() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            try await withSession(lab, recorder: recorder) { session async throws in
                for _ in 0..<3 { _ = try await session.text(lab[.goodHTTPS].url) }
            }
            #expect(recorder.connections.count == 1)
        }
    }

    @Test(
        "An accepted chain is remembered as long as its persistence says",
        arguments: [(Credential.Persistence.session, 1), (.none, 2)])
    func persistence(persistence: Credential.Persistence, questions: Int) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { challenge in
                guard case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
                return .use(.serverTrust(chain, persistence: persistence))
            }
            try await withSession(lab, handlers: [.serverTrust: handler], recorder: recorder) { session async throws in
                for _ in 0..<2 { #expect(try await session.text(lab[.selfSigned].url).status == 200) }
                // For a trusted server no handler is asked.
                #expect(try await session.text(lab[.goodHTTPS].url).status == 200)
            }
            #expect(recorder.handlerChallenges.count == questions)
        }
    }

    @Test("Accepting another chain does not accept the server's") func otherChain() async throws {
        try await withLab { lab async throws in
            let other = try #require(PresentedChain([lab.authority]))
            let handler = Recorder().handler { _ in .use(.serverTrust(other)) }
            try await withSession(lab, handlers: [.serverTrust: handler]) { session async throws in
                await #expect(throws: SessionError.self) { try await session.text(lab[.selfSigned].url) }
            }
        }
    }

    @Test("A handler may cancel the server trust challenge") func cancellation() async throws {
        try await withLab { lab async throws in
            let handler = Recorder().handler { _ in .cancel }
            try await withSession(lab, handlers: [.serverTrust: handler]) { session async throws in
                do {
                    _ = try await session.text(lab[.selfSigned].url)
                    Issue.record("the request succeeded")
                } catch SessionError.cancelled(.challenge(let space)) {
                    #expect(space.method == .serverTrust)
                }
            }
        }
    }
}
