// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Foundation
import Testing
import TrustRecipes
import X509
@testable import Countersign
@testable import TLSTransport

/// The acceptable issuers that a server names for client certificates, read from real connections.
@Suite struct AcceptableIssuersTests {
    /// An authority with a server and a client certificate that it has issued, all valid now.
    private struct Scene {
        let root: TestAuthority
        let server: TestAuthority
        let client: Identity

        init(_ name: String) throws {
            root = try TestAuthority(root: Self.timed(.authority(name)))
            server = try root.issue(Self.timed(Recipe()).with { $0.names = [.dnsName("localhost")] })
            let leaf = try root.issue(
                Self.timed(Recipe()).with {
                    ($0.commonName, $0.names, $0.purposes) = ("mary", nil, [.clientAuth])
                })
            client = try Identity(chain: [leaf.certificate], privateKey: .init(leaf.key))
        }

        static func timed(_ recipe: Recipe) -> Recipe {
            recipe.with { ($0.notBefore, $0.notAfter) = (Date() - 3600, Date() + 86400) }
        }

        /// Makes authorities with long names.
        static func authorities(_ count: Int, length: Int) throws -> [Certificate] {
            let key = Recipe().key
            return try (0..<count).map { index in
                let name = "\(index) " + String(repeating: "x", count: length)
                return try TestAuthority(root: timed(.authority(name, key: key))).certificate
            }
        }
    }

    private static func session(
        trusting root: TestAuthority, _ versions: HTTPSession.TLSVersions, _ handler: any ChallengeHandler,
        recorder: Recorder
    ) -> HTTPSession {
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: .only([root.certificate])), handlers: [.clientCertificate: handler])
        configuration.tlsVersions = versions
        configuration.observer = recorder.note
        return HTTPSession(configuration)
    }

    @Test(
        "A challenge contains the acceptable issuers of the server's CertificateRequest",
        arguments: [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13],
        [(count: 0, length: 0), (1, 5), (3, 100), (150, 250)])
    func offeredNames(versions: HTTPSession.TLSVersions, list: (count: Int, length: Int)) async throws {
        let scene = try Scene("root")
        let authorities = try Scene.authorities(list.count, length: list.length)
        try await TrustScene.with { servers in
            let recorder = Recorder()
            let session = Self.session(
                trusting: scene.root, versions, recorder.handler { _ in .performDefault }, recorder: recorder)
            let url = try await servers.serve(scene.server, naming: authorities)
            #expect(try await session.text(url).status == 200)
            guard case .clientCertificateRequest(let request)? = recorder.handlerChallenges.first?.statement else {
                Issue.record("no challenge")
                return
            }
            let isComplete = request.acceptableIssuers.map(Set.init) == Set(authorities.map(\.subject))
            #expect(isComplete)
            let isTheSame = try await session.inspect(url).certificateRequest == request
            #expect(isTheSame)
            await session.close()
        }
    }

    @Test(
        "Of several identities, the session presents the one whose issuer the server accepts",
        arguments: [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13])
    func chosenIdentity(versions: HTTPSession.TLSVersions) async throws {
        let (scene, other, stranger) = (try Scene("root"), try Scene("other"), try Scene("stranger"))
        // The acceptable issuers and the expected identity. If several identities match, the first is presented.
        let cases: [(named: [TestAuthority], presented: Identity?)] = [
            ([scene.root], scene.client), ([stranger.root, other.root], other.client), ([stranger.root], nil),
        ]
        for (named, presented) in cases {
            try await TrustScene.with { servers in
                let recorder = Recorder()
                let session = Self.session(
                    trusting: scene.root, versions, .identities([other.client, scene.client], host: "localhost"),
                    recorder: recorder)
                let url = try await servers.serve(scene.server, naming: named.map(\.certificate))
                #expect(try await session.text(url).status == 200)
                #expect(recorder.connections.first?.tls?.clientCertificate == presented?.certificate)
                await session.close()
            }
        }
    }

    @Test(
        "Parallel handshakes keep each server's acceptable issuers apart",
        arguments: [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13])
    func parallelHandshakes(versions: HTTPSession.TLSVersions) async throws {
        let scene = try Scene("root")
        let authorities = try Scene.authorities(6, length: 3)
        try await TrustScene.with { servers in
            let recorder = Recorder()
            let session = Self.session(
                trusting: scene.root, versions, recorder.handler { _ in .performDefault }, recorder: recorder)
            var named: [String: Certificate?] = [try await servers.serve(scene.server): nil]
            for authority in authorities {
                named[try await servers.serve(scene.server, naming: [authority])] = authority
            }
            for _ in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (url, authority) in named {
                        group.addTask {
                            let request = try await session.inspect(url).certificateRequest
                            #expect(request?.acceptableIssuers == authority.map { [$0.subject] })
                        }
                    }
                    try await group.waitForAll()
                }
            }
            await session.close()
        }
    }

    @Test(
        "One malformed name makes the acceptable issuers unknown",
        arguments: [
            (names: [[0x30, 0]], count: 1), ([[0x30, 0], [5]], nil), ([[0x30, 0], [0x30, 1]], nil), ([], 0), (nil, nil),
        ] as [(names: [[UInt8]]?, count: Int?)])
    func malformedName(names: [[UInt8]]?, count: Int?) {
        let request = names.map {
            TLSIdentityRequest(
                phase: .handshake, version: .tls13, issuers: $0, signatureSchemes: [], certificateTypes: [])
        }
        #expect(ClientCertificateRequest(request).acceptableIssuers?.count == count)
    }

    @Test(
        "The error for a missing client certificate lists the acceptable issuers",
        arguments: [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13])
    func missingIdentity(versions: HTTPSession.TLSVersions) async throws {
        try await withLab { lab in
            try await withSession(lab, change: { $0.tlsVersions = versions }) { session in
                do {
                    _ = try await session.text(lab[.clientCertificateRequired].url)
                    Issue.record("served without a certificate")
                } catch SessionError.tls(.clientCertificateRequired(_, let request)) {
                    #expect(request.acceptableIssuers == [lab.authority.subject])
                    #expect(request.isMet(by: lab.clientIdentity))
                }
            }
        }
    }
}
