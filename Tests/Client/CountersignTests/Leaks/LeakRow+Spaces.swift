// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// Rows in which a credential for one protection space must not be sent in another.
extension LeakRow {
    static let spaces = [
        LeakRow(
            "Digest state stays with its origin", "CVE-2026-11856",
            guarded: [
                .init("n0nce-of-origin", at: [.origin], mayBePrinted: true),
                .init("n0nce-of-other", at: [.other], mayBePrinted: true),
            ], arrivals: []
        ) { scene async throws in
            let digest = { (name: String) in
                "Digest realm=r, qop=auth, nonce=\"n0nce-of-\(name)\", opaque=\"n0nce-of-\(name)\""
            }
            let other = try await scene.serve(.other, LeakServer.asking(digest("other")))
            let origin = try await scene.serve(
                .origin, LeakServer.asking(digest("origin"), then: .init(.found, [.location: other.url()])))
            let session = scene.session([.digest: .closure { _ in .use(.mary("s3cret")) }])
            for _ in 0..<2 { #expect(await scene.get(origin.url(), in: session) == 200) }
        },
        LeakRow(
            "Digest state stays with its user", "CVE-2026-8927",
            // Both users share the connection, and each uses the nonce of the user's own challenge.
            guarded: [], arrivals: [.init("n0nce-of-mary", at: .origin), .init("n0nce-of-eve", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { request in
                let user = request.head.path == "/eve" ? "eve" : "mary"
                let answer = request.head.headerFields[.authorization] ?? ""
                #expect(
                    answer.isEmpty || answer.contains("username=\"\(user)\"") && answer.contains("n0nce-of-\(user)"))
                return LeakServer.asking("Digest realm=r, qop=auth, nonce=\"n0nce-of-\(user)\"")(request)
            }
            let session = scene.session()
            for user in ["mary", "eve", "mary", "eve"] {
                let status = await scene.get(origin.url("/" + user), in: session) {
                    $0.credential = .password(user: user, password: Secret("s3cret"))
                }
                #expect(status == 200)
            }
        },
        LeakRow(
            "realms of one origin are separate", "RFC 7617 section 2.2, RFC 9110 section 11.5",
            guarded: [.init("s3cret-of-a", at: [.origin.over(1)]), .init("s3cret-of-b", at: [.origin.over(1)])],
            arrivals: []
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { request in
                let isA = request.head.path?.hasPrefix("/a/") == true
                let answer = request.login ?? ""
                #expect(answer.isEmpty || answer == "mary:s3cret-of-" + (isA ? "a" : "b"))
                return LeakServer.asking("Basic realm=\(isA ? "a" : "b")")(request)
            }
            let session = scene.session([.basic: .closure { .use(.mary("s3cret-of-\($0.space.realm ?? "")")) }])
            for path in ["/a/1", "/b/1", "/a/2", "/b/2"] {
                #expect(await scene.get(origin.url(path), in: session) == 200)
            }
        },
        LeakRow(
            "a known URL changes its realm", "RFC 9110 section 11.5",
            guarded: [.init("s3cret-of-old", at: [.origin]), .init("s3cret-of-new", at: [.origin])],
            arrivals: [.init("GET /changed", at: .origin)]
        ) { scene async throws in
            let answers = NIOLockedValueBox<[String?]>([])
            let origin = try await scene.serve(.origin) { request in
                let answer = request.login
                answers.withLockedValue { $0.append(answer) }
                let realm = request.head.path == "/changed" ? "new" : "old"
                return answer == "mary:s3cret-of-\(realm)"
                    ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\(realm)"])
            }
            let session = scene.session([.basic: .closure { .use(.mary("s3cret-of-\($0.space.realm ?? "")")) }])
            for path in ["/", "/changed"] { #expect(await scene.get(origin.url(path), in: session) == 200) }
            let (old, new) = ("mary:s3cret-of-old", "mary:s3cret-of-new")
            // The client sends the old credential preemptively, but not in response to the new realm's challenge.
            #expect(answers.withLockedValue { $0 } == [nil, old, old, new])
        },
        LeakRow(
            "realms that look alike", "RFC 9110 section 11.5",
            guarded: [.init("s3cret-of-1", at: [.origin]), .init("s3cret-of-2", at: [.origin])], arrivals: []
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { request in
                let isFirst = request.head.path == "/1/"
                let answer = request.login ?? ""
                #expect(answer.isEmpty || answer == "mary:s3cret-of-" + (isFirst ? "1" : "2"))
                return LeakServer.asking("Basic realm=\"caf\(isFirst ? "\u{e9}" : "e\u{301}")\"")(request)
            }
            let session = scene.session([
                .basic: .closure { .use(.mary("s3cret-of-\($0.space.realm?.utf8.count == 5 ? "1" : "2")")) }
            ])
            for path in ["/1/", "/2/"] { #expect(await scene.get(origin.url(path), in: session) == 200) }
        },
        LeakRow(
            "two sessions on one origin", "CVE-2016-0755",
            guarded: [.init("s3cret-of-mary", at: [.origin.over(1)]), .init("s3cret-of-eve", at: [.origin.over(2)])],
            arrivals: [.init("GET /anonymous", at: .origin.over(3))]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, LeakServer.asking())
            for user in ["mary", "eve"] {
                let session = scene.session([.basic: .closure { _ in .use(.mary("s3cret-of-" + user)) }])
                for _ in 0..<2 { #expect(await scene.get(origin.url(), in: session) == 200) }
            }
            #expect(await scene.get(origin.url("/anonymous"), in: scene.session()) == 401)
        },
    ]
}
