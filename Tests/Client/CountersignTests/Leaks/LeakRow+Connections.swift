// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

/// Rows for NTLM, which authenticates a connection: only requests of its user may use the connection.
///
/// The same rules apply to Negotiate, which a session supports only if the application registers it, and which by
/// default delegates no credential (CVE-2011-2192). `make interop` tests it with a real KDC.
extension LeakRow {
    /// The start of an NTLM AUTHENTICATE_MESSAGE in a field.
    private static let proof = "NTLM TlRMTVNTUAAD"
    private static let mary = LabServer.Credentials(user: "mary", password: "s3cret-of-mary")
    private static let eve = LabServer.Credentials(user: "eve", password: "s3cret-of-eve")

    static let connections = [
        bound(
            "another user after NTLM", "CVE-2014-0015",
            guarded: [.init(proof, at: [.origin.over(1), .origin.over(2)])],
            arrivals: [.init("GET /eve", at: .origin.over(2))]
        ) { session, scene, origin async throws in
            #expect(await scene.get(origin.url("/eve"), in: session) { $0.credential = credential(eve) } == 200)
            #expect(!scene.text(.origin.over(1)).contains("/eve"))
        },
        bound(
            "another password after NTLM", "CVE-2014-0015",
            guarded: [.init(proof, at: [.origin.over(1), .origin.over(2)])],
            arrivals: [.init("GET /wrong", at: .origin.over(2))]
        ) { session, scene, origin async throws in
            let status = await scene.get(origin.url("/wrong"), in: session) { $0.credential = .mary("s3cret-of-Mary") }
            #expect(status == 401)
            #expect(!scene.text(.origin.over(1)).contains("/wrong"))
        },
        bound(
            "a user in another case after NTLM", "CVE-2016-8616",
            guarded: [.init(proof, at: [.origin.over(1), .origin.over(2)])],
            arrivals: [.init("GET /Mary", at: .origin.over(2))]
        ) { session, scene, origin async throws in
            let status = await scene.get(origin.url("/Mary"), in: session) {
                $0.credential = .password(user: "Mary", password: Secret(mary.password))
            }
            #expect(status == 200)
            #expect(!scene.text(.origin.over(1)).contains("/Mary"))
        },
        bound(
            "a request without a credential after NTLM", "CVE-2015-3143",
            guarded: [.init(proof, at: [.origin.over(1)])], arrivals: [.init("GET /anonymous", at: .origin.over(2))]
        ) { session, scene, origin async throws in
            #expect(await scene.get(origin.url("/anonymous"), in: session) == 401)
            #expect(!scene.text(.origin.over(1)).contains("/anonymous"))
        },
        bound(
            "a request with its own field after NTLM", "CVE-2026-1965",
            guarded: [.init(proof, at: [.origin.over(1)])], arrivals: [.init("GET /field", at: .origin.over(2))]
        ) { session, scene, origin async throws in
            let status = await scene.get(origin.url("/field"), in: session) { request in
                request.credential = credential(mary)
                request.headerFields[.authorization] = "Bearer t0ken"
            }
            #expect(status == 401)
            #expect(!scene.text(.origin.over(1)).contains("/field"))
        },
        bound(
            "another scheme after NTLM", "CVE-2026-5545, CVE-2026-8458",
            // The client sends the wrong password by Basic and then by NTLM.
            guarded: [.init(proof, at: [.origin.over(1), .origin.over(2)])],
            arrivals: [.init("GET /basic", at: .origin.over(2))]
        ) { session, scene, origin async throws in
            _ = await scene.get(origin.url("/basic"), in: session) { request in
                request.credential = .mary("an0ther")
                request.preemptiveMethod = .basic
            }
            #expect(!scene.text(.origin.over(1)).contains("/basic"))
        },
        bound(
            "another service's name after NTLM", "CVE-2026-5545, MS-NLMP section 2.2.2.1",
            guarded: [.init("HTTP/localhost", at: [.origin.over(1)]), .init("HTTP/127.0.0.1", at: [.origin.over(2)])],
            arrivals: []
        ) { session, scene, origin async throws in
            let url = origin.url(host: "127.0.0.1")
            #expect(await scene.get(url, in: session) { $0.credential = credential(mary) } == 200)
        },
        bound(
            "another session after NTLM", "CVE-2014-0015", guarded: [.init(proof, at: [.origin.over(1)])],
            arrivals: [.init("GET /session", at: .origin.over(2))]
        ) { _, scene, origin async throws in
            #expect(await scene.get(origin.url("/session"), in: scene.session()) == 401)
        },
        LeakRow(
            "Negotiate is offered without TLS, and without tickets it is NTLM", "CVE-2011-2192, CVE-2023-27536",
            guarded: [.init("Authorization: Negotiate", at: []), .init("s3cret-of-mary", at: [])],
            arrivals: [.init("GET /asked", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, isSecure: false, LeakServer.asking("Negotiate"))
            let session = scene.session([.negotiate: .closure { _ in .use(credential(mary)) }])
            #expect(await scene.get(origin.url("/asked"), in: session) { $0.credential = credential(mary) } == 401)
        },
        LeakRow(
            "NTLM is refused, and its connection is not reused", "CVE-2015-3143",
            guarded: [.init(proof, at: [.origin.over(1)])], arrivals: [.init("GET /anonymous", at: .origin.over(2))]
        ) { scene async throws in
            let gate = NTLMGate(try NTLMTerms(accepted: [mary]))
            let origin = try await scene.serve(.origin, isSecure: true, behind: gate) { _ in .init(.ok) }
            let session = scene.session()
            #expect(await scene.get(origin.url(), in: session) { $0.credential = .mary("s3cret-of-Mary") } == 401)
            #expect(await scene.get(origin.url("/anonymous"), in: session) == 401)
        },
        LeakRow(
            "a proxy's NTLM connection is not used with another credential", "CVE-2016-0755, CVE-2026-3784",
            guarded: [.init("NTLM TlRMTVNTUAAD", at: [.proxy.over(1), .proxy.over(2)])],
            arrivals: [
                .init("GET http://localhost", at: .proxy.over(1)), .init("GET http://localhost", at: .proxy.over(2)),
            ]
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { _ in .init(.ok) }
            let proxy = try await scene.proxy(
                isSecure: true, behind: NTLMGate(try NTLMTerms(accepted: [mary, eve])))
            for user in [mary, eve] {
                var own = try proxy.proxy
                own.credential = credential(user)
                #expect(await scene.get(origin.url(), in: scene.session(proxy: own)) == 200)
            }
        },
    ]

    private static func credential(_ user: LabServer.Credentials) -> Credential {
        .password(user: user.user, password: Secret(user.password))
    }

    /// Returns a row in which Mary authenticates a connection before another request is sent.
    private static func bound(
        _ name: String, _ source: String, guarded: [Guarded], arrivals: [Arrival],
        then next: @escaping @Sendable (HTTPSession, LeakScene, LeakServer) async throws -> Void
    ) -> LeakRow {
        let passwords = [mary, eve].map { Guarded($0.password, at: []) }
        return LeakRow(
            name, source, guarded: guarded + passwords, arrivals: arrivals + [.init("GET /hers", at: .origin.over(1))]
        ) { scene async throws in
            let gate = NTLMGate(try NTLMTerms(accepted: [mary, eve]))
            let origin = try await scene.serve(.origin, isSecure: true, behind: gate) { _ in .init(.ok) }
            let session = scene.session()
            for _ in 0..<2 {
                #expect(await scene.get(origin.url("/hers"), in: session) { $0.credential = credential(mary) } == 200)
            }
            #expect(scene.received().count == 1)
            try await next(session, scene, origin)
        }
    }
}
