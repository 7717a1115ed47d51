// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import SwiftASN1
import Turns
import X509

extension Contender {
    /// With the Web's profile, as for the system's anchors.
    static func countersign(_ chain: BenchChain) throws -> [Contender] {
        let evaluator = TrustEvaluator(policy: TrustPolicy(), systemAnchors: AnchorStore([chain.root]))
        let (host, now) = (try HostName(BenchChain.host), Date())
        guard let parsed = PresentedChain([chain.leaf, chain.intermediate]) else {
            throw BenchError.notTrusted(by: "countersign")
        }
        return [
            Contender("countersign, parsed") {
                guard evaluator.evaluate(parsed, for: host, at: now).isTrusted else {
                    throw BenchError.notTrusted(by: "countersign")
                }
            },
            Contender("countersign, from bytes") {
                let leaf = try Certificate(derEncoded: chain.leafBytes)
                let intermediate = try Certificate(derEncoded: chain.intermediateBytes)
                guard let presented = PresentedChain([leaf, intermediate]),
                    evaluator.evaluate(presented, for: host, at: now).isTrusted
                else { throw BenchError.notTrusted(by: "countersign") }
            },
        ]
    }
}
