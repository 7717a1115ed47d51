// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations
import Foundation
import FuzzDriver
import TrustRecipes
import X509

/// Fuzzes evaluations; certificates, evidence, host, time and policy are separate records of the input.
@main
enum ChainFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: ChainSeeds.all) { bytes, count in
            ChainFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ bytes: [UInt8]) {
        let input = ChainInput(bytes)
        guard let chain = PresentedChain(input.presented), let host = try? HostName(input.host) else { return }
        let verdict = verdict(input, chain, host)
        precondition(!verdict.explanation.isEmpty, "a verdict without an explanation")
        precondition(verdict.isTrusted || !verdict.failures.isEmpty, "distrusted without a reason")
        if verdict.isTrusted { check(verdict, input, chain) }
        // The JSON check takes as long as everything else, so only one input in four is checked.
        if bytes.reduce(0, &+) & 3 == 0 { checkEncoding(verdict) }
        checkOrder(verdict, input, host)
    }

    private static func verdict(_ input: ChainInput, _ chain: PresentedChain, _ host: HostName) -> Verdict {
        let evaluator = TrustEvaluator(
            policy: input.policy, systemAnchors: AnchorStore(input.systemAnchors), publicSuffixes: input.publicSuffixes)
        var evidence = input.evidence
        evidence.remembered = input.remembered
        return evaluator.evaluate(
            chain, for: [.host(host)], requirements: input.requirements, at: input.time, with: evidence)
    }

    private static func check(_ verdict: Verdict, _ input: ChainInput, _ chain: PresentedChain) {
        guard let path = verdict.path else {
            precondition(verdict.validation != .full, "trusted without a path")
            return
        }
        precondition(path.first == chain.leaf, "a trusted path does not start at the leaf")
        let anchors = input.anchors.map(CertificateSummary.init)
        precondition(path.last.map(anchors.contains) ?? false, "a trusted path does not end at an anchor")
        let known = (input.presented + input.evidence.issuers).map(CertificateSummary.init) + anchors
        for one in path {
            precondition(known.contains(one), "an unknown certificate is in the path")
        }
        precondition(
            path.dropLast().allSatisfy { $0.notBefore <= input.time && input.time <= $0.notAfter },
            "a certificate that is not valid is in the path")
        for (issued, issuer) in zip(path, path.dropFirst()) {
            // The signature is verified with another implementation than in the search.
            guard let issued = issued.certificate, let issuer = issuer.certificate else { continue }
            let isSigned = issuer.publicKey.isValidSignature(issued.signature, for: issued)
            precondition(isSigned, "a certificate of a trusted path is not signed by the next one")
            precondition(issued.issuer == issuer.subject || isSigned, "names do not chain")
        }
    }

    /// Checks that a verdict decoded from JSON is equal, unless it has many paths, which would take too long.
    private static func checkEncoding(_ verdict: Verdict) {
        guard verdict.paths.count <= 32 else { return }
        guard let text = try? JSONEncoder().encode(verdict),
            let copy = try? JSONDecoder().decode(Verdict.self, from: text)
        else { fatalError("a verdict cannot be encoded as JSON and decoded") }
        precondition(copy == verdict, "a verdict differs when decoded from JSON")
    }

    /// Checks that the order of the certificates after the leaf does not matter, unless the search exceeds its budget.
    private static func checkOrder(_ verdict: Verdict, _ input: ChainInput, _ host: HostName) {
        guard input.presented.count > 2,
            let chain = PresentedChain(Array(input.presented.prefix(1) + input.presented.dropFirst().reversed()))
        else { return }
        let other = Self.verdict(input, chain, host)
        let failures = verdict.failures + other.failures
        guard !failures.contains(where: { $0.code == "trust.budget-exhausted" }) else { return }
        precondition(other.isTrusted == verdict.isTrusted, "the result depends on the order")
    }
}
