// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import Testing
import TrustRecipes
import X509
@testable import Countersign
@testable import TLSTransport

/// The evidence that a server sends in the handshake, and the alerts that tell it the reason of a refusal.
@Suite struct HandshakeDecisionsTests {
    /// A root with a certificate that it has issued for localhost.
    private struct Chain {
        let root: TestAuthority
        let leaf: TestAuthority

        init(_ change: (inout Recipe) -> Void = { _ in }) throws {
            func timed(_ recipe: Recipe) -> Recipe {
                recipe.with { ($0.notBefore, $0.notAfter) = (Date() - 3600, Date() + 86400) }
            }
            root = try TestAuthority(root: timed(.authority("root")))
            leaf = try root.issue(
                timed(Recipe()).with {
                    $0.names = [.dnsName("localhost")]
                    change(&$0)
                })
        }

        func staple(_ status: [UInt8]) throws -> [UInt8] {
            try ResponseRecipe().with { recipe in
                recipe.status = status
                recipe.thisUpdate = Encoding.generalizedTime(Date() - 3600)
                recipe.producedAt = recipe.thisUpdate
                recipe.nextUpdate = Encoding.generalizedTime(Date() + 3600)
            }.encoded(for: leaf.certificate, issuer: root)
        }

        /// Decides on the chain, and returns the alert of the refusal; `nil` if the server is trusted.
        func alert(
            _ policy: (inout TrustPolicy) -> Void = { _ in }, host: String = "localhost", staple: [UInt8]? = nil,
            timestamps: [UInt8]? = nil, isKnown: Bool = true
        ) async throws -> TLSAlert? {
            var trust = TrustPolicy(anchors: .only(isKnown ? [root.certificate] : []))
            policy(&trust)
            let session = HTTPSession(trust: trust)
            let credentials = TLSServerCredentials(
                chain: [try leaf.certificate.bytes()], staple: staple, timestamps: timestamps, facts: nil)
            let decisions = HandshakeDecisions(
                reporter: RequestContext(core: session.core).reporter,
                peer: .origin(HostEndpoint(host: try HostName(host), port: 443)), policy: trust)
            defer { Task { await session.close() } }
            do {
                try await decisions.evaluateTrust(credentials)
            } catch let refusal as TLSRefusal {
                guard case SessionError.trust(.notTrusted) = refusal.reason else { throw refusal.reason }
                return refusal.alert
            }
            // The second connection decides at once, on the chain that is now known.
            #expect(decisions.trustsImmediately(credentials))
            let isRevocationRequired = trust.revocation != .whereDemanded
            #expect((decisions.facts.verdictExpiry != nil) == isRevocationRequired)
            return nil
        }
    }

    @Test("The alert states the reason of the refusal")
    func alerts() async throws {
        let chain = try Chain()
        #expect(try await chain.alert() == nil)
        #expect(try await chain.alert(isKnown: false) == .unknownCA)
        #expect(try await chain.alert(host: "other.test") == .badCertificate)
        #expect(try await Chain { $0.notAfter = Date() - 60 }.alert() == .certificateExpired)
        #expect(try await Chain { $0.notBefore = Date() + 3600 }.alert() == .certificateExpired)
        #expect(try await Chain { $0.purposes = [.clientAuth] }.alert() == .unsupportedCertificate)
        #expect(
            try await chain.alert(
                { $0.distrusted = [chain.leaf.certificate] }) == .certificateUnknown)
    }

    @Test("A good staple satisfies a policy that requires the revocation status")
    func goodStaple() async throws {
        let chain = try Chain()
        #expect(try await chain.alert({ $0.revocation = .hardFail }) == .certificateUnknown)
        #expect(
            try await chain.alert({ $0.revocation = .hardFail }, staple: chain.staple(ResponseRecipe.good)) == nil)
    }

    @Test("A staple that shows a revocation counts under every policy that evaluates chains")
    func revokedStaple() async throws {
        let chain = try Chain()
        let staple = try chain.staple(ResponseRecipe.revoked(at: Date() - 60, reason: 1))
        #expect(try await chain.alert(staple: staple) == .certificateRevoked)
    }

    @Test("Evidence that cannot be read counts as not sent")
    func malformedEvidence() async throws {
        let chain = try Chain()
        #expect(try await chain.alert(staple: [1, 2, 3], timestamps: [0, 9]) == nil)
        #expect(try await chain.alert({ $0.revocation = .hardFail }, staple: [1, 2, 3]) == .certificateUnknown)
    }
}
