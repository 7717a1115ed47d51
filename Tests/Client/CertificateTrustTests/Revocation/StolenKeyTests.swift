// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Evidence that the server, or the holder of a revoked certificate's key, can add.
@Suite struct StolenKeyTests {
    private func verdict(
        _ chain: [Certificate], _ root: Certificate, _ revocation: TrustPolicy.Revocation = .whereDemanded,
        lists: [[UInt8]] = [], responses: [[UInt8]] = [], inputs: CertificatePolicyInputs = .init()
    ) throws -> Verdict {
        let evidence = RevocationEvidence(
            lists: try lists.map { try CertificateRevocationList(derEncoded: $0) },
            responses: try responses.map { .init(try OCSPResponse(derEncoded: $0)) })
        let policy = TrustPolicy(anchors: .only([root]), revocation: revocation, certificatePolicies: inputs)
        return TrustEvaluator(policy: policy, systemAnchors: AnchorStore([])).evaluate(
            try #require(PresentedChain(chain)), for: try HostName("a.test"), at: Instant.now,
            with: TrustEvidence(revocation: evidence))
    }

    @Test("A responder does not answer for its own certificate") func ownResponder() throws {
        let root = try TestAuthority(root: .authority("root"))
        let authority = try root.issue(
            .authority("sub").with {
                $0.purposes = [.serverAuth, .ocspSigning]
                $0.keyUsage = KeyUsage(digitalSignature: true, keyCertSign: true, cRLSign: true)
            })
        let leaf = try authority.issue(Recipe())
        let responses = [
            try ResponseRecipe().encoded(for: leaf.certificate, issuer: authority),
            try ResponseRecipe().with { $0.certificates = [authority.certificate] }
                .encoded(for: authority.certificate, issuer: root, by: authority),
        ]
        let chain = [leaf, authority].map(\.certificate)
        #expect(
            codes(try verdict(chain, root.certificate, .hardFail, responses: responses)) == ["trust.revocation-unknown"]
        )
    }

    @Test(
        "Certificates that pose as signers of a list do not hide its revocations",
        arguments: [TrustPolicy.Revocation.whereDemanded, .softFail, .hardFail])
    func impostors(revocation: TrustPolicy.Revocation) throws {
        let chain = try TestChain()
        let (own, above) = (chain.intermediate.certificate, chain.root.certificate)
        func name(_ certificate: Certificate) throws -> String {
            let attribute = certificate.subject.first?.first
            return String(describing: try #require(attribute).value)
        }
        let (ownName, aboveName) = (try name(own), try name(above))
        let signer = { (serial: UInt8) in
            Recipe.authority(ownName).with {
                $0.constraints = .notCertificateAuthority
                $0.keyUsage = KeyUsage(cRLSign: true)
                $0.serialNumber = [0x41, serial]
            }
        }
        let honest = try chain.root.issue(signer(99))
        let revoking = try ListRecipe().with {
            $0.entries = [.init(Array(chain.leaf.certificate.serialNumber.bytes))]
        }.encoded(by: honest)
        let lists = [try ListRecipe().encoded(by: chain.root), revoking]
        let impostor = try TestAuthority(root: .authority(aboveName))
        let impostors = try (0..<8).map { try impostor.issue(signer($0)).certificate }
        let presented = chain.presented + [honest.certificate]
        #expect(codes(try verdict(presented, above, revocation, lists: lists)) == ["trust.revoked"])
        let hidden = try verdict(chain.presented + impostors + [honest.certificate], above, revocation, lists: lists)
        #expect(!hidden.isTrusted)
    }

    @Test("A required policy also applies to a server's certificate that is an anchor") func anchor() throws {
        let server = try TestAuthority(root: Recipe())
        let inputs = CertificatePolicyInputs(acceptable: [.extendedValidation], isRequired: true)
        #expect(
            codes(try verdict([server.certificate], server.certificate, inputs: inputs)) == ["trust.no-valid-policy"])
    }

    @Test(
        "Malformed policy identifiers name no policy",
        arguments: [[], [0x80], [0x2a, 0x80], [0x55, 0x1d, 0x80, 0x20, 0x00]] as [[UInt8]])
    func identifiers(content: [UInt8]) throws {
        let value = Encoding.sequence(Encoding.sequence(Encoding.identifier(content)))
        let extra = [Certificate.Extension(oid: [2, 5, 29, 32], critical: false, value: value[...])]
        let chain = try TestChain(intermediate: { $0.extra = extra }, leaf: { $0.extra = extra })
        let found = try verdict(chain.presented, chain.root.certificate)
        #expect(found.certificatePolicies.isEmpty)
        #expect(try JSONDecoder().decode(Verdict.self, from: JSONEncoder().encode(found)) == found)
    }

    @Test("A padded number does not weaken a constraint") func padding() throws {
        let value: [UInt8] = [0x30, 7, 0x80, 5, 0, 0, 0, 0, 0]
        let chain = try TestChain(intermediate: {
            $0.extra = [.init(oid: [2, 5, 29, 36], critical: true, value: value[...])]
        })
        #expect(!(try verdict(chain.presented, chain.root.certificate).isTrusted))
    }
}
