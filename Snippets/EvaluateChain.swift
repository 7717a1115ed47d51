// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article of the module CertificateTrust.

import CertificateTrust
import Foundation
import X509

func evaluate(_ chain: PresentedChain, root: Certificate) throws {
    let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: .only([root])), systemAnchors: AnchorStore([]))
    let verdict = evaluator.evaluate(chain, for: try HostName("intranet.example"), at: Date())
    print(verdict.isTrusted, verdict.explanation)
}

func evaluate(
    _ chain: PresentedChain, for host: HostName, by evaluator: TrustEvaluator, staple: [UInt8], timestamps: [UInt8]
) -> Verdict {
    let evidence = TrustEvidence(
        revocation: RevocationEvidence(responses: [.init(stapled: staple)]),
        timestamps: TimestampList(handshake: timestamps))
    return evaluator.evaluate(chain, for: host, at: Date(), with: evidence)
}
