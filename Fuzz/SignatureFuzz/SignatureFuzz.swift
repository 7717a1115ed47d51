// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import FuzzDriver
import XMLSignature

/// Fuzzes the verification of a signed document.
///
/// No input contains the secret, so only the signed parts of the seeds can verify.
@main
enum SignatureFuzz {
    static func main() async throws {
        let seeds = try await SignatureSeeds.all()
        for seed in seeds { test(seed) }
        let status = try FuzzDriver.run(seeds: { _ in seeds }) { bytes, count in
            SignatureFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let verifier = SignatureVerifier(
        trusting: .secret(SignatureSeeds.secret), policy: SignaturePolicy(allowsXPath: true))

    private static func test(_ input: [UInt8]) {
        if let verified = try? verifier.verify(input) {
            for content in verified.contents {
                precondition(SignatureSeeds.contents.contains(content.bytes), "bytes without a signature verify")
            }
        }
        var limits = XMLLimits()
        limits.allowsDocumentType = true
        _ = try? KeyHints(document: input, limits: limits)
    }
}
