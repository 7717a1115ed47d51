// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Testing

@Suite(.interop) struct PasswordInteropTests {
    private static let places = [
        (AuthenticationMethod.basic, "/basic/page.txt", "interop basic"),
        (.digest, "/digest/page.txt", "interop digest"),
    ]

    @Test("The right password is accepted", arguments: places, [Apache.Server.plain, .tls])
    func rightPassword(
        place: (method: AuthenticationMethod, path: String, realm: String), server: Apache.Server
    ) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(try apache.password())
        try await apache.withSession(handlers: [place.method: handler]) { session in
            let (status, _) = try await session.text(of: apache, server, place.path)
            #expect(status == 200)
        }
        #expect(handler.challenges.map(\.space.method) == [place.method])
        #expect(handler.challenges.map(\.space.realm) == [place.realm])
    }

    @Test("A wrong password is sent once, and the 401 response is delivered", arguments: places)
    func wrongPassword(
        place: (method: AuthenticationMethod, path: String, realm: String)
    ) async throws {
        let apache = try Apache()
        let handler = RecordingHandler(try apache.wrongPassword())
        try await apache.withSession(handlers: [place.method: handler]) { session in
            let (status, _) = try await session.text(of: apache, .plain, place.path)
            #expect(status == 401)
        }
        #expect(handler.challenges.map(\.failureCount) == [0, 1])
    }

    @Test("Five Digest requests need one additional request") func digestCost() async throws {
        let apache = try Apache()
        let path = "/digest/counted.txt"
        let handler = RecordingHandler(try apache.password())
        let before = try apache.requestCount(path)
        try await apache.withSession(handlers: [.digest: handler]) { session in
            for _ in 0..<5 {
                let (status, _) = try await session.text(of: apache, .plain, path)
                #expect(status == 200)
            }
        }
        #expect(handler.challenges.count == 1)
        // Apache writes a log line after the response.
        try await Task.sleep(for: .milliseconds(500))
        #expect(try apache.requestCount(path) - before == 6)
    }

    /// RFC 7616 section 3.3: `stale` means that the password was right, so the handler is not called again.
    @Test("A stale nonce needs one additional request, and does not call the handler") func staleNonce() async throws {
        let apache = try Apache()
        let path = "/stale/page.txt"
        let handler = RecordingHandler(try apache.password())
        let before = try apache.requestCount(path)
        try await apache.withSession(handlers: [.digest: handler]) { session in
            #expect(try await session.text(of: apache, .plain, path).status == 200)
            try await Task.sleep(for: .milliseconds(4200))
            #expect(try await session.text(of: apache, .plain, path).status == 200)
        }
        #expect(handler.challenges.count == 1)
        try await Task.sleep(for: .milliseconds(500))
        #expect(try apache.requestCount(path) - before == 4)
    }
}
