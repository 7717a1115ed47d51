// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import Testing

@Suite("A redirect from https to http is followed only if the configuration allows it")
struct InsecureRedirectTests {
    /// Calls a closure with a session and the port of an https server that redirects to an http server.
    private static func withRedirect(
        change: (inout HTTPSession.Configuration) -> Void,
        _ body: (HTTPSession, _ from: String, _ plain: ScriptedServer) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority(name: "Redirect Root", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let plain = try await ScriptedServer.start { _ in .init(.ok, body: "plain") }
        let place = "http://localhost:\(plain.port)/end?token=s3cret"
        let secure = try await ScriptedServer.start(presenting: identity) { _ in
            .init(.found, [.location: place], body: "moved")
        }
        var configuration = HTTPSession.Configuration(trust: TrustPolicy(anchors: .only([authority.certificate])))
        change(&configuration)
        try await withSession(configuration, stopping: [plain, secure]) { session async throws in
            try await body(session, "https://localhost:\(secure.port)/", plain)
        }
    }

    @Test(
        "By default, an insecure redirect is an error that names both URLs, whatever the redirect decision",
        arguments: [false, true])
    func refused(decides: Bool) async throws {
        try await Self.withRedirect {
            if decides { $0.redirectDecision = { _ in .follow } }
        } _: { session, url, plain async throws in
            do {
                _ = try await session.text(url)
                Issue.record("followed")
            } catch SessionError.redirect(.toPlainHTTP(let from, let to)) {
                #expect(
                    from == url && to.hasPrefix("http://localhost:\(plain.port)/end?token=") && !to.contains("s3cret"))
            }
            #expect(plain.connectionCount == 0)
        }
    }

    @Test("An insecure redirect is followed if it is allowed")
    func allowed() async throws {
        try await Self.withRedirect {
            $0.allowsRedirectsToPlainHTTP = true
        } _: { session, url, _ async throws in
            #expect(try await session.text(url) == (200, "plain"))
        }
    }

    @Test("A redirect decision or a limit of 0 delivers an insecure redirect", arguments: [true, false])
    func delivered(decides: Bool) async throws {
        try await Self.withRedirect {
            if decides { $0.redirectDecision = { _ in .deliver } } else { $0.redirectLimit = 0 }
        } _: { session, url, _ async throws in
            #expect(try await session.text(url) == (302, "moved"))
        }
    }
}
