// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// The URLs to which a remembered credential is sent preemptively.
@Suite struct PreemptiveScopeTests {
    @Test(
        "A credential is sent preemptively within its protection space only",
        arguments: [
            // RFC 7617 section 2.2: paths at or below the last "/" of the challenged path.
            (challenge: "Basic realm=r", path: "/docs/index.html", isSent: true),
            (challenge: "Basic realm=r", path: "/docs/deep/er?q", isSent: true),
            (challenge: "Basic realm=r", path: "/docs/", isSent: true),
            (challenge: "Basic realm=r", path: "/docs", isSent: false),
            (challenge: "Basic realm=r", path: "/", isSent: false),
            (challenge: "Basic realm=r", path: "/docsx/", isSent: false),
            (challenge: "Basic realm=r", path: "/docs/%2e%2e/x", isSent: false),
            // RFC 7616 section 3.3: the URLs of this origin in the domain parameter, or the complete origin without it.
            (challenge: "Digest realm=r, nonce=n, qop=\"auth\"", path: "/elsewhere", isSent: true),
            (challenge: "Digest realm=r, nonce=n, qop=\"auth\", domain=\"/a /b/\"", path: "/a", isSent: true),
            (challenge: "Digest realm=r, nonce=n, qop=\"auth\", domain=\"/a /b/\"", path: "/b/c", isSent: true),
            (challenge: "Digest realm=r, nonce=n, qop=\"auth\", domain=\"/a /b/\"", path: "/ab", isSent: false),
            (challenge: "Digest realm=r, nonce=n, qop=\"auth\", domain=\"/a /b/\"", path: "/c", isSent: false),
            (challenge: "Digest realm=r, nonce=n, qop=\"auth\", domain=\"http://b.test/\"", path: "/c", isSent: false),
        ])
    func preemptiveScope(challenge: String, path: String, isSent: Bool) async throws {
        let fields = NIOLockedValueBox<[Bool]>([])
        let server = try await ScriptedServer.start { request in
            let isAnswered = request.head.headerFields[.authorization] != nil
            fields.withLockedValue { $0.append(isAnswered) }
            return isAnswered ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: challenge])
        }
        for isOwn in [false, true] {
            let handler: ClosureHandler = .closure { _ in .use(BasicServer.credential("mary")) }
            let session = HTTPSession(.init(handlers: isOwn ? [:] : [.basic: handler, .digest: handler]))
            for target in ["/docs/first", path] {
                var request = SessionRequest(url: "http://localhost:\(server.port)\(target)")
                request.credential = isOwn ? BasicServer.credential("mary") : nil
                #expect(try await session.send(request).status == .ok)
            }
            await session.close()
            let seen = fields.withLockedValue { fields in
                defer { fields = [] }
                return fields
            }
            #expect(seen == [false, true] + (isSent ? [true] : [false, true]))
        }
        await server.stop()
    }
}
