// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// Other rows for redirects, including those with a `.netrc` file.
extension LeakRow {
    static let redirects = [
        LeakRow(
            "after a redirect the other origin's challenge asks the handler again", "RFC 9110 section 11.5, requests",
            guarded: [.init("s3cret-of-origin", at: [.origin]), .init("s3cret-of-other", at: [.other])], arrivals: []
        ) { scene async throws in
            let other = try await scene.serve(.other, LeakServer.asking())
            let origin = try await scene.serve(
                .origin, LeakServer.asking(then: .init(.found, [.location: other.url(host: "127.0.0.1")])))
            let handler: ClosureHandler = .closure { challenge in
                let isOrigin = challenge.space.port == origin.port
                #expect(challenge.proposedCredential == nil && challenge.failureCount == 0)
                return .use(.mary(isOrigin ? "s3cret-of-origin" : "s3cret-of-other"))
            }
            #expect(await scene.get(origin.url(), in: scene.session([.basic: handler])) == 200)
        },
        LeakRow(
            "after a redirect the other origin's challenge has no handler", "RFC 9110 section 11.5, requests-ntlm",
            guarded: [.init("s3cret-of-origin", at: [.origin])], arrivals: [.init("GET /second", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other, LeakServer.asking())
            let origin = try await scene.serve(
                .origin, LeakServer.asking(then: .init(.found, [.location: other.url("/second")])))
            let own = await scene.get(origin.url(), in: scene.session()) { $0.credential = .mary("s3cret-of-origin") }
            let login = await scene.get(origin.url(login: "mary:s3cret-of-origin@"), in: scene.session())
            #expect(own == 401 && login == 401)
        },
        LeakRow(
            "a password handler for one port is asked for another port", "CVE-2022-27774",
            guarded: [.init("s3cret-of-origin", at: [.origin])], arrivals: [.init("GET /second", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other, LeakServer.asking())
            let origin = try await scene.serve(
                .origin, isSecure: true, LeakServer.asking(then: .init(.found, [.location: other.url("/second")])))
            for allowsPlainHTTP in [false, true] {
                let handler: PasswordHandler = .password(
                    user: "mary", password: Secret("s3cret-of-origin"), host: "localhost", port: origin.port,
                    allowsPlainHTTP: allowsPlainHTTP)
                #expect(await scene.get(origin.url(), in: scene.session([.basic: handler])) == 401)
            }
        },
        trusted("an explicit credential follows a trusted redirect", "curl test 1088", at: [.origin, .other]) {
            $0.credential = .mary("s3cret-of-origin")
        },
        trusted("a preemptive credential follows a trusted redirect", "curl test 1088", at: [.origin, .other]) {
            $0.credential = .mary("s3cret-of-origin")
            $0.preemptiveMethod = .basic
        },
        trusted("a field follows a trusted redirect", "curl test 1088", at: [.origin, .other]) {
            $0.headerFields[.authorization] = "Bearer s3cret-of-origin"
        },
        trusted("a custom field does not follow even a trusted redirect", "CVE-2022-27776", at: [.origin]) {
            $0.headerFields[.apiKey] = "s3cret-of-origin"
            $0.headerFields[.authorization] = "Bearer other"
        },
        trusted(
            "the URL's password stays with its origin", "curl test 998", login: "mary:s3cret-of-origin@", at: [.origin]
        ) {
            $0.headerFields[.accept] = "text/plain"
        },
        trusted(
            "without TLS, no credential follows a trusted redirect", "RFC 9110 section 15.4", isSecure: true,
            at: [.origin]
        ) {
            $0.credential = .mary("s3cret-of-origin")
        },
        LeakRow(
            "a credential that is sent at once on this machine does not follow a trusted redirect elsewhere",
            "RFC 6750 section 5.3", guarded: [.init("s3cret-of-origin", at: [.origin])],
            arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other) { _ in .init(.ok) }
            let origin = try await scene.serve(.origin, LeakServer.redirecting(to: "http://other.test/landed"))
            let elsewhere = try HostEndpoint(of: "http://other.test")
            let session = scene.session {
                $0.connectTargets[elsewhere] = .endpoint(HostEndpoint(host: .localhost, port: other.port))
            }
            for credential in [Credential.mary("s3cret-of-origin"), .token(Secret("s3cret-of-origin"))] {
                let status = await scene.get(origin.url(), in: session) {
                    $0.credential = credential.sending(.immediately)
                    $0.sendsCredentialsAcrossRedirects = true
                }
                #expect(status == 200)
            }
        },
        LeakRow(
            "a redirect leads back again", "CVE-2018-1000007",
            guarded: [.init("s3cret-of-origin", at: [.origin.over(1)])],
            arrivals: [.init("GET /away", at: .other), .init("GET /back", at: .origin)]
        ) { scene async throws in
            let back = NIOLockedValueBox("")
            let other = try await scene.serve(.other) { _ in .init(.found, [.location: back.withLockedValue { $0 }]) }
            let origin = try await scene.serve(.origin) { request in
                guard request.head.path != "/back" else {
                    #expect(request.head.headerFields[.authorization] == nil)
                    return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
                }
                return LeakServer.asking(then: .init(.found, [.location: other.url("/away")]))(request)
            }
            back.withLockedValue { $0 = origin.url("/back") }
            let status = await scene.get(origin.url(), in: scene.session()) {
                $0.credential = .mary("s3cret-of-origin")
            }
            #expect(status == 401)
        },
        LeakRow(
            "a redirect names a user", "RFC 9110 section 4.2.4", guarded: [.init("s3cret-of-eve", at: [])],
            arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other, LeakServer.asking())
            let origin = try await scene.serve(
                .origin, LeakServer.redirecting(to: other.url("/landed", login: "eve:s3cret-of-eve@")))
            #expect(await scene.get(origin.url(), in: scene.session()) == 401)
        },
        LeakRow(
            "no Referer field is sent", "CVE-2021-22876",
            guarded: [.init("s3cret-of-origin", at: [.origin]), .init("Referer", at: []), .init("referer", at: [])],
            arrivals: [.init("GET /next", at: .origin), .init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other) { _ in .init(.ok) }
            let origin = try await scene.serve(.origin) { request in
                let next = request.head.path == "/next" ? other.url("/landed") : "/next"
                return LeakServer.asking(then: .init(.found, [.location: next]))(request)
            }
            #expect(await scene.get(origin.url(login: "mary:s3cret-of-origin@"), in: scene.session()) == 200)
        },
        LeakRow(
            "a client identity is not presented after a redirect", "AsyncHTTPClient 1.37",
            guarded: [.init("Leak Client", at: [], mayBePrinted: true)],
            arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let authorities = [scene.authority.certificate]
            let other = try await scene.serve(.other, isSecure: true, naming: authorities) { _ in .init(.ok) }
            let origin = try await scene.serve(
                .origin, isSecure: true, naming: authorities, LeakServer.redirecting(to: other.url("/landed")))
            let identity = try scene.authority.issue(.client(name: "Leak Client"), now: Date())
            let handler: ClosureHandler = .closure { challenge in
                challenge.space.port == origin.port ? .use(.identity(identity)) : .performDefault
            }
            let session = scene.session([.clientCertificate: handler]) { $0.tlsVersions = .onlyTLS12 }
            #expect(await scene.get(origin.url(), in: session) == 200)
            // TLS 1.2 does not encrypt certificates, so they are visible on the wire.
            let places = scene.received(.wire).filter { SecretForms("Leak Client").areFound(in: $0.value) }
            #expect(Set(places.keys.map(\.party)) == [.origin])
        },
    ]

    private static func trusted(
        _ name: String, _ source: String, isSecure: Bool = false, login: String = "", at places: Set<Place>,
        _ equip: @escaping @Sendable (inout SessionRequest) -> Void
    ) -> LeakRow {
        LeakRow(
            name, source, guarded: [.init("s3cret-of-origin", at: places)],
            arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other) { _ in .init(.ok) }
            let origin = try await scene.serve(
                .origin, isSecure: isSecure, LeakServer.asking(then: .init(.found, [.location: other.url("/landed")])))
            let status = await scene.get(origin.url(login: login), in: scene.session()) { request in
                equip(&request)
                request.sendsCredentialsAcrossRedirects = true
            }
            #expect(status == 200)
        }
    }
}
