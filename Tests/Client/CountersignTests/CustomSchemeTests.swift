// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// A user-defined scheme: one type with one method.
private struct Doorbell: HTTPAuthenticator {
    let rings: String

    init?(_ challenge: HTTPChallenge) {
        guard let rings = challenge["rings"] else { return nil }
        self.rings = rings
    }

    func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        guard case .token(let token) = credential.kind else { throw .unsuitableCredential(.doorbell) }
        return "Doorbell \(token.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })-\(rings)"
    }
}

extension AuthenticationMethod {
    fileprivate static let doorbell = Self("Doorbell")
}

@Suite struct CustomSchemeTests {
    @Test(
        "A registered scheme is preferred to the built-in ones, unless it cannot parse the challenge",
        arguments: [
            (challenge: "Basic realm=\"r\", Doorbell rings=3", sent: [nil, "Doorbell ding-3", "Doorbell ding-3"]),
            // A challenge that the scheme cannot answer is left to the next scheme.
            (challenge: "Doorbell knocks=3, Basic realm=\"r\"", sent: [nil, "Basic dTpw", "Basic dTpw"]),
        ])
    func precedence(challenge: String, sent: [String?]) async throws {
        let seen = NIOLockedValueBox<[String?]>([])
        let server = try await ScriptedServer.start { request in
            let answer = request.head.headerFields[.authorization]
            seen.withLockedValue { $0.append(answer) }
            return answer == nil ? .init(.unauthorized, [.wwwAuthenticate: challenge]) : .init(.ok)
        }
        var configuration = HTTPSession.Configuration(handlers: [
            .doorbell: .closure { _ in .use(.token(Secret("ding"))) },
            .basic: .password(
                user: "u", password: Secret("p"), host: "localhost", port: server.port, allowsPlainHTTP: true),
        ])
        // The first factory knows no challenge, so the second one is called.
        configuration.authenticators = [
            .doorbell: { _ throws(HTTPAuthenticatorError) in nil }, .doorbell: { challenge in Doorbell(challenge) },
        ]
        let session = HTTPSession(configuration)
        for _ in 1...2 {
            #expect(try await session.get("http://localhost:\(server.port)/").status == .ok)
        }
        #expect(seen.withLockedValue { $0 } == sent)
        await session.close()
        await server.stop()
    }
}
