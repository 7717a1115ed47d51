// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// Rows in which a server challenges often or requires expensive responses; the client limits both.
extension LeakRow {
    static let bounds = [
        LeakRow(
            "a realm changes with each challenge", "RFC 9110 section 11.5",
            guarded: [.init("s3cret-of-mary", at: [.origin])], arrivals: []
        ) { scene async throws in
            let answers = NIOLockedValueBox(0)
            let origin = try await scene.serve(.origin) { request in
                let count = answers.withLockedValue { count in
                    if request.login != nil { count += 1 }
                    return count
                }
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r\(count)"])
            }
            let session = scene.session([.basic: .closure { _ in .use(.mary("s3cret-of-mary")) }])
            #expect(await scene.get(origin.url(), in: session) == 401)
            #expect(answers.withLockedValue { $0 } == 5)
        },
        LeakRow(
            "a realm changes with each redirect", "RFC 9110 section 11.5",
            guarded: [.init("s3cret-of-mary", at: [.origin])], arrivals: [.init("GET /11", at: .origin)]
        ) { scene async throws in
            let answers = NIOLockedValueBox(0)
            let origin = try await scene.serve(.origin) { request in
                let number = Int((request.head.path ?? "/").dropFirst()) ?? 0
                guard request.login != nil else {
                    return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r\(number)"])
                }
                answers.withLockedValue { $0 += 1 }
                return .init(.found, [.location: "/\(number + 1)"])
            }
            let session = scene.session([.basic: .closure { _ in .use(.mary("s3cret-of-mary", .none)) }])
            #expect(await scene.get(origin.url("/1"), in: session) == 401)
            #expect(answers.withLockedValue { $0 } == 10)
        },
        LeakRow(
            "SCRAM with ten million iterations", "RFC 5802 section 9", guarded: [.init("sid=x", at: [])],
            arrivals: [.init("Authorization: SCRAM-SHA-256 realm=", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, scram(iterations: 10_000_000))
            let start = ContinuousClock.now
            #expect(await scene.get(origin.url(), in: scene.session()) { $0.credential = .mary("s3cret") } == nil)
            #expect(ContinuousClock.now - start < .seconds(10))
        },
    ]

    /// Returns a server that accepts the client's first SCRAM message and requires the given number of iterations.
    private static func scram(iterations: Int) -> LeakServer.Reply {
        { request in
            let answer = request.head.headerFields[.authorization] ?? ""
            guard let data = answer.split(separator: "data=").last.flatMap({ Data(base64Encoded: String($0)) }),
                let nonce = String(decoding: data, as: UTF8.self).split(separator: ",r=").last, !answer.isEmpty
            else { return .init(.unauthorized, [.wwwAuthenticate: "SCRAM-SHA-256 realm=r"]) }
            let offer = Data("r=\(nonce)x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=\(iterations)".utf8).base64EncodedString()
            return .init(.unauthorized, [.wwwAuthenticate: "SCRAM-SHA-256 sid=x, data=\(offer)"])
        }
    }
}
