// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import Challenges
import Countersign
import Crypto
import ErrorExplanations
import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import Secrets
import SwiftASN1
import Testing
import TrustRecipes
import X509

/// A root, an intermediate and a certificate for localhost that point to the scene's URLs for evidence.
///
/// Sessions use the real clock, so that all certificates are valid now.
private struct PointedChain {
    let root: TestAuthority
    let intermediate: TestAuthority
    let leaf: TestAuthority

    init(
        _ scene: TrustScene, mustStaple: Bool = false, issuerPlace: String? = nil, responderPlace: String? = nil
    ) throws {
        func timed(_ recipe: Recipe) -> Recipe {
            recipe.with { ($0.notBefore, $0.notAfter) = (Date() - 86400, Date() + 86400) }
        }
        root = try TestAuthority(root: timed(.authority("root")))
        intermediate = try root.issue(timed(.authority("intermediate")))
        let access = AuthorityInformationAccess([
            .init(method: .ocspServer, location: .uniformResourceIdentifier(responderPlace ?? scene.place("ocsp"))),
            .init(method: .issuingCA, location: .uniformResourceIdentifier(issuerPlace ?? scene.place("issuer.cer"))),
        ])
        let list = Encoding.sequence(
            Encoding.sequence(
                Encoding.tagged(0, Encoding.tagged(0, Encoding.element(0x86, Array(scene.place("list.crl").utf8))))))
        var extra = [
            try Certificate.Extension(access, critical: false),
            Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: list[...]),
        ]
        if mustStaple {
            let feature = Encoding.sequence([2, 1, 5])
            extra.append(.init(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: feature[...]))
        }
        leaf = try intermediate.issue(
            timed(Recipe()).with { ($0.names, $0.extra) = ([.dnsName("localhost")], extra) })
    }

    /// Returns the OCSP response for the leaf.
    func response(_ status: [UInt8] = ResponseRecipe.good, for validity: TimeInterval = 3600) throws -> [UInt8] {
        try ResponseRecipe().with { recipe in
            recipe.status = status
            recipe.thisUpdate = Encoding.generalizedTime(Date() - 3600)
            recipe.producedAt = recipe.thisUpdate
            recipe.nextUpdate = Encoding.generalizedTime(Date() + validity)
        }.encoded(for: leaf.certificate, issuer: intermediate)
    }

    func list(of authority: TestAuthority, revoking serials: [[UInt8]] = []) throws -> [UInt8] {
        try ListRecipe().with { recipe in
            recipe.thisUpdate = Encoding.utcTime(Date() - 3600)
            recipe.nextUpdate = Encoding.utcTime(Date() + 3600)
            recipe.entries = serials.map { .init($0) }
        }.encoded(by: authority)
    }

    func policy(_ revocation: TrustPolicy.Revocation, missingIssuers: TrustPolicy.MissingIssuers = .notFetched)
        -> TrustPolicy
    {
        // With the intermediate as the anchor, only the revocation of the leaf is checked.
        TrustPolicy(
            anchors: .only([intermediate.certificate]), revocation: revocation, missingIssuers: missingIssuers)
    }
}

private func outcome(
    _ url: String, _ policy: TrustPolicy, recorder: Recorder = Recorder(),
    change: (inout HTTPSession.Configuration) -> Void = { _ in }
) async throws -> Verdict {
    var configuration = HTTPSession.Configuration(trust: policy)
    configuration.observer = recorder.note
    // The timeout allows for a busy machine; tests of the timeout set a shorter one.
    configuration.evidenceTimeout = .seconds(100)
    change(&configuration)
    let session = HTTPSession(configuration)
    let result: Result<Verdict, any Error>
    do {
        _ = try await session.text(url)
        result = .success(try #require(recorder.connections.first?.tls?.verdict))
    } catch SessionError.trust(.notTrusted(_, _, let verdict)) {
        result = .success(verdict)
    } catch {
        result = .failure(error)
    }
    await session.close()
    return try result.get()
}

struct EvidenceTests {
    @Test(
        "A missing issuer is fetched as DER, PEM or CMS if the policy allows it", arguments: ["DER", "PEM", "CMS"])
    func missingIssuer(form: String) async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let issuer = chain.intermediate.certificate
            let signedData: [UInt8] = [0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]
            let body =
                switch form {
                case "PEM": Array(try issuer.serializeAsPEM().pemString.utf8)
                case "CMS":
                    Encoding.sequence(
                        signedData,
                        Encoding.tagged(
                            0,
                            Encoding.sequence(
                                [2, 1, 1], [0x31, 0], Encoding.sequence(Encoding.identifier([0x2a])),
                                Encoding.tagged(0, try issuer.bytes()), [0x31, 0])))
                default: try issuer.bytes()
                }
            scene.answer("issuer.cer", .init(.ok, body: body))
            let url = try await scene.serve(chain.leaf)
            var policy = TrustPolicy(anchors: .only([chain.root.certificate]))
            #expect(try await outcome(url, policy).failure?.code == "trust.issuer-not-found")
            #expect(scene.questions.isEmpty)
            policy.missingIssuers = .fetched
            #expect(try await outcome(url, policy).isTrusted)
            #expect(scene.questions.map(\.path) == ["/issuer.cer"])
        }
    }

    /// Evidence is fetched over separate connections.
    @Test("A server trust decision sees the chain of the proxy through which evidence is fetched")
    func trustDecision() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            scene.answer("issuer.cer", .init(.ok, body: try chain.intermediate.certificate.bytes()))
            let url = try await scene.serve(chain.leaf)
            let seen = NIOLockedValueBox<[HostEndpoint]>([])
            try await withLab { lab in
                let policy = TrustPolicy(
                    anchors: .only([chain.root.certificate, lab.authority]), missingIssuers: .fetched)
                let proxy = try Proxy(lab[.proxyTLS].url)
                let verdict = try await outcome(url, policy) { configuration in
                    configuration.proxy = proxy
                    configuration.serverTrustDecision = { trust in
                        seen.withLockedValue { $0.append(trust.endpoint) }
                        return .performDefault
                    }
                }
                #expect(verdict.isTrusted)
                let origin = try HostEndpoint(of: url)
                #expect(seen.withLockedValue { $0 } == [proxy.endpoint, proxy.endpoint, origin])
            }
        }
    }

    @Test(
        "An evidence URL in another part of the local network is not fetched, and the session reports it",
        arguments: [
            ("http://10.255.255.1/issuer.cer", nil), ("http://169.254.169.254/issuer.cer", nil),
            ("http://[fd00::1]/issuer.cer", nil), (nil, "http://10.255.255.1/issuer.cer"),
            (nil, "http://169.254.169.254/"),
        ] as [(String?, String?)])
    func localEvidence(place: String?, redirect: String?) async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene, issuerPlace: place)
            if let redirect { scene.answer("issuer.cer", .init(.found, [.location: redirect])) }
            let url = try await scene.serve(chain.leaf)
            let recorder = Recorder()
            let trust = TrustPolicy(
                anchors: .only([chain.root.certificate]), missingIssuers: .fetched)
            #expect(try await outcome(url, trust, recorder: recorder).failure?.code == "trust.issuer-not-found")
            #expect(recorder.printed.contains("refusedEvidence"))
        }
    }

    @Test(
        "If the policy checks revocation, the OCSP responder determines the status",
        arguments: [
            (.good, .whereDemanded, nil), (.good, .hardFail, nil), (.revoked, .softFail, "trust.revoked"),
            (.revoked, .hardFail, "trust.revoked"), (.revoked, .whereDemanded, nil),
        ] as [(ReportedStatus, TrustPolicy.Revocation, String?)])
    fileprivate func responder(
        reported: ReportedStatus, policy: TrustPolicy.Revocation, code: String?
    ) async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let status = reported == .good ? ResponseRecipe.good : ResponseRecipe.revoked(at: Date() - 60, reason: 1)
            scene.answer("ocsp", .init(.ok, body: try chain.response(status)))
            let url = try await scene.serve(chain.leaf)
            #expect(try await outcome(url, chain.policy(policy)).failure?.code == code)
            #expect(scene.questions.count == (policy == .whereDemanded ? 0 : 1))
            #expect(scene.questions.allSatisfy { $0.method == .get && $0.path?.hasPrefix("/ocsp/") == true })
        }
    }

    fileprivate enum ReportedStatus { case good, revoked }

    /// A connection serves new requests only until the OCSP response of its handshake expires.
    @Test(
        "An open connection is not used after its OCSP response has expired and the next one says revoked",
        arguments: [ConnectionReport.HTTPVersion.http1, .http2])
    func changedStatus(version: ConnectionReport.HTTPVersion) async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let server = version == .http2 ? try await scene.serveHTTP2(chain.leaf) : nil
            let url = if let server { server.url } else { try await scene.serve(chain.leaf) }
            scene.answer("ocsp", .init(.ok, body: try chain.response(for: 8)))
            let session = HTTPSession(.init(trust: chain.policy(.hardFail)))
            let response = try await session.get(url)
            #expect(response.connection.httpVersion == version)
            #expect(try await response.text() == "hello")
            scene.answer("ocsp", .init(.ok, body: try chain.response(ResponseRecipe.revoked(at: Date(), reason: 1))))
            var code: String?
            let deadline = ContinuousClock.now + .seconds(60)
            while code == nil, ContinuousClock.now < deadline {
                do {
                    _ = try await session.text(url)
                    try await Task.sleep(for: .milliseconds(100))
                } catch SessionError.trust(.notTrusted(_, _, let verdict)) {
                    code = verdict.failure?.code
                }
            }
            #expect(code == "trust.revoked")
            await session.close()
            await server?.stop()
        }
    }

    @Test("The CRL is fetched if the OCSP responder fails") func revocationList() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            scene.answer("ocsp", .init(.internalServerError))
            scene.answer("list.crl", .init(.ok, body: try chain.list(of: chain.intermediate)))
            #expect(try await outcome(url, chain.policy(.hardFail)).isTrusted)
            #expect(scene.questions.map { $0.path?.prefix(5) } == ["/ocsp", "/list"])
            let serial = Array(chain.leaf.certificate.serialNumber.bytes)
            scene.answer("list.crl", .init(.ok, body: try chain.list(of: chain.intermediate, revoking: [serial])))
            #expect(try await outcome(url, chain.policy(.softFail)).failure?.code == "trust.revoked")
        }
    }

    @Test(
        "Outdated or unnumbered revocation information still revokes for a session",
        arguments: [TrustPolicy.Revocation.softFail, .hardFail])
    func faultyEvidence(policy: TrustPolicy.Revocation) async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            let revoked = ResponseRecipe.revoked(at: Date() - 60, reason: 1)
            scene.answer("ocsp", .init(.ok, body: try chain.response(revoked, for: -60)))
            #expect(try await outcome(url, chain.policy(policy)).failure?.code == "trust.revoked")
            scene.answer("ocsp", .init(.internalServerError))
            let list = try ListRecipe().with { recipe in
                recipe.thisUpdate = Encoding.utcTime(Date() - 3600)
                (recipe.nextUpdate, recipe.number) = (nil, nil)
                recipe.entries = [.init(Array(chain.leaf.certificate.serialNumber.bytes), reason: 7)]
            }.encoded(by: chain.intermediate)
            scene.answer("list.crl", .init(.ok, body: list))
            #expect(try await outcome(url, chain.policy(policy)).failure?.code == "trust.revoked")
        }
    }

    @Test("A session remembers a revocation even if the responder later is silent or reports good")
    func rememberedRevocation() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            // The response is already expired, so that the responder is asked again.
            let revoked = ResponseRecipe.revoked(at: Date() - 60, reason: 1)
            scene.answer("ocsp", .init(.ok, body: try chain.response(revoked, for: -60)))
            var configuration = HTTPSession.Configuration(trust: chain.policy(.softFail))
            configuration.evidenceTimeout = .seconds(100)
            let session = HTTPSession(configuration)
            func code() async throws -> String? {
                do {
                    _ = try await session.text(url)
                    return nil
                } catch SessionError.trust(.notTrusted(_, _, let verdict)) {
                    return verdict.failure?.code
                }
            }
            #expect(try await code() == "trust.revoked")
            scene.answer("ocsp", .init(.internalServerError))
            #expect(try await code() == "trust.revoked")
            scene.answer("ocsp", .init(.ok, body: try chain.response()))
            #expect(try await code() == "trust.revoked")
            await session.close()
        }
    }

    @Test("A hold is checked again and ends with a later response") func hold() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            let onHold = ResponseRecipe.revoked(at: Date() - 60, reason: 6)
            scene.answer("ocsp", .init(.ok, body: try chain.response(onHold, for: -60)))
            var configuration = HTTPSession.Configuration(trust: chain.policy(.softFail))
            configuration.evidenceTimeout = .seconds(100)
            let session = HTTPSession(configuration)
            await #expect(throws: SessionError.self) { try await session.text(url) }
            scene.answer("ocsp", .init(.ok, body: try chain.response()))
            #expect(try await session.text(url).status == 200)
            await session.close()
        }
    }

    @Test(
        "An evidence server that does not respond delays the handshake at most by the timeout", .timeLimit(.minutes(2)),
        arguments: [TrustPolicy.Revocation.softFail, .hardFail])
    func timeout(policy: TrustPolicy.Revocation) async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            scene.answer("ocsp", .silence)
            scene.answer("list.crl", .silence)
            let verdict = try await outcome(url, chain.policy(policy)) { $0.evidenceTimeout = .milliseconds(300) }
            #expect(verdict.failure?.code == (policy == .softFail ? nil : "trust.revocation-unknown"))
            #expect(verdict.remarks.isEmpty == (policy == .hardFail))
        }
    }

    @Test("An OCSP responder that does not respond leaves time for the CRL") func slowResponder() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            scene.answer("ocsp", .silence)
            scene.answer("list.crl", .init(.ok, body: try chain.list(of: chain.intermediate)))
            let verdict = try await outcome(url, chain.policy(.hardFail)) { $0.evidenceTimeout = .seconds(30) }
            #expect(verdict.isTrusted)
        }
    }

    @Test("After an OCSP error status, the revocation status is unknown") func responderError() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            scene.answer("ocsp", .init(.ok, body: [0x30, 3, 0x0a, 1, 3]))
            #expect(try await outcome(url, chain.policy(.hardFail)).failure?.code == "trust.revocation-unknown")
            scene.answer("list.crl", .init(.ok, body: try chain.list(of: chain.intermediate)))
            #expect(try await outcome(url, chain.policy(.hardFail)).isTrusted)
        }
    }

    @Test("For a certificate with the TLS feature and no staple, the OCSP response is fetched")
    func mustStaple() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene, mustStaple: true)
            let url = try await scene.serve(chain.leaf)
            #expect(try await outcome(url, chain.policy(.whereDemanded)).failure?.code == "trust.revocation-unknown")
            scene.answer("ocsp", .init(.ok, body: try chain.response()))
            let verdict = try await outcome(url, chain.policy(.whereDemanded))
            #expect(verdict.isTrusted)
            #expect(verdict.remarks.contains { if case .stapleFetched = $0 { true } else { false } })
        }
    }

    @Test("Parallel connections share one fetch and its response") func sharedFetch() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            scene.answer("ocsp", .init(.ok, body: try chain.response()))
            var configuration = HTTPSession.Configuration(trust: chain.policy(.hardFail))
            configuration.evidenceTimeout = .seconds(100)
            let session = HTTPSession(configuration)
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<8 { group.addTask { try? await session.text(url).status } }
                #expect(await group.reduce(into: []) { $0.append($1) } == [Int?](repeating: 200, count: 8))
            }
            await session.close()
            #expect(scene.questions.count == 1)
        }
    }

    @Test("A fetch sends User-Agent and Accept and no other field") func fetchedFields() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            let url = try await scene.serve(chain.leaf)
            scene.answer("ocsp", .init(.ok, body: try chain.response()))
            let recorder = Recorder()
            _ = try await outcome(url, chain.policy(.hardFail), recorder: recorder) {
                $0.handlers = [.basic: .closure { _ in .use(.password(user: "mary", password: Secret("secret"))) }]
            }
            let names = Set(scene.questions.flatMap { $0.headerFields.map(\.name) })
            #expect(names == [.userAgent, .accept])
        }
    }
}

/// The fetching of evidence for a chain that was not obtained by a connection, and the report of each source.
struct EvidenceSourceTests {
    /// The trouble with an OCSP responder, and the expected problem.
    struct Trouble: CustomTestStringConvertible, Sendable {
        let name: String
        let reply: ScriptedServer.Reply?
        var place: String?
        let problem: @Sendable (String) -> RevocationProblem
        var testDescription: String { name }

        init(
            _ name: String, _ reply: ScriptedServer.Reply?, at place: String? = nil, _ problem: EvidenceFetchProblem
        ) {
            (self.name, self.reply, self.place) = (name, reply, place)
            self.problem = { .notFetched($0, problem) }
        }

        init(_ name: String, refusal: UInt8, _ problem: OCSPResponse.Refusal) {
            (self.name, reply) = (name, .init(.ok, body: ResponseRecipe.refusal(refusal)))
            self.problem = { _ in .responderRefused(problem) }
        }
    }

    static let troubles = [
        Trouble("404", .init(.notFound), .status(404)),
        Trouble("500", .init(.internalServerError), .status(500)),
        Trouble(
            "HTML", .init(.ok, [.contentType: "text/html; charset=utf-8"], body: "<html>"), .contentType("text/html")),
        Trouble("garbage", .init(.ok, [.contentType: "application/ocsp-response"], body: [1, 2, 3]), .unreadable),
        Trouble("garbage of unknown type", .init(.ok, body: [1, 2, 3]), .unreadable),
        Trouble("an empty body", .init(.ok, body: [UInt8]()), .empty),
        Trouble("a large body", .init(.ok, body: [UInt8](repeating: 0, count: 300_000)), .tooLarge(limit: 1 << 18)),
        Trouble("silence", .silence, .timedOut),
        Trouble("a redirect loop", .init(.found, [.location: "/ocsp/"]), .redirects),
        Trouble("a closed port", nil, at: "http://localhost:1/ocsp", .cannotConnect),
        Trouble("an unknown host", nil, at: "http://ocsp.invalid/", .cannotResolve),
        Trouble("a local address", nil, at: "http://10.255.255.1/", .localAddress),
        Trouble("malformedRequest", refusal: 1, .malformedRequest),
        Trouble("internalError", refusal: 2, .internalError),
        Trouble("tryLater", refusal: 3, .tryLater),
        Trouble("sigRequired", refusal: 5, .signatureRequired),
        Trouble("unauthorized", refusal: 6, .unauthorized),
    ]

    private func verdict(_ chain: PointedChain, _ policy: TrustPolicy, timeout: Duration = .seconds(100)) async throws
        -> Verdict
    {
        var configuration = HTTPSession.Configuration()
        configuration.evidenceTimeout = timeout
        let fetcher = EvidenceFetcher(configuration)
        let evaluator = TrustEvaluator(policy: policy, systemAnchors: AnchorStore([]))
        let (presented, host) = (try #require(PresentedChain([chain.leaf.certificate])), try HostName("localhost"))
        let verdict = await fetcher.verdict(under: policy, for: host) {
            evaluator.evaluate(presented, for: host, at: Date(), with: $0)
        }
        await fetcher.close()
        return verdict
    }

    @Test("The verdict names the problem of each responder, and uses the next source", arguments: troubles)
    func responder(_ trouble: Trouble) async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene, responderPlace: trouble.place)
            if let reply = trouble.reply { scene.answer("ocsp", reply) }
            let place = trouble.place ?? scene.place("ocsp")
            let timeout: Duration = trouble.name == "silence" ? .seconds(6) : .seconds(100)
            scene.answer("list.crl", .init(.ok, body: try chain.list(of: chain.intermediate)))
            let verdict = try await verdict(chain, chain.policy(.hardFail), timeout: timeout)
            #expect(verdict.isTrusted)
            let sources = try #require(verdict.paths.last?.revocation?.first?.sources)
            #expect(sources.map(\.origin.kind) == [.list, .responder])
            #expect(sources.map(\.origin.place) == [scene.place("list.crl"), place])
            #expect(sources.last?.answer == .unknown(trouble.problem(place)))
        }
    }

    @Test("A responder that does not support GET is asked with POST") func post() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            scene.answer("ocsp/", .init(.methodNotAllowed))
            scene.answer("ocsp", posted: .init(.ok, body: try chain.response()))
            let verdict = try await verdict(chain, chain.policy(.hardFail))
            #expect(verdict.isTrusted)
            #expect(scene.questions.map(\.method) == [.get, .post])
        }
    }

    @Test("Without any answer, the failure names the problem of the first source, and the verdict all of them")
    func noAnswer() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            scene.answer("ocsp", .init(.internalServerError))
            let verdict = try await verdict(chain, chain.policy(.hardFail))
            let leaf = CertificateSummary(chain.leaf.certificate)
            let problems = [(scene.place("ocsp"), 500), (scene.place("list.crl"), 404)].map {
                RevocationProblem.notFetched($0, .status($1))
            }
            #expect(verdict.failures == [.revocationUnknown(leaf, problems.first)])
            let sources = verdict.paths.last?.revocation?.first?.sources.map(\.answer)
            #expect(sources == problems.map { .unknown($0) })
        }
    }

    @Test("With the scope of the leaf, only the sources of the leaf are asked") func scope() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            scene.answer("ocsp", .init(.ok, body: try chain.response()))
            scene.answer("issuer.cer", .init(.ok, body: try chain.intermediate.certificate.bytes()))
            let policy = TrustPolicy(
                anchors: .only([chain.root.certificate]), revocation: .hardFail, missingIssuers: .fetched,
                revocationScope: .leaf)
            let verdict = try await verdict(chain, policy)
            #expect(verdict.isTrusted)
            #expect(verdict.paths.last?.revocation?.map(\.answer).last == .outOfScope)
            #expect(verdict.paths.last?.revocation?.first?.sources.map(\.origin.kind) == [.responder])
        }
    }

    @Test("A list of another issuer and a response for another certificate are named") func others() async throws {
        try await TrustScene.with { scene in
            let chain = try PointedChain(scene)
            scene.answer("list.crl", .init(.ok, body: try chain.list(of: chain.root)))
            let other = try chain.intermediate.issue(Recipe().with { $0.serialNumber = [0x41] })
            let response = try ResponseRecipe().encoded(for: other.certificate, issuer: chain.intermediate)
            scene.answer("ocsp", .init(.ok, body: response))
            let verdict = try await verdict(chain, chain.policy(.softFail))
            #expect(verdict.isTrusted)
            let sources = verdict.paths.last?.revocation?.first?.sources.map(\.answer)
            #expect(sources == [.unknown(.otherIssuer), .unknown(.otherCertificate)])
        }
    }
}
