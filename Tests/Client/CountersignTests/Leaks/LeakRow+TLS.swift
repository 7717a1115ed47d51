// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import Identities
import Testing

/// Rows in which the client must send nothing over a connection whose server was not verified.
extension LeakRow {
    static let tls: [LeakRow] =
        [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13].flatMap { versions in
            [true, false].flatMap { [tickets(versions, $0), proxyTickets(versions, $0)] } + [identities(versions)]
        }
        + [
            distrusted("no anchor", "CVE-2026-9545") { _ in TrustPolicy(anchors: .only([])) },
            distrusted("another host's name", "CVE-2013-4545, RFC 9525 section 6", names: ["elsewhere.test"]) {
                TrustPolicy(anchors: .only([$0.certificate]))
            },
            distrusted("another host's name, to a lenient profile", "CVE-2013-4545", names: ["elsewhere.test"]) {
                TrustPolicy(anchors: .only([$0.certificate]), profile: .privatePKI, revocation: .softFail)
            },
            distrusted("no pin matches", "RFC 7469 section 2.6", to: wrongPin(.full)),
            distrusted(
                "no pin matches with disabled validation", "CVE-2025-5025, CVE-2025-13034",
                to: wrongPin(.dangerouslyDisabled)),
            distrusted("no pin matches on first use", "CVE-2025-5025", to: wrongPin(.firstUse)),
            changedTrust, acceptedForOneHost,
        ]

    private static func wrongPin(
        _ validation: TrustPolicy.Validation
    ) -> @Sendable (CertificateAuthority) throws -> TrustPolicy {
        { authority in
            let pin = try Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            return TrustPolicy(anchors: .only([authority.certificate]), pins: [pin], validation: validation)
        }
    }

    /// Returns a row in which an untrusted server receives nothing, not even early data.
    private static func distrusted(
        _ name: String, _ source: String, names: [String] = ["localhost"],
        to policy: @escaping @Sendable (CertificateAuthority) throws -> TrustPolicy
    ) -> LeakRow {
        LeakRow(
            "not trusted: " + name, source, guarded: [.init("s3cret-of-mary", at: [.other])],
            arrivals: [.init("GET /said", at: .other)]
        ) { scene async throws in
            let identity = try scene.identity(names: names)
            let origin = try await scene.serve(.origin, isSecure: true, presenting: identity) { _ in .init(.ok) }
            let other = try await scene.serve(.other, isSecure: true) { _ in .init(.ok) }
            let distrusting = try policy(scene.authority)
            for (server, trust, status) in [(origin, distrusting as TrustPolicy?, nil as Int?), (other, nil, 200)] {
                var request = SessionRequest(url: server.url("/said"), trust: trust)
                request.credential = .mary("s3cret-of-mary")
                request.preemptiveMethod = .basic
                #expect(await scene.send(request, in: scene.session()) == status)
            }
            #expect(scene.received()[.origin.over(1)] == nil)
            let hello = try #require(scene.received(.wire)[.origin.over(1)].flatMap(ClientHello.init))
            #expect(!hello.announcesEarlyData)
        }
    }

    /// Expects that each connection but the first resumes a session, or that none does, and that none sends early data.
    private static func expectHellos(_ scene: LeakScene, _ party: Place.Party, connections: Int, resume: Bool) {
        let received = scene.received(.wire)
        let hellos = (1...connections).map { received[Place(party: party).over($0)].flatMap(ClientHello.init) }
        #expect(hellos.map { $0?.resumes } == [false] + .init(repeating: resume, count: connections - 1))
        #expect(hellos.allSatisfy { $0?.announcesEarlyData == false })
    }

    private static func tickets(_ versions: HTTPSession.TLSVersions, _ resumes: Bool) -> LeakRow {
        LeakRow(
            "\(resumes ? "sessions are resumed without early data" : "no session is resumed"), \(versions)",
            "CVE-2016-5419, CVE-2017-7468, CVE-2026-9545",
            guarded: [.init("s3cret-of-mary", at: [.origin])], arrivals: [.init("GET /", at: .origin.over(2))]
        ) { scene async throws in
            let origin = try await scene.serve(
                .origin, isSecure: true, LeakServer.asking(then: .init(.ok, [.connection: "close"])))
            let session = scene.session([.basic: .closure { _ in .use(.mary("s3cret-of-mary")) }]) {
                ($0.tlsVersions, $0.resumesTLSSessions) = (versions, resumes)
            }
            for _ in 0..<3 { #expect(await scene.get(origin.url(), in: session) == 200) }
            expectHellos(scene, .origin, connections: 3, resume: resumes)
        }
    }

    private static func proxyTickets(_ versions: HTTPSession.TLSVersions, _ resumes: Bool) -> LeakRow {
        LeakRow(
            "\(resumes ? "sessions are" : "no session is") resumed, with a proxy or through it, \(versions)",
            "CVE-2021-22890",
            guarded: [], arrivals: [.init("CONNECT", at: .proxy.over(2)), .init("GET /", at: .origin.over(2))]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, isSecure: true) { _ in .init(.ok, [.connection: "close"]) }
            let proxy = try await scene.proxy(isSecure: true)
            let session = scene.session(proxy: try proxy.proxy) {
                ($0.tlsVersions, $0.resumesTLSSessions) = (versions, resumes)
            }
            for _ in 0..<2 { #expect(await scene.get(origin.url(), in: session) == 200) }
            expectHellos(scene, .proxy, connections: 2, resume: resumes)
            expectHellos(scene, .origin, connections: 2, resume: resumes)
        }
    }

    private static func identities(_ versions: HTTPSession.TLSVersions) -> LeakRow {
        LeakRow(
            "a client's identity changes, \(versions)", "CVE-2016-5420, CVE-2026-8932", guarded: [],
            arrivals: [.init("GET /first", at: .origin.over(1)), .init("GET /second", at: .origin.over(2))]
        ) { scene async throws in
            let origin = try await scene.serve(
                .origin, isSecure: true, naming: [scene.authority.certificate]
            ) { _ in .init(.ok) }
            let names = ["First Client", "Second Client"]
            let identities = try names.map { try scene.authority.issue(.client(name: $0), now: Date()) }
            let recorder = Recorder()
            let handler = recorder.handler { _ in
                .use(.identity(identities[recorder.handlerChallenges.count == 1 ? 0 : 1], persistence: .none))
            }
            let session = scene.session([.clientCertificate: handler]) { $0.tlsVersions = versions }
            for path in ["/first", "/second"] { #expect(await scene.get(origin.url(path), in: session) == 200) }
            expectHellos(scene, .origin, connections: 2, resume: false)
            // TLS 1.3 encrypts certificates, so an observer cannot read them.
            for (index, name) in names.enumerated() {
                let places = scene.received(.wire).filter { SecretForms(name).areFound(in: $0.value) }.keys
                #expect(Set(places) == (versions == .onlyTLS12 ? [.origin.over(index + 1)] : []))
            }
        }
    }

    private static let changedTrust = LeakRow(
        "the trust policy changes", "CVE-2021-22924, CVE-2022-27782, CVE-2026-11564", guarded: [],
        arrivals: [.init("GET /pinned", at: .origin.over(2))]
    ) { scene async throws in
        let identity = try scene.identity()
        let origin = try await scene.serve(.origin, isSecure: true, presenting: identity) { _ in .init(.ok) }
        let session = scene.session()
        var pinned = TrustPolicy(anchors: .only([scene.authority.certificate]))
        pinned.pins = [Pin(of: identity.certificate)]
        let wrong = try wrongPin(.full)(scene.authority)
        let rows = [("/", nil as TrustPolicy?, 200 as Int?), ("/pinned", pinned, 200), ("/wrong", wrong, nil)]
        for (path, trust, status) in rows {
            #expect(await scene.send(SessionRequest(url: origin.url(path), trust: trust), in: session) == status)
        }
        #expect(!scene.text(.origin).contains("/wrong") && !scene.text(.origin.over(1)).contains("/pinned"))
    }

    private static let acceptedForOneHost = LeakRow(
        "a chain is accepted for one host, and another presents it", "CVE-2013-4545", guarded: [],
        arrivals: [.init("GET /accepted", at: .origin)]
    ) { scene async throws in
        let identity = try scene.identity(names: ["elsewhere.test"])
        let origin = try await scene.serve(.origin, isSecure: true, presenting: identity) { _ in .init(.ok) }
        let handler: ClosureHandler = .closure { challenge in
            guard case .serverTrust(let chain, _) = challenge.statement, challenge.space.host.description == "localhost"
            else { return .performDefault }
            return .use(.serverTrust(chain))
        }
        let session = scene.session([.serverTrust: handler])
        #expect(await scene.get(origin.url("/accepted"), in: session) == 200)
        #expect(await scene.get(origin.url("/other", host: "127.0.0.1"), in: session) == nil)
        #expect(!scene.text(.origin).contains("/other"))
    }
}
