// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Signatures and keys that can be forged or broken.
enum AlgorithmCheck {
    static func checkSignature(
        of certificate: ParsedCertificate, for requirements: PathRequirements
    ) throws(TrustFailure) {
        if let weakness = certificate.algorithm.weakness { throw .weakSignature(certificate.summary, weakness) }
        guard let allowed = requirements.signatureAlgorithms else { return }
        guard let algorithm = certificate.algorithm.typed, allowed.contains(algorithm) else {
            throw .weakSignature(certificate.summary, certificate.algorithm.typed.map { "\($0)" } ?? "unknown")
        }
    }

    static func checkKey(of certificate: ParsedCertificate) throws(TrustFailure) {
        guard let bits = certificate.rsaSize, bits < 2048 else { return }
        throw .weakKey(certificate.summary, bits: bits)
    }
}
