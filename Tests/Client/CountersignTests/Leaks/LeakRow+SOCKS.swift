// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import Countersign

/// Rows for SOCKS proxies, each of which must receive its own password only.
extension LeakRow {
    private static func proxy(_ server: ScriptedServer, _ password: String?) throws -> Proxy {
        try Proxy("socks5h://\(password.map { "mary:\($0)@" } ?? "")localhost:\(server.port)")
    }

    static let socks = [
        LeakRow(
            "a SOCKS proxy accepts a password", "RFC 1929", guarded: [.init("s3cret-of-proxy", at: [.proxy])],
            arrivals: [.init("GET /plain HTTP/1.1", at: .origin), .init("GET /tls HTTP/1.1", at: .other)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { _ in .init(.ok) }
            let other = try await scene.serve(.other, isSecure: true) { _ in .init(.ok) }
            let session = scene.session(proxy: try proxy(try await scene.socks(), "s3cret-of-proxy"))
            for url in [origin.url("/plain"), other.url("/tls")] { #expect(await scene.get(url, in: session) == 200) }
        },
        LeakRow(
            "a SOCKS proxy rejects a password", "RFC 1929",
            guarded: [.init("s3cret-of-proxy", at: [.proxy.over(1)])],
            arrivals: [.init("mary", at: .proxy)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { _ in .init(.ok) }
            let gate = SOCKSGate.login(.init(user: "mary", password: "other"))
            let session = scene.session(proxy: try proxy(try await scene.socks(behind: gate), "s3cret-of-proxy"))
            #expect(await scene.get(origin.url(), in: session) == nil)
        },
        LeakRow(
            "a password is too long for SOCKS", "RFC 1929",
            guarded: [.init("s3cret-of-proxy" + String(repeating: "x", count: 241), at: [])],
            arrivals: [.init("\u{5}\u{2}\u{0}\u{2}", at: .proxy)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { _ in .init(.ok) }
            let password = "s3cret-of-proxy" + String(repeating: "x", count: 241)
            let session = scene.session(proxy: try proxy(try await scene.socks(), password))
            #expect(await scene.get(origin.url(), in: session) == nil)
        },
        LeakRow(
            "the origin's credential passes a SOCKS proxy encrypted", "RFC 1928",
            guarded: [.init("s3cret-of-origin", at: [.origin]), .init("s3cret-of-proxy", at: [.proxy])],
            arrivals: [.init("GET /", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, isSecure: true, LeakServer.asking())
            let login: ClosureHandler = .closure { _ in .use(.mary("s3cret-of-proxy")) }
            let basic: ClosureHandler = .closure { _ in .use(.mary("s3cret-of-origin")) }
            let session = scene.session(
                [.socksPassword: login, .basic: basic], proxy: try proxy(try await scene.socks(), nil))
            #expect(await scene.get(origin.url(), in: session) == 200)
        },
        LeakRow(
            "a redirect switches proxies", "CVE-2026-6253",
            guarded: [
                .init("s3cret-of-proxy", at: [.proxy]), .init("s3cret-of-other-proxy", at: [.otherProxy]),
            ], arrivals: [.init("GET http://localhost", at: .proxy), .init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other, isSecure: true) { _ in .init(.ok) }
            let origin = try await scene.serve(.origin, LeakServer.redirecting(to: other.url("/landed")))
            let (first, second) = (try await scene.proxy(behind: AcceptingGate()), try await scene.socks(.otherProxy))
            let proxies = Proxies(
                http: try Proxy(first.url("", login: "mary:s3cret-of-proxy@")),
                https: try Proxy("socks5h://mary:s3cret-of-other-proxy@localhost:\(second.port)"))
            #expect(await scene.get(origin.url(), in: scene.session { $0.proxies = proxies }) == 200)
        },
        LeakRow(
            "a redirect leads to a host without a proxy", "CVE-2026-6253",
            guarded: [.init("s3cret-of-proxy", at: [.proxy])], arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other) { request in
                #expect(request.head.headerFields[.proxyAuthorization] == nil)
                return .init(.proxyAuthenticationRequired, [.proxyAuthenticate: "Basic realm=p"])
            }
            let origin = try await scene.serve(
                .origin, LeakServer.redirecting(to: other.url("/landed", host: "127.0.0.1")))
            let proxy = try await scene.proxy(behind: AcceptingGate())
            let proxies = try Proxies.every(
                Proxy(proxy.url("", login: "mary:s3cret-of-proxy@")), except: "127.0.0.0/8")
            #expect(await scene.get(origin.url(), in: scene.session { $0.proxies = proxies }) == 407)
        },
    ]
}
