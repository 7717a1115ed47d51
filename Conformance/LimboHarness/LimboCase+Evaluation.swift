// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LimboCase {
    struct UnreadableLeaf: Error {}

    /// Evaluates the chain; a certificate or condition that cannot be read is a failure.
    func evaluate(
        publicSuffixes: PublicSuffixList?, keyUse: PathRequirements.KeyUse = .anything
    ) -> LimboOutcome {
        do {
            let (chain, peers, requirements) = (try chain(), try peers(), try requirements(keyUse: keyUse))
            let anchors = try? AnchorStore(pemBundle: Array(trustedCerts.joined(separator: "\n").utf8))
            // Who hands over lists wants them to decide; one that cannot be read decides against.
            let lists = (crls ?? []).compactMap { try? CertificateRevocationList(pemEncoded: $0) }
            let evidence = TrustEvidence(revocation: RevocationEvidence(lists: lists))
            let revocation: TrustPolicy.Revocation = crls?.isEmpty ?? true ? .whereDemanded : .hardFail
            let evaluator = TrustEvaluator(
                policy: TrustPolicy(
                    profile: .privatePKI, revocation: revocation, certificatePolicies: try policyInputs()),
                systemAnchors: anchors ?? AnchorStore([]),
                publicSuffixes: publicSuffixes)
            let (clock, time) = (ContinuousClock(), validationTime ?? Date())
            let start = clock.now
            let verdict = evaluator.evaluate(chain, for: peers, requirements: requirements, at: time, with: evidence)
            let duration = start.duration(to: clock.now)
            if verdict.isTrusted, let wanted = userConstrainedPolicySet {
                let found = verdict.certificatePolicies.map(\.description).sorted()
                guard found == wanted.sorted() else {
                    return LimboOutcome(reasons: ["policies \(found), not \(wanted.sorted())"], time: duration)
                }
            }
            return LimboOutcome(reasons: verdict.failures.map(text), time: duration)
        } catch {
            return LimboOutcome(reasons: ["unreadable: \(error)"], time: .zero)
        }
    }

    private func chain() throws -> PresentedChain {
        let issuers = untrustedIntermediates.compactMap { try? PEMDocument(pemString: $0).derBytes }
        let leaf = try PEMDocument(pemString: peerCertificate).derBytes
        guard let chain = PresentedChain(derEncoded: [leaf] + issuers) else { throw UnreadableLeaf() }
        return chain
    }

    private func text(_ failure: TrustFailure) -> String {
        guard case .nonconforming(let certificate, let rule) = failure else { return failure.code }
        return "\(rule.rawValue) of \(certificate.subject)"
    }
}
