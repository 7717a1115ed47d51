// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import Challenges

/// Rows in which line-ending characters are refused or encoded, and no output contains a secret.
extension LeakRow {
    static let texts: [LeakRow] =
        ["\r\nX-Injected: 1", "\nX-Injected: 1", "\rX-Injected: 1", "\0X-Injected: 1"].flatMap(injections) + [realm]
        + [
            ("Basic realm=r"), ("Digest realm=r, nonce=n, qop=auth"),
            ("Digest realm=r, nonce=n, algorithm=SHA-256-sess, qop=auth"),
        ]
        .map(remembered) + [unknown]

    /// Returns rows with the text in every part of a request that a caller can set.
    private static func injections(_ text: String) -> [LeakRow] {
        let printable = String(reflecting: text)
        func row(
            _ place: String, _ challenge: String = "Basic realm=r",
            _ equip: @escaping @Sendable (inout SessionRequest) -> Void
        ) -> LeakRow {
            LeakRow(
                "\(printable) in \(place)", "CVE-2014-8150, RFC 9110 section 5.5", guarded: [],
                arrivals: [.init("GET /harmless", at: .origin)]
            ) { scene async throws in
                let origin = try await scene.serve(.origin, LeakServer.asking(challenge))
                let session = scene.session()
                _ = await scene.get(origin.url(), in: session, equip)
                #expect(await scene.get(origin.url("/harmless"), in: session) == 401)
                let lines = scene.text(.origin).split { $0.isNewline || $0 == "\0" }
                #expect(!lines.contains { $0.hasPrefix("X-Injected") })
            }
        }
        return [
            row("a Basic user") { $0.credential = .password(user: "mary" + text, password: Secret("s3cret")) },
            row("a Basic password") { $0.credential = .mary("s3cret" + text) },
            row("a Digest user", "Digest realm=r, nonce=n") {
                $0.credential = .password(user: "mary" + text, password: Secret("s3cret"))
            },
            row("a SCRAM user", "SCRAM-SHA-256 realm=r") {
                $0.credential = .password(user: "mary" + text, password: Secret("s3cret"))
            },
            row("a token", "Bearer realm=r") { $0.credential = .token(Secret("t0ken" + text)) },
            row("a field") { $0.headerFields[.cookie] = "s=1" + text },
            row("a path") { $0.url += "path" + text },
            row("a Digest path", "Digest realm=r, nonce=n") { request in
                request.url += "path" + text
                request.credential = .mary("s3cret")
            },
            row("a host") { $0.url = $0.url.replacing("localhost", with: "localhost" + text) },
            row("a login") { $0.url = $0.url.replacing("://", with: "://mary" + text + ":s3cret@") },
            row("an encoded login") {
                let encoded = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                $0.url = $0.url.replacing("://", with: "://mary\(encoded):s3cret@")
            },
        ]
    }

    private static let realm = LeakRow(
        "a realm with quotes and line breaks", "CVE-2014-8150, RFC 9110 section 5.6.4",
        guarded: [.init("s3cret-of-mary", at: [])], arrivals: [.init("Authorization: Digest ", at: .origin)]
    ) { scene async throws in
        let origin = try await scene.serve(
            .origin, LeakServer.asking(#"Digest realm="a\", uri=\"/evil\", x=\"\\", nonce="n\"", opaque="\"o""#))
        let session = scene.session()
        #expect(await scene.get(origin.url(), in: session) { $0.credential = .mary("s3cret-of-mary") } == 200)
        let line = scene.text(.origin).split(separator: "\r\n").first { $0.hasPrefix("Authorization: ") } ?? ""
        let answer = try #require(try HTTPChallenge.parse([String(line.dropFirst("Authorization: ".count))]).first)
        #expect(answer.realm == #"a", uri="/evil", x="\"#)
        #expect(answer["uri"] == "/" && answer["x"] == nil)
    }

    /// Returns a row that prints the session's memory by every available method.
    private static func remembered(by challenge: String) -> LeakRow {
        LeakRow(
            "the memory of \(challenge.prefix { $0 != " " }) is dumped", "RFC 7617 section 4",
            guarded: challenge.hasPrefix("Basic")
                ? [.init("s3cret-of-mary", at: [.origin])] : [.init("s3cret-of-mary", at: [])],
            arrivals: [.init("Authorization: ", at: .origin)]
        ) { scene async throws in
            let origin = try await scene.serve(.origin, LeakServer.asking(challenge))
            let session = scene.session()
            var request = SessionRequest(url: origin.url())
            request.credential = .mary("s3cret-of-mary")
            #expect(await scene.send(request, in: session) == 200)
            try scene.printMemory(of: session, for: request)
        }
    }

    private static let unknown = LeakRow(
        "each error of a request with a secret", "CVE-2021-22876",
        guarded: [.init("s3cret-of-mary", at: [.origin, .other]), .init("t0ken-of-mary", at: [.origin])], arrivals: []
    ) { scene async throws in
        let origin = try await scene.serve(.origin) { _ in .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"]) }
        let challenges = [
            "Basic realm=", "Digest realm=r", "Digest realm=r, nonce=n, nonce=m", "SCRAM-SHA-256 realm=r, data=x",
            "NTLM",
        ]
        for challenge in challenges {
            let broken = try await scene.serve(.other) { _ in .init(.unauthorized, [.wwwAuthenticate: challenge]) }
            for session in [scene.session(), scene.session { $0.allowsNTLMOverPlainHTTP = true }] {
                await scene.get(broken.url(), in: session) { $0.credential = .mary("s3cret-of-mary") }
                await scene.get(broken.url(), in: session) { $0.credential = .token(Secret("t0ken-of-mary")) }
            }
        }
        for url in [
            origin.url(login: "mary:s3cret-of-mary@"), "http://mary:s3cret-of-mary@127.0.0.1:1/",
            "x://mary:s3cret-of-mary@a",
        ] {
            await scene.get(url, in: scene.session())
        }
        await scene.get(origin.url(), in: scene.session()) { request in
            request.credential = .token(Secret("t0ken-of-mary"))
            request.preemptiveMethod = .bearer
            request.headerFields = [.cookie: "s3cret-of-mary"]
        }
    }
}
