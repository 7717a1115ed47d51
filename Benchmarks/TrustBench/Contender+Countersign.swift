// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import SwiftASN1
import Turns
import X509

extension Contender {
    /// The number of chains that are parsed before the first of them is evaluated.
    private static let batch = 16

    /// Measures evaluations with the profile of the Web PKI, as for system anchors.
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
            // The chains were parsed but not evaluated, so no signatures are cached. They are parsed in small batches,
            // because a newly parsed chain is still in the processor's cache.
            Contender("countersign, parsed, first") { count in
                var total = 0
                for first in stride(from: 0, to: count, by: Self.batch) {
                    let chains = (first..<min(first + Self.batch, count)).compactMap { _ in
                        PresentedChain([chain.leaf, chain.intermediate])
                    }
                    let start = ProcessorTime.now
                    for chain in chains { try evaluate(chain) }
                    // The time to free the chains is not measured.
                    total += withExtendedLifetime(chains) { ProcessorTime.now - start }
                }
                return total
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
