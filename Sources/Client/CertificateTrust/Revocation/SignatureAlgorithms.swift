// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Algorithms of the signatures of lists and responses: those of certificates, without those that nothing is known to check.
enum SignatureAlgorithms {
    static func read(_ algorithm: ArraySlice<UInt8>) throws(RevocationProblem) -> CertificateSignatureAlgorithm {
        var outer = DERReader(algorithm)
        guard var fields = outer.enter(DERTag.sequence), fields.next()?.tag == DERTag.objectIdentifier else {
            throw .malformed
        }
        guard let found = CertificateSignatureAlgorithm(algorithm) else { throw .unsupportedAlgorithm }
        if case .broken = found { throw .weakSignature }
        return found
    }
}
