// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What is signed, with the algorithm and the signature beside it: the form of certificates, lists and OCSP responses.
struct SignedObject: Hashable, Sendable {
    let signedBytes: ArraySlice<UInt8>
    /// The AlgorithmIdentifier, with tag and length.
    let algorithm: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>
    let checkedSigners = CheckedSigners()

    /// Reads the three, and leaves the reader after them.
    init(from reader: inout DERReader) throws(RevocationEncodingError) {
        signedBytes = try reader.take(DERTag.sequence, .structure).bytes
        algorithm = try reader.take(DERTag.sequence, .algorithm).bytes
        let signature = try reader.take(DERTag.bitString, .signature).content
        // The first octet counts unused bits, and a signature has whole octets.
        guard signature.first == 0, signature.count > 1 else { throw .malformed(.signature) }
        self.signature = signature.dropFirst()
    }

    /// Checks that a certificate's key made the signature.
    ///
    /// What was checked before counts against the budget all the same, so that a verdict does not depend on it.
    ///
    /// - Returns: ``RevocationProblem/weakSignature`` for SHA-1: a forger may have made it to show that a certificate is good, and has
    ///   nothing from showing that one is revoked.
    func checkSignature(
        by signer: ParsedCertificate, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationProblem? {
        let algorithm = try SignatureAlgorithms.read(self.algorithm)
        try budget.spend()
        let publicKeyInfo = signer.fields.publicKeyInfo
        guard isSigned(publicKeyInfo, signer.key, algorithm) else { throw .badSignature }
        return algorithm.weakness == nil ? nil : .weakSignature
    }

    private func isSigned(
        _ publicKeyInfo: ArraySlice<UInt8>, _ key: CertificateKey?, _ algorithm: CertificateSignatureAlgorithm
    ) -> Bool {
        if let known = checkedSigners.isSigned(by: publicKeyInfo) { return known }
        let isSigner = key?.isValidSignature(signature, for: signedBytes, by: algorithm) == true
        checkedSigners.insert(publicKeyInfo, isSigner: isSigner)
        return isSigner
    }
}
