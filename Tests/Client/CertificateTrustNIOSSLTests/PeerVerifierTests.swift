// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CertificateTrustNIOSSL
import ChallengeLab
import Countersign
import Crypto
import ErrorExplanations
import Foundation
import Identities
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import Testing
import TrustRecipes
import X509

@Suite("Verification of TLS peers") struct PeerVerifierTests {
    @Test(
        "A server is trusted if its chain is valid for the host of the verifier",
        arguments: [
            (host: "a.test", names: [GeneralName.dnsName("a.test")], code: String?.none),
            ("A.Test.", [.dnsName("a.test")], nil),
            ("b.a.test", [.dnsName("*.a.test")], nil),
            ("xn--bcher-kva.test", [.dnsName("xn--bcher-kva.test")], nil),
            ("127.0.0.1", [.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))], nil),
            ("127.0.0.1", [.dnsName("127.0.0.1")], "trust.host-mismatch"),
            ("b.test", [.dnsName("a.test")], "trust.host-mismatch"),
        ])
    func hosts(host: String, names: [GeneralName], code: String?) async throws {
        let root = try TestAuthority.valid("root")
        let peers = TLSPeers(server: try root.identity(Recipe().with { $0.names = names }))
        try await expect(peers, root.policy.verifying(host), code)
    }

    @Test("A name in other letters than ASCII, and a name that is none, make no verifier")
    func malformedHosts() throws {
        for host in ["bücher.test", "a b", "300.1"] {
            #expect(throws: HostNameError.self) { try TrustPolicy(anchors: .only([Certificate]())).verifying(host) }
        }
        let policy = TrustPolicy(anchors: .only([Certificate]()))
        #expect(try policy.verifying("A.Test.").serverName == "a.test")
        for host in ["127.0.0.1", "[::1]"] { #expect(try policy.verifying(host).serverName == nil) }
        #expect(try policy.verifyingClients().serverName == nil)
    }

    @Test("Anchors, validity, pins and distrusted certificates hold as in a session") func policies() async throws {
        let (root, other) = (try TestAuthority.valid("root"), try TestAuthority.valid("other root"))
        let identity = try root.identity(Recipe())
        let peers = TLSPeers(server: identity)
        var policy = root.policy
        try await expect(peers, other.policy.verifying("a.test"), "trust.issuer-not-found")
        policy.pins = [Pin(of: identity.certificate)]
        try await expect(peers, policy.verifying("a.test"), nil)
        policy.pins = [Pin(of: other.certificate)]
        try await expect(peers, policy.verifying("a.test"), "trust.pin-mismatch")
        policy.validation = .dangerouslyDisabled
        try await expect(peers, policy.verifying("b.test"), "trust.pin-mismatch")
        policy.pins = []
        try await expect(peers, policy.verifying("b.test"), nil)
        policy.distrusted = [identity.certificate]
        try await expect(peers, policy.verifying("a.test"), "trust.distrusted")
        let expired = try root.issue(Recipe().with { ($0.notBefore, $0.notAfter) = (Date() - 9, Date() - 5) })
        let late = TLSPeers(
            server: try Identity(chain: [expired.certificate], privateKey: .init(expired.key)))
        try await expect(late, root.policy.verifying("a.test"), "trust.expired")
    }

    @Test(
        "A client is admitted if its chain is for client authentication and contains one of the names",
        arguments: [
            (names: [String]?.none, purpose: ExtendedKeyUsage.Usage.clientAuth, code: String?.none),
            (["b.test", "mary@a.test", "127.0.0.9"], .clientAuth, nil),
            (["b.test", "a.test"], .clientAuth, nil),
            (["b.test", "c.test"], .clientAuth, "trust.host-mismatch"),
            ([], .clientAuth, "trust.host-mismatch"),
            (nil, .serverAuth, "trust.extended-key-usage"),
        ])
    func clients(names: [String]?, purpose: ExtendedKeyUsage.Usage, code: String?) async throws {
        let root = try TestAuthority.valid("root")
        let outcomes = Outcomes()
        let peers = TLSPeers(
            server: try root.identity(Recipe()),
            client: try root.identity(
                Recipe().with {
                    $0.names = [.dnsName("a.test"), .rfc822Name("mary@a.test")]
                    $0.purposes = [purpose]
                }),
            clientVerifier: try root.policy.verifyingClients(named: names, report: outcomes.note))
        let answer = try? await peers.connect(with: root.policy.verifying("a.test"))
        // The verified path contains the root, which the client did not send.
        #expect((answer == "2") == (code == nil))
        #expect(outcomes.all.count == 1)
        #expect(outcomes.code == code)
    }

    @Test("The verdict on a client names the name that matched, and its error the admitted names")
    func clientNames() async throws {
        let root = try TestAuthority.valid("root")
        let outcomes = Outcomes()
        var peers = TLSPeers(
            server: try root.identity(Recipe()),
            client: try root.identity(Recipe().with { $0.purposes = [.clientAuth] }))
        for names in [["b.test", "a.test"], ["b.test", "c.test", "d.test", "e.test", "f.test"]] {
            peers.clientVerifier = try root.policy.verifyingClients(named: names, report: outcomes.note)
            _ = try? await peers.connect(with: root.policy.verifying("a.test"))
        }
        #expect(try outcomes.all.first?.get().host == "a.test")
        #expect(throws: PeerVerificationError.self) { try outcomes.all.last?.get() }
        guard case .failure(let error) = outcomes.all.last else { return }
        #expect(
            error.explanation.message.contains("b.test or c.test or d.test or one of 2 other names"),
            "\(error.explanation.message)")
    }

    @Test("A client without a certificate is refused before a verification") func anonymousClient() async throws {
        let root = try TestAuthority.valid("root")
        let outcomes = Outcomes()
        let peers = TLSPeers(
            server: try root.identity(Recipe()),
            clientVerifier: try root.policy.verifyingClients(report: outcomes.note))
        let answer = try? await peers.connect(with: root.policy.verifying("a.test"))
        #expect(answer ?? "" == "")
        #expect(outcomes.all.isEmpty)
    }

    @Test("The error explains the verdict, and the caller receives it before NIOSSL's") func explanation() async throws
    {
        let root = try TestAuthority.valid("root")
        let peers = TLSPeers(server: try root.identity(Recipe()))
        do {
            _ = try await peers.connect(with: root.policy.verifying("b.test"))
            Issue.record("the server was trusted")
        } catch let error as PeerVerificationError {
            guard case .notTrusted(.server(let host), let chain, let verdict) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(host.description == "b.test" && chain.leaf.names == ["a.test"] && !verdict.isTrusted)
            #expect(error.explanation.message.hasPrefix("b.test is not trusted: "))
        }
    }

    @Test("A certificate that cannot be read is an error with the reason") func unreadable() async throws {
        let root = try TestAuthority.valid("root")
        let outcomes = Outcomes()
        let verifier = try root.policy.verifying("a.test", report: outcomes.note)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let small = try NIOSSLCertificate(
            bytes: Array(try #require(Data(base64Encoded: Self.smallKey))), format: .der)
        for (chain, code) in [([], "verification.malformed-certificate"), ([small], "trust.weak-key")] {
            let promise = loop.makePromise(of: NIOSSLVerificationResult.self)
            verifier.callback(chain, promise)
            guard case .failed = try await promise.futureResult.get() else {
                Issue.record("\(code) is missing")
                continue
            }
            #expect(outcomes.code == code)
        }
    }

    @Test("A policy whose checks NIOSSL's callbacks cannot make is refused")
    func unsupportedPolicies() throws {
        let root = try TestAuthority.valid("root")
        var policy = root.policy
        for revocation in [TrustPolicy.Revocation.softFail, .hardFail] {
            policy.revocation = revocation
            #expect(throws: PeerVerificationError.self) { try policy.verifying("a.test") }
        }
        policy = TrustPolicy(anchors: .only([root.certificate]), missingIssuers: .fetched)
        #expect(throws: PeerVerificationError.self) { try policy.verifyingClients() }
        policy = TrustPolicy(anchors: .only([root.certificate]), validation: .firstUse)
        #expect(throws: PeerVerificationError.self) { try policy.verifying("a.test") }
    }

    @Test(
        "Revocation is checked with fetched evidence, for servers and clients",
        arguments: [(revoked: false, isClient: false), (true, false), (false, true), (true, true)])
    func revocation(revoked: Bool, isClient: Bool) async throws {
        let root = try TestAuthority.valid("root")
        let list = try ListRecipe().with { recipe in
            recipe.thisUpdate = Encoding.utcTime(Date() - 3600)
            recipe.nextUpdate = Encoding.utcTime(Date() + 3600)
            recipe.entries = revoked ? [.init(Recipe().serialNumber)] : []
        }.encoded(by: root)
        let host = try await ScriptedServer.start { _ in .init(.ok, body: list) }
        let place = Encoding.sequence(
            Encoding.sequence(
                Encoding.tagged(
                    0, Encoding.tagged(0, Encoding.element(0x86, Array("http://localhost:\(host.port)/".utf8))))))
        let pointed = try root.identity(
            Recipe().with {
                $0.purposes = [.serverAuth, .clientAuth]
                $0.extra = [Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: place[...])]
            })
        var policy = root.policy
        policy.revocation = .hardFail
        // The list is on loopback, and the server's name is not.
        policy.localEvidence = .allowed
        let (fetcher, outcomes) = (EvidenceFetcher(), Outcomes())
        var peers = TLSPeers(server: pointed)
        if isClient {
            peers.client = pointed
            peers.clientVerifier = try policy.verifyingClients(evidence: fetcher, report: outcomes.note)
            _ = try? await peers.connect(with: root.policy.verifying("a.test"))
        } else {
            _ = try? await peers.connect(with: policy.verifying("a.test", evidence: fetcher), noting: outcomes)
        }
        #expect(outcomes.all.count == 1)
        #expect(outcomes.code == (revoked ? "trust.revoked" : nil))
        #expect(host.requestCount == 1)
        await fetcher.close()
        await host.stop()
    }

    @Test("A verification runs outside the event loops, and completes after its connection was closed")
    func closedConnection() async throws {
        let root = try TestAuthority.valid("root")
        var policy = root.policy
        policy.revocation = .softFail
        let (evidence, outcomes) = (HeldEvidence(), Outcomes())
        let verifier = try policy.verifying("a.test", evidence: evidence)
        var peers = TLSPeers(server: try root.identity(Recipe()))
        peers.opened = { channel in
            Task {
                await evidence.started.wait()
                try? await channel.close()
                evidence.closed.open()
            }
        }
        // A promise that is never completed would end the process.
        _ = try? await peers.connect(with: verifier, noting: outcomes)
        while outcomes.all.isEmpty { await Task.yield() }
        #expect(try outcomes.all.first?.get().isTrusted == true)
        #expect(evidence.isOutsideLoops)
    }

    private func expect(_ peers: TLSPeers, _ verifier: PeerVerifier, _ code: String?) async throws {
        let outcomes = Outcomes()
        do {
            #expect(try await peers.connect(with: verifier, noting: outcomes) == "0")
            #expect(code == nil)
        } catch let error as PeerVerificationError {
            #expect(error.code == code)
        }
        #expect(outcomes.all.count == 1)
        #expect(outcomes.code == code)
    }

    /// A self-signed certificate with a 1024-bit RSA key, made with OpenSSL.
    private static let smallKey = """
        MIICGjCCAYOgAwIBAgIUYCRF58s0USSalQ7mMBbGI6gSFBIwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MB4X\
        DTI2MTEyMzA1NDg1MFoXDTI2MTIyMzA1NDg1MFowFDESMBAGA1UEAwwJbG9jYWxob3N0MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB\
        iQKBgQCyU9Yd341A4MWBPlQX7TDTsE77ZRkVQAxXKfyuG2/BYdzzsBpwA5qaM0PHqWkOoA+JxecHq7HqZQnysK4B/709/Pcka9+T\
        mbEOTL02PwokZEtqYT21kfESu5y9J2qrhjD1yj0iNX9gv1Dhy8AKiUhvyrMYJaQNBx6ogJbJOjDIGQIDAQABo2kwZzAdBgNVHQ4E\
        FgQU5Havf007xJkee/gpO53jN9zu5towHwYDVR0jBBgwFoAU5Havf007xJkee/gpO53jN9zu5towDwYDVR0TAQH/BAUwAwEB/zAU\
        BgNVHREEDTALgglsb2NhbGhvc3QwDQYJKoZIhvcNAQELBQADgYEAkN3EPnm941QySRx3lWdAVYBslSvKwgASbRaLfcqArPVjBsfL\
        q45mV+fRl4nNrRxRha7GgdOVSiexM3S5dMUsUdBiZKCZSVrZze7SAVwQptPPbgpZ6gqhtXCZ7+1e1FFrHez9ut530Qo0CnWf7bKZ\
        SvxZHFeJrLKfqOwZHeuomvo=
        """
}

/// Evidence that is complete when the connection was closed.
private final class HeldEvidence: EvidenceFetching {
    /// A gate that a task can wait for.
    struct Gate: Sendable {
        private let stream: AsyncStream<Never>
        private let continuation: AsyncStream<Never>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream() }

        func open() { continuation.finish() }
        func wait() async { for await _ in stream {} }
    }

    let started = Gate()
    let closed = Gate()
    private let outside = NIOLockedValueBox(false)

    /// Whether the evaluation ran outside the event loops.
    var isOutsideLoops: Bool { outside.withLockedValue { $0 } }

    func verdict(
        under policy: TrustPolicy, for host: HostName?, by evaluate: @Sendable (TrustEvidence) -> Verdict
    ) async -> Verdict {
        started.open()
        await closed.wait()
        outside.withLockedValue { $0 = MultiThreadedEventLoopGroup.currentEventLoop == nil }
        return evaluate(TrustEvidence())
    }
}
