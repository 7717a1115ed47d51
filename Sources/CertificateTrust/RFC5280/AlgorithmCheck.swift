// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Signatures and keys that can be forged or broken.
enum AlgorithmCheck {
    static func checkSignature(
        of certificate: ParsedCertificate, for requirements: PathRequirements
    ) throws(TrustFailure) {
        let algorithm = certificate.certificate.signatureAlgorithm
        guard algorithm != .sha1WithRSAEncryption else {
            throw .weakSignature(certificate.summary, "SHA-1")
        }
        guard requirements.signatureAlgorithms?.contains(algorithm) ?? true else {
            throw .weakSignature(certificate.summary, "\(algorithm)")
        }
    }

    static func checkKey(of certificate: ParsedCertificate) throws(TrustFailure) {
        guard let bits = certificate.rsaSize, bits < 2048 else { return }
        throw .weakKey(certificate.summary, bits: bits)
    }
}
