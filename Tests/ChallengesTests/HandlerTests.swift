// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Secrets
import Testing

@testable import Challenges

@Suite struct HandlerTests {
    private static func challenge(
        host: String, role: ProtectionSpace.Role = .origin, failures: Int = 0
    ) throws -> Challenge {
        let space = ProtectionSpace(
            host: try HostName(host), port: 443, scheme: "https", realm: "r", method: .basic, role: role)
        let field = try #require(try HTTPChallenge.parse(["Basic realm=r"]).first)
        return Challenge(space: space, failureCount: failures, statement: .http(field))
    }

    @Test(arguments: [
        (host: "a.test", role: ProtectionSpace.Role.origin, failures: 0, isAnswered: true),
        (host: "b.test", role: .origin, failures: 0, isAnswered: false),
        (host: "a.test", role: .proxy, failures: 0, isAnswered: false),
        (host: "a.test", role: .origin, failures: 1, isAnswered: false),
    ])
    func aPasswordIsGivenOnceToItsOwnHost(
        host: String, role: ProtectionSpace.Role, failures: Int, isAnswered: Bool
    ) async throws {
        let handler: any ChallengeHandler = .password(user: "u", password: Secret("p"), host: "A.test")
        let disposition = try await handler.answer(Self.challenge(host: host, role: role, failures: failures))
        if case .use(let credential) = disposition {
            #expect(isAnswered)
            #expect(credential == .password(user: "u", password: Secret("p")))
        } else {
            #expect(!isAnswered)
        }
    }

    @Test func nothingPrintsASecret() throws {
        let credential = Credential.password(user: "u", password: Secret("hunter2"))
        let challenge = Challenge(
            space: try Self.challenge(host: "a.test").space, proposedCredential: credential,
            statement: .clientCertificateRequest)
        var dumped = ""
        dump((credential, challenge), to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), "\(challenge)", dumped] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test func credentialsDifferByCaseAndByPresence() {
        let one = Credential.password(user: "u", password: Secret("p"))
        #expect(one != .password(user: "U", password: Secret("p")))
        #expect(one != .password(user: "u", password: Secret("P")))
        #expect(one != .password(user: "u", password: Secret("")))
    }
}
