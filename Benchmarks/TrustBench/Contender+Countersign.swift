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
        func evaluate(_ chain: PresentedChain) throws {
            guard evaluator.evaluate(chain, for: host, at: now).isTrusted else {
                throw BenchError.notTrusted(by: "countersign")
            }
        }
        return [
            // Chains that were read but not evaluated: neither signatures nor anything else is remembered of them.
            Contender("countersign, parsed, first") { count in
                let chains = (0..<count).compactMap { _ in PresentedChain([chain.leaf, chain.intermediate]) }
                let start = ProcessorTime.now
                for chain in chains { try evaluate(chain) }
                // Without the time that it takes to free them.
                return withExtendedLifetime(chains) { ProcessorTime.now - start }
            },
            Contender.brief("countersign, parsed, repeated") { try evaluate(parsed) },
            Contender("countersign, from bytes, first") {
                guard let presented = PresentedChain(derEncoded: [chain.leafBytes, chain.intermediateBytes]) else {
                    throw BenchError.notTrusted(by: "countersign")
                }
                try evaluate(presented)
            },
        ]
    }
}
