// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import Testing

@Suite("CR, LF and NUL in the texts of a request are refused before anything is sent") struct ForbiddenCharacterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: RequestError.Text
        let change: @Sendable (inout SessionRequest, String) -> Void

        init(_ text: RequestError.Text, _ change: @escaping @Sendable (inout SessionRequest, String) -> Void) {
            (self.text, self.change) = (text, change)
        }

        var testDescription: String { "\(text)" }
    }

    static let rows = [
        Row(.url) { $0.url += "path" + $1 },
        Row(.field("Cookie")) { $0 = $0.header(.cookie, "a=1" + $1) },
        Row(.field("User-Agent")) { $0 = $0.header(.userAgent, "agent" + $1) },
        Row(.user) { $0.credential = .password(user: "mary" + $1, password: Secret("s3cret")) },
        Row(.password) { $0.credential = .password(user: "mary", password: Secret("s3cret" + $1)) },
        Row(.token) { $0.credential = .token(Secret("t0ken" + $1)) },
        Row(.formName) { $0.body = .multipart([.field("name" + $1, "value")]) },
        Row(.fileName) { $0.body = .multipart([FormPart(name: "f", body: .bytes([]), fileName: "a" + $1)]) },
        Row(.contentType) { $0.body = .multipart([FormPart(name: "f", body: .bytes([]), contentType: "a/b" + $1)]) },
        Row(.contentType) { request, text in
            request.body = .bytes([])
            request.body?.contentType = "a/b" + text
        },
    ]

    @Test(
        "A request with CR, LF or NUL in a text is refused and opens no connection", arguments: rows,
        ["\r\nX-Injected: 1", "\n", "\r", "\0"])
    func request(row: Row, text: String) async throws {
        let server = try await ScriptedServer.start { _ in .init(.ok) }
        try await withSession(.init(), stopping: [server]) { session async throws in
            var request = SessionRequest(url: "http://localhost:\(server.port)/", method: .post)
            row.change(&request, text)
            let sent = request
            await #expect { _ = try await session.send(sent) } throws: { error in
                if case SessionError.request(.forbiddenCharacter(row.text)) = error { true } else { false }
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test("A proxy's credential is checked too", arguments: ["\r\nX-Injected: 1", "\n", "\r", "\0"])
    func proxy(text: String) async throws {
        let server = try await ScriptedServer.startProxy(behind: nil)
        var proxy = try Proxy("http://localhost:\(server.port)")
        proxy.credential = .password(user: "mary" + text, password: Secret("s3cret"))
        try await withSession(.init(proxy: proxy), stopping: [server]) { session async throws in
            await #expect { _ = try await session.send(SessionRequest(url: "http://localhost:1/")) } throws: { error in
                if case SessionError.request(.forbiddenCharacter(.user)) = error { true } else { false }
            }
            #expect(server.connectionCount == 0)
        }
    }
}
