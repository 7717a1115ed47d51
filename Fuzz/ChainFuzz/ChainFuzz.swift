// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Foundation
import FuzzDriver
import SwiftASN1
import X509

/// A byte that picks the rules, then certificates: leaf, issuers, and the anchor last.
@main
enum ChainFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: ChainSeeds.all) { bytes, count in
            ChainFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        guard let choice = input.first else { return }
        let certificates = split(input.dropFirst()).compactMap { try? Certificate(derEncoded: Array($0)) }
        guard let chain = PresentedChain(Array(certificates.dropLast())), let anchor = certificates.last,
            let host = try? HostName("example.com")
        else { return }
        let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: .only([anchor])), systemAnchors: AnchorStore([]))
        var requirements = PathRequirements(purposes: choice & 1 == 0 ? [.serverAuth] : [.clientAuth])
        requirements.rules = [.rfc5280, .baselineRequirements, .privatePKI, nil][Int(choice >> 1 & 3)]
        let verdict = evaluator.evaluate(chain, for: [.host(host)], requirements: requirements, at: ChainSeeds.time)
        precondition(!verdict.explanation.isEmpty)
        guard verdict.isTrusted else { return }
        precondition(verdict.path?.last == CertificateSummary(anchor), "a trusted path does not end in the anchor")
        precondition(verdict.path?.first == CertificateSummary(chain.leaf), "a trusted path does not start at the leaf")
    }

    /// The elements that lengths of two bytes, as nearly all certificates have, mark off; what is left comes last.
    private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (rest, elements) = (bytes, [ArraySlice<UInt8>]())
        while rest.count >= 4 {
            let header = Array(rest.prefix(4))
            let length = header[1] == 0x82 ? 4 + Int(header[2]) << 8 + Int(header[3]) : rest.count
            elements.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return elements
    }
}
