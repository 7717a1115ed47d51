// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import Identities
import Secrets
import Testing
import TrustRecipes
import X509

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

    /// Whom each identity is of, what the server names, and which is presented.
    @Test(
        arguments: [
            (of: ["a", "b"], named: ["b"], presented: 1), (["a", "b"], ["b", "a"], 0), (["a", "b"], ["c"], nil),
            (["a", "b"], [], 0), (["a", "b"], nil, 0), (["a", "b"], [" B "], 1), (["a"], ["c"], 0), ([], ["a"], nil),
        ] as [(of: [String], named: [String]?, presented: Int?)])
    func theFirstIdentityThatIsWantedIsPresented(of issuers: [String], named: [String]?, presented: Int?) async throws {
        let identities = try issuers.map { issuer in
            let root = try TestAuthority(root: .authority(issuer))
            let leaf = try root.issue(Recipe())
            return try Identity(chain: [leaf.certificate], privateKey: .init(leaf.key))
        }
        let request = CertificateRequest(
            acceptableIssuers: try named?.map { name in try DistinguishedName { CommonName(name) } })
        let handler: any ChallengeHandler = .identities(identities, host: "A.test")
        for (host, expected) in [("a.test", presented), ("b.test", nil)] {
            let challenge = Challenge(
                space: try Self.challenge(host: host).space, statement: .clientCertificateRequest(request))
            let disposition = try await handler.answer(challenge)
            if case .use(let credential) = disposition {
                #expect(credential == expected.map { .identity(identities[$0]) })
            } else {
                #expect(expected == nil)
            }
        }
    }

    @Test func aChainLeadsToEachOfItsIssuers() throws {
        let root = try TestAuthority(root: .authority("root"))
        let intermediate = try root.issue(.authority("intermediate"))
        let leaf = try intermediate.issue(Recipe())
        let identity = try Identity(
            chain: [leaf.certificate, intermediate.certificate], privateKey: .init(leaf.key))
        for (name, isMet) in [("root", true), ("intermediate", true), ("server", false), ("other", false)] {
            let request = CertificateRequest(acceptableIssuers: [try DistinguishedName { CommonName(name) }])
            #expect(request.isMet(by: identity) == isMet)
        }
    }

    @Test func nothingPrintsASecret() throws {
        let credential = Credential.password(user: "u", password: Secret("hunter2"))
        let challenge = Challenge(
            space: try Self.challenge(host: "a.test").space, proposedCredential: credential,
            statement: .clientCertificateRequest(CertificateRequest(acceptableIssuers: nil)))
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
