// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Testing

@testable import Countersign

/// The conditions under which a connection was opened, which are checked again when it is leased.
@Suite struct PoolAdmissionTests {
    private static func identitySpace(of server: LabServer) throws -> ProtectionSpace {
        ProtectionSpace(
            host: try HostName("localhost"), port: server.port, scheme: "https", realm: nil,
            method: .clientCertificate)
    }

    @Test(
        "A connection with an identity is reused as long as the identity is remembered",
        arguments: [(Credential.Persistence.session, 1, 1), (.none, 3, 3)])
    func identityPersistence(
        persistence: Credential.Persistence, connections: Int, questions: Int
    ) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(.identity(lab.clientIdentity, persistence: persistence)) }
            try await withSession(lab, handlers: [.clientCertificate: handler], recorder: recorder) {
                session async throws in
                for _ in 0..<3 { #expect(try await session.text(lab[.clientCertificateWanted].url).status == 200) }
            }
            #expect(lab.connectionCount(.clientCertificateWanted) == connections)
            #expect(recorder.handlerChallenges.count == questions)
        }
    }

    @Test("After an identity is forgotten, a new connection is opened") func forgottenIdentity() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { _ in .use(.identity(lab.clientIdentity)) }
            try await withSession(lab, handlers: [.clientCertificate: handler], recorder: recorder) {
                session async throws in
                let server = lab[.clientCertificateRequired]
                let space = try Self.identitySpace(of: server)
                for count in 1...3 {
                    for _ in 0..<2 { #expect(try await session.text(server.url).status == 200) }
                    #expect(lab.connectionCount(.clientCertificateRequired) == count)
                    #expect(recorder.handlerChallenges.count == count)
                    session.core.memory.forget(.identity(lab.clientIdentity), in: space)
                }
            }
        }
    }

    /// A connection without an identity is reused until another connection is opened with one.
    @Test("An identity that became known later is presented on a new connection") func learnedIdentity() async throws {
        try await withLab { lab async throws in
            try await withSession(lab) { session async throws in
                let server = lab[.clientCertificateWanted]
                for _ in 0..<2 { #expect(try await session.text(server.url).status == 200) }
                #expect(lab.connectionCount(.clientCertificateWanted) == 1)
                session.core.memory.remember(
                    .identity(lab.clientIdentity), in: try Self.identitySpace(of: server))
                for _ in 0..<2 {
                    let shown = try await session.get(server.url)
                    #expect(shown.connection.tls?.clientCertificate == lab.clientIdentity.certificate)
                    _ = try await shown.body.collect(upTo: 1 << 16)
                }
                #expect(lab.connectionCount(.clientCertificateWanted) == 2)
            }
        }
    }

    @Test(
        "A connection with an accepted chain is reused as long as the acceptance is remembered",
        arguments: [(Credential.Persistence.session, 1), (.none, 3)])
    func trustPersistence(
        persistence: Credential.Persistence, connections: Int
    ) async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { challenge in
                guard case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
                return .use(.serverTrust(chain, persistence: persistence))
            }
            try await withSession(lab, handlers: [.serverTrust: handler], recorder: recorder) { session async throws in
                for _ in 0..<3 { #expect(try await session.text(lab[.selfSigned].url).status == 200) }
                #expect(lab.connectionCount(.selfSigned) == connections)
                #expect(recorder.handlerChallenges.count == connections)
            }
        }
    }

    /// A handler that accepted one failure is asked about a different failure, over another connection.
    @Test("A chain that fails under another policy is asked about again") func otherFailure() async throws {
        try await withLab { lab async throws in
            let recorder = Recorder()
            let handler = recorder.handler { challenge in
                guard case .serverTrust(let chain, _) = challenge.statement else { return .performDefault }
                return .use(.serverTrust(chain))
            }
            try await withSession(lab, handlers: [.serverTrust: handler], recorder: recorder) { session async throws in
                let other = TrustPolicy(anchors: .only([]))
                for (trust, connections) in [(nil, 1), (other, 2), (nil, 2), (other, 2)] as [(TrustPolicy?, Int)] {
                    #expect(try await session.text(lab[.expired].url, trust: trust).status == 200)
                    #expect(lab.connectionCount(.expired) == connections)
                    #expect(recorder.handlerChallenges.count == connections)
                }
            }
        }
    }

    @Test(
        "A tunnel is reused only while its proxy credential is remembered",
        arguments: [
            (LabServer.Kind.proxyBasic, Credential.Persistence.session), (.proxyBasic, .none),
            (.proxyDigest, .session), (.proxyDigest, .none), (.proxyNTLM, .session), (.proxyNTLM, .none),
        ])
    func proxyCredential(
        kind: LabServer.Kind, persistence: Credential.Persistence
    ) async throws {
        let recorder = Recorder()
        let handler = recorder.handler { _ in .use(PoolScene.credential(Lab.credentials, persistence)) }
        try await withLab { lab async throws in
            try await withSession(
                lab, handlers: [.basic: handler, .digest: handler, .ntlm: handler], proxy: Proxy(lab[kind].url),
                change: { $0.allowsNTLMOverPlainHTTP = true }
            ) { session async throws in
                for count in 1...3 {
                    for _ in 0..<2 { #expect(try await session.text(lab[.goodHTTPS].url).status == 200) }
                    #expect(lab.connectionCount(.goodHTTPS) == (persistence == .none ? 2 * count : count))
                    let space = try #require(recorder.handlerChallenges.last).space
                    session.core.memory.forget(PoolScene.credential(Lab.credentials, persistence), in: space)
                }
            }
        }
    }
}
