// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Signatures and keys that can be forged or broken.
enum AlgorithmCheck {
    static func checkSignature(
        of certificate: ParsedCertificate, for requirements: PathRequirements
    ) throws(TrustFailure) {
        if let weakness = certificate.algorithm.weakness { throw .weakSignature(certificate.summary, weakness) }
        guard let allowed = requirements.signatureAlgorithms, let algorithm = certificate.algorithm.typed else {
            return
        }
        guard allowed.contains(algorithm) else { throw .weakSignature(certificate.summary, "\(algorithm)") }
    }

    static func checkKey(of certificate: ParsedCertificate) throws(TrustFailure) {
        guard let bits = certificate.rsaSize, bits < 2048 else { return }
        throw .weakKey(certificate.summary, bits: bits)
    }
}
