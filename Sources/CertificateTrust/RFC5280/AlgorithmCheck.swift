// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import CryptoExtras
import X509

/// Signatures and keys that can be forged or broken.
enum AlgorithmCheck {
    static func checkSignature(
        of certificate: Certificate, for requirements: PathRequirements
    ) throws(TrustFailure) {
        let algorithm = certificate.signatureAlgorithm
        guard algorithm != .sha1WithRSAEncryption else {
            throw .weakSignature(CertificateSummary(certificate), "SHA-1")
        }
        guard requirements.signatureAlgorithms?.contains(algorithm) ?? true else {
            throw .weakSignature(CertificateSummary(certificate), "\(algorithm)")
        }
    }

    static func checkKey(of certificate: Certificate) throws(TrustFailure) {
        guard let bits = rsaSize(of: certificate), bits < 2048 else { return }
        throw .weakKey(CertificateSummary(certificate), bits: bits)
    }

    /// In bits; `nil` for other keys.
    static func rsaSize(of certificate: Certificate) -> Int? {
        _RSA.Signing.PublicKey(certificate.publicKey)?.keySizeInBits
    }
}
