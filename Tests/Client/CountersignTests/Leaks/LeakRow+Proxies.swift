// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

/// Rows in which a proxy must not receive the origin's secrets, nor an origin the proxy's.
///
/// A redirect may change the proxy, and each proxy receives its own credential only (CVE-2026-6253).
extension LeakRow {
    private static let both: ClosureHandler = .closure { challenge in
        .use(.mary(challenge.space.role == .proxy ? "s3cret-of-proxy" : "s3cret-of-origin"))
    }

    static let proxies = [
        LeakRow(
            "a CONNECT request has no field for the origin", "CVE-2015-3153",
            guarded: [
                .init("s3cret-of-origin", at: [.origin]), .init("c00kie", at: [.origin]),
                .init("cust0m", at: [.origin]),
                .init("s3cret-of-proxy", at: [.proxy]),
            ], arrivals: [.init("CONNECT localhost", at: .proxy)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, isSecure: true, LeakServer.asking())
            let proxy = try await scene.proxy(behind: AcceptingGate())
            let session = scene.session([.basic: both], proxy: try proxy.proxy)
            let status = await scene.get(origin.url(), in: session) { request in
                request.headerFields = [.cookie: "c00kie=1", .apiKey: "cust0m"]
            }
            #expect(status == 200)
        },
        LeakRow(
            "a proxy's credential is not passed on with a plain request", "CVE-2003-1605",
            guarded: [.init("s3cret-of-origin", at: [.origin, .proxy]), .init("s3cret-of-proxy", at: [.proxy])],
            arrivals: [.init("GET http://localhost", at: .proxy)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, LeakServer.asking())
            let proxy = try await scene.proxy(behind: AcceptingGate())
            #expect(await scene.get(origin.url(), in: scene.session([.basic: both], proxy: try proxy.proxy)) == 200)
        },
        LeakRow(
            "a Proxy-Authorization field of the caller", "CVE-2003-1605", guarded: [.init("s3cret-of-user", at: [])],
            arrivals: [.init("GET /direct", at: .origin), .init("GET /tunnel", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, isSecure: true) { _ in .init(.ok) }
            let proxy = try await scene.proxy()
            for (path, proxy) in [("/direct", nil), ("/tunnel", try proxy.proxy)] {
                let status = await scene.get(origin.url(path), in: scene.session(proxy: proxy)) { request in
                    request.headerFields[.proxyAuthorization] = "Basic s3cret-of-user"
                }
                #expect(status == 200)
            }
        },
        LeakRow(
            "a tunnel is not reused with another credential", "CVE-2016-0755, CVE-2026-3784",
            // The gate closes the connection when it refuses a client.
            guarded: [.init("s3cret-of-first", at: [.proxy.over(2)]), .init("s3cret-of-second", at: [.proxy.over(4)])],
            arrivals: [.init("GET /first", at: .origin.over(1)), .init("GET /second", at: .origin.over(2))]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, isSecure: true) { _ in .init(.ok) }
            let proxy = try await scene.proxy(behind: AcceptingGate())
            let recorder = Recorder()
            let handler = recorder.handler { _ in
                .use(.mary(recorder.handlerChallenges.count == 1 ? "s3cret-of-first" : "s3cret-of-second", .none))
            }
            let session = scene.session([.basic: handler], proxy: try proxy.proxy)
            for path in ["/first", "/second"] { #expect(await scene.get(origin.url(path), in: session) == 200) }
        },
        LeakRow(
            "a proxy's credential that is sent first", "RFC 9110 section 11.7.2",
            guarded: [.init("s3cret-of-proxy", at: [.proxy])],
            arrivals: [.init("GET /plain", at: .origin), .init("GET /tunnel", at: .other)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { _ in .init(.ok) }
            let other = try await scene.serve(.other, isSecure: true) { _ in .init(.ok) }
            let server = try await scene.proxy(behind: AcceptingGate())
            var proxy = try server.proxy
            proxy.credential = .mary("s3cret-of-proxy").sending(.immediately)
            let session = scene.session(proxy: proxy)
            #expect(await scene.get(origin.url("/plain"), in: session) == 200)
            #expect(await scene.get(other.url("/tunnel"), in: session) == 200)
            // The proxy asks for nothing.
            #expect(server.server.requestCount == 2)
        },
        LeakRow(
            "an origin behind a tunnel sends 407", "RFC 9110 section 15.5.8",
            guarded: [.init("s3cret-of-proxy", at: [.proxy]), .init("s3cret-of-origin", at: [])],
            arrivals: [.init("GET /407", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, isSecure: true) { _ in
                .init(.proxyAuthenticationRequired, [.proxyAuthenticate: "Basic realm=p"])
            }
            let proxy = try await scene.proxy(behind: AcceptingGate())
            let session = scene.session([.basic: both], proxy: try proxy.proxy)
            for _ in 0..<2 { #expect(await scene.get(origin.url("/407"), in: session) == 407) }
        },
        LeakRow(
            "an origin without a proxy sends 407", "RFC 9110 section 15.5.8",
            guarded: [.init("s3cret-of-proxy", at: []), .init("s3cret-of-origin", at: [])],
            arrivals: [.init("GET /407", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { _ in
                .init(.proxyAuthenticationRequired, [.proxyAuthenticate: "Basic realm=p"])
            }
            #expect(await scene.get(origin.url("/407"), in: scene.session([.basic: both])) == 407)
        },
        LeakRow(
            "a redirect uses the same proxy, and another session another proxy", "CVE-2026-6253",
            guarded: [
                .init("s3cret-of-proxy", at: [.proxy]), .init("s3cret-of-second", at: [.otherProxy]),
                .init("s3cret-of-origin", at: [.proxy, .origin]),
            ], arrivals: [.init("GET /landed", at: .other), .init("CONNECT", at: .proxy)]
        ) { scene async throws in
            let other = try await scene.serve(.other, isSecure: true) { _ in .init(.ok) }
            let origin = try await scene.serve(
                .origin, LeakServer.asking(then: .init(.found, [.location: other.url("/landed")])))
            let proxy = try await scene.proxy(behind: AcceptingGate())
            let second = try await scene.proxy(.otherProxy, behind: AcceptingGate())
            #expect(await scene.get(origin.url(), in: scene.session([.basic: both], proxy: try proxy.proxy)) == 200)
            var own = try second.proxy
            own.credential = .mary("s3cret-of-second")
            #expect(await scene.get(other.url(), in: scene.session(proxy: own)) == 200)
        },
        LeakRow(
            "the nonces of the proxy and of the origin are separate", "CVE-2026-7168, RFC 7616 section 3.8",
            guarded: [
                .init("n0nce-of-proxy", at: [.proxy], mayBePrinted: true),
                .init("n0nce-of-origin", at: [.origin], mayBePrinted: true),
            ], arrivals: []
        ) { scene async throws in
            let digest = { (name: String) in
                "Digest realm=r, qop=auth, nonce=\"n0nce-of-\(name)\", opaque=\"n0nce-of-\(name)\""
            }
            let origin = try await scene.serve(.origin, isSecure: true, LeakServer.asking(digest("origin")))
            let proxy = try await scene.proxy(behind: AcceptingGate(digest("proxy")))
            let session = scene.session([.digest: both], proxy: try proxy.proxy)
            for _ in 0..<2 { #expect(await scene.get(origin.url(), in: session) == 200) }
        },
        LeakRow(
            "a proxy's URL has a password", "CVE-2021-22876",
            guarded: [.init("s3cret-of-proxy", at: [.proxy])], arrivals: [.init("GET /", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, isSecure: true) { _ in .init(.ok) }
            let proxy = try await scene.proxy(isSecure: true, behind: AcceptingGate())
            let own = try Proxy(proxy.url("", login: "mary:s3cret-of-proxy@"))
            #expect(await scene.get(origin.url(), in: scene.session(proxy: own)) == 200)
        },
    ]
}
