// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes

/// Rows that must fail, which proves that the check detects leaks.
extension LeakRow {
    static let faults = [
        LeakRow(
            "the secret reaches a server that must not receive it", "RFC 7617 section 2",
            guarded: [.init("s3cret-of-mary", at: [])],
            arrivals: [.init("GET /", at: .origin)], situation: sending),
        LeakRow(
            "the secret is sent over another connection", "RFC 7617 section 2",
            guarded: [.init("s3cret-of-mary", at: [.origin.over(1)])], arrivals: [.init("GET /", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, LeakServer.asking())
            for _ in 1...2 {
                await scene.get(origin.url(), in: scene.session()) { $0.credential = .mary("s3cret-of-mary") }
            }
        },
        LeakRow(
            "the secret does not reach its server", "RFC 7617 section 2",
            guarded: [.init("s3cret-of-mary", at: [.origin, .other])], arrivals: [.init("GET /", at: .origin)],
            situation: sending),
        LeakRow(
            "the secret is printed", "RFC 7617 section 4", guarded: [.init("s3cret-of-mary", at: [.origin])],
            arrivals: []
        ) { scene async throws in
            try await sending(scene)
            scene.print("Basic bWFyeTpzM2NyZXQtb2YtbWFyeQ==")
        },
        LeakRow(
            "no secret is sent", "RFC 7617 section 2", guarded: [.init("s3cret-of-mary", at: [.origin])], arrivals: []
        ) { _ in },
        LeakRow("the server received nothing", "RFC 7617 section 2", guarded: [], arrivals: [.init("GET", at: .origin)])
        {
            _ in
        },
        LeakRow("no secret is checked", "RFC 7617 section 2", guarded: [], arrivals: []) { _ in },
    ]

    @Sendable private static func sending(_ scene: LeakScene) async throws {
        let origin = try await scene.serve(.origin, LeakServer.asking())
        await scene.get(origin.url(), in: scene.session()) { $0.credential = .mary("s3cret-of-mary") }
    }
}
