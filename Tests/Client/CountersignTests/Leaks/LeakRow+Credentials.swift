// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// Rows in which a credential must not be confused with another one or used after its removal.
extension LeakRow {
    static let credentials = [
        LeakRow(
            "a 401 after success", "RFC 9110 section 15.5.2",
            guarded: [.init("s3cret-of-old", at: [.origin]), .init("s3cret-of-new", at: [.origin])], arrivals: []
        ) { scene async throws in
            let answers = NIOLockedValueBox<[String?]>([])
            let origin = try await scene.serve(.origin) { request in
                let answer = request.login
                let count = answers.withLockedValue { answers in
                    answers.append(answer)
                    return answers.count
                }
                return answer == (count > 2 ? "mary:s3cret-of-new" : "mary:s3cret-of-old")
                    ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
            }
            let handler: ClosureHandler = .closure { .use(.mary("s3cret-of-\($0.failureCount == 0 ? "old" : "new")")) }
            let session = scene.session([.basic: handler])
            for _ in 0..<3 { #expect(await scene.get(origin.url(), in: session) == 200) }
            let (old, new) = ("mary:s3cret-of-old", "mary:s3cret-of-new")
            #expect(answers.withLockedValue { $0 } == [nil, old, old, new, new])
        },
        LeakRow(
            "a rejected credential is removed from the session and the store", "CVE-2026-9079",
            guarded: [.init("s3cret-of-mary", at: [.origin.over(1)])],
            arrivals: [.init("GET /again", at: .origin.over(2))]
        ) { scene async throws in
            let origin = try await scene.serve(.origin) { _ in .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
            }
            let (store, space) = (MemoryStore(), try Self.space(of: origin))
            try await store.save(.mary("s3cret-of-mary", .permanent), for: space)
            for path in ["/", "/again"] {
                let session = scene.session { $0.credentialStore = store }
                for _ in 0..<2 { #expect(await scene.get(origin.url(path), in: session) == 401) }
            }
            #expect(store.contents.isEmpty)
        },
        LeakRow(
            "a credential for one request is not stored", "CVE-2026-9079",
            guarded: [.init("s3cret-of-mary", at: [.origin])], arrivals: []
        ) { scene async throws in
            let answers = NIOLockedValueBox<[String?]>([])
            let origin = try await scene.serve(.origin, LeakServer.noting(answers))
            let isAsked = NIOLockedValueBox(false)
            let handler: ClosureHandler = .closure { _ in
                let wasAsked = isAsked.withLockedValue { asked in
                    defer { asked = true }
                    return asked
                }
                return wasAsked ? .performDefault : .use(.mary("s3cret-of-mary", .none))
            }
            let session = scene.session([.basic: handler])
            for status in [200, 401] { #expect(await scene.get(origin.url(), in: session) == status) }
            #expect(answers.withLockedValue { $0 } == [nil, "mary:s3cret-of-mary", nil])
        },
        LeakRow(
            "users that differ in case or in encoding", "CVE-2016-8616, RFC 7617 section 2",
            guarded: [], arrivals: [.init("Authorization: Basic ", at: .origin)]
        ) { scene async throws in
            let answers = NIOLockedValueBox<[String?]>([])
            let origin = try await scene.serve(.origin, LeakServer.noting(answers))
            let session = scene.session()
            let users = ["mary", "Mary", "ren\u{e9}", "rene\u{301}"]
            for user in users + users {
                let status = await scene.get(origin.url(), in: session) {
                    $0.credential = .password(user: user, password: Secret("s3cret"))
                }
                #expect(status == 200)
            }
            let expected =
                users.flatMap { [[], Array("\($0):s3cret".utf8)] } + users.map { Array("\($0):s3cret".utf8) }
            #expect(answers.withLockedValue { $0.map { Array(($0 ?? "").utf8) } } == expected)
        },
        LeakRow(
            "no password differs from an empty one", "CVE-2016-8616", guarded: [.init("s3cret-of-mary", at: [.origin])],
            arrivals: []
        ) { scene async throws in
            let answers = NIOLockedValueBox<[String?]>([])
            let origin = try await scene.serve(.origin, LeakServer.noting(answers))
            let session = scene.session()
            let passwords = ["s3cret-of-mary", "", nil, "", "s3cret-of-mary", nil]
            for password in passwords {
                let status = await scene.get(origin.url(), in: session) { $0.credential = password.map { .mary($0) } }
                #expect(status == (password == nil ? 401 : 200))
            }
            let (mary, empty) = ("mary:s3cret-of-mary", "mary:")
            #expect(answers.withLockedValue { $0 } == [nil, mary, nil, empty, nil, empty, mary, nil])
        },
    ]

    private static func space(of server: LeakServer) throws -> ProtectionSpace {
        ProtectionSpace(
            host: try HostName("localhost"), port: server.port, scheme: "http", realm: "r", method: .basic)
    }
}
