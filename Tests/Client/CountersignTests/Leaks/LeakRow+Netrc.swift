// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

/// Rows for `.netrc` files, whose entries apply to their own host only.
extension LeakRow {
    static let netrc = [
        LeakRow(
            "bearer, redirect and a netrc entry", "CVE-2025-14524, CVE-2026-3783",
            guarded: [.init("t0ken-of-origin", at: [.origin]), .init("s3cret-of-netrc", at: [.other])], arrivals: []
        ) { scene async throws in
            let other = try await scene.serve(.other, LeakServer.asking("Bearer realm=r, Basic realm=r"))
            let origin = try await scene.serve(.origin, LeakServer.redirecting(to: other.url(host: "127.0.0.1")))
            let session = scene.session([.basic: try handler("machine 127.0.0.1 login mary password s3cret-of-netrc")])
            let status = await scene.get(origin.url(), in: session) { request in
                request.credential = .token(Secret("t0ken-of-origin"))
                request.preemptiveMethod = .bearer
            }
            #expect(status == 200)
        },
        LeakRow(
            "a redirect leaves the host of an entry", "CVE-2024-11053",
            guarded: [.init("s3cret-of-netrc", at: [.origin]), .init("d3fault-of-netrc", at: [])],
            arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other, LeakServer.asking())
            let landed = other.url("/landed", host: "127.0.0.1")
            let origin = try await scene.serve(.origin, LeakServer.asking(then: .init(.found, [.location: landed])))
            let file =
                "machine localhost login mary password s3cret-of-netrc default login any password d3fault-of-netrc"
            #expect(await scene.get(origin.url(), in: scene.session([.basic: try handler(file)])) == 401)
        },
        LeakRow(
            "an entry without a password", "CVE-2024-11053, CVE-2025-0167",
            guarded: [.init("s3cret-of-netrc", at: []), .init("d3fault-of-netrc", at: [])],
            arrivals: [.init("GET /asked", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, LeakServer.asking())
            let file = """
                machine 127.0.0.1 login mary password s3cret-of-netrc
                machine localhost login mary
                default login mary password d3fault-of-netrc
                """
            #expect(await scene.get(origin.url("/asked"), in: scene.session([.basic: try handler(file)])) == 401)
        },
        LeakRow(
            "an entry of another user", "CVE-2026-8926, CVE-2026-6429",
            guarded: [.init("s3cret-of-eve", at: []), .init("s3cret-of-mary", at: [.origin])], arrivals: []
        ) { scene async throws in
            let origin = try await scene.serve(.origin, LeakServer.asking())
            let eve = "machine localhost login eve password s3cret-of-eve\n"
            let mary = "machine localhost login mary password s3cret-of-mary"
            for (file, status) in [(eve, 401), (eve.replacing("eve", with: "Mary"), 401), (eve + mary, 200)] {
                let session = scene.session([
                    .basic: try handler(file.replacing("s3cret-of-Mary", with: "s3cret-of-eve"))
                ])
                #expect(await scene.get(origin.url(), in: session) == status)
            }
        },
        LeakRow(
            "without TLS no credential of the file is sent unless permitted", "RFC 7617 section 4",
            guarded: [.init("s3cret-of-netrc", at: [.other])], arrivals: [.init("GET /asked", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, LeakServer.asking())
            let other = try await scene.serve(.other, isSecure: true, LeakServer.asking())
            let file = try NetrcFile(Array("machine localhost login mary password s3cret-of-netrc".utf8))
            let session = scene.session([.basic: .netrc(file, ports: .standardAnd([origin.port, other.port]))])
            #expect(await scene.get(origin.url("/asked"), in: session) == 401)
            #expect(await scene.get(other.url(), in: session) == 200)
        },
        LeakRow(
            "another port of an entry's machine, directly and by a redirect", "CVE-2022-27774",
            guarded: [.init("s3cret-of-netrc", at: [])],
            arrivals: [.init("GET /asked", at: .other), .init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other, isSecure: true, LeakServer.asking())
            let origin = try await scene.serve(
                .origin, isSecure: true, LeakServer.redirecting(to: other.url("/landed")))
            let file = try NetrcFile(Array("machine localhost login mary password s3cret-of-netrc".utf8))
            for ports in [NetrcHandler.Ports.standard, .standardAnd([origin.port])] {
                let session = scene.session([.basic: .netrc(file, ports: ports)])
                #expect(await scene.get(other.url("/asked"), in: session) == 401)
                #expect(await scene.get(origin.url(), in: session) == 401)
            }
        },
        LeakRow(
            "a redirect leads to plain http on an entry's machine", "CVE-2022-27774",
            guarded: [.init("s3cret-of-netrc", at: [])], arrivals: [.init("GET /landed", at: .other)]
        ) { scene async throws in
            let other = try await scene.serve(.other, LeakServer.asking())
            let origin = try await scene.serve(.origin, LeakServer.redirecting(to: other.url("/landed")))
            let file = try NetrcFile(Array("machine localhost login mary password s3cret-of-netrc".utf8))
            let session = scene.session([.basic: .netrc(file, ports: .every)])
            #expect(await scene.get(origin.url(), in: session) == 401)
        },
    ]

    private static func handler(_ file: String) throws -> NetrcHandler {
        .netrc(try NetrcFile(Array(file.utf8)), login: "mary", ports: .every, allowsPlainHTTP: true)
    }
}
