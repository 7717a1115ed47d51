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
