// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// What is signed, with the algorithm and the signature beside it: the form of certificates, lists and OCSP responses.
struct SignedObject: Hashable, Sendable {
    let signedBytes: ArraySlice<UInt8>
    /// The AlgorithmIdentifier, with tag and length.
    let algorithm: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>

    /// Reads the three, and leaves the reader after them.
    init(from reader: inout DERReader) throws(RevocationEncodingError) {
        signedBytes = try reader.take(DERTag.sequence, .structure).bytes
        algorithm = try reader.take(DERTag.sequence, .algorithm).bytes
        let signature = try reader.take(DERTag.bitString, .signature).content
        // The first octet counts unused bits, and a signature has whole octets.
        guard signature.first == 0, signature.count > 1 else { throw .malformed(.signature) }
        self.signature = signature.dropFirst()
    }

    func checkSignature(
        by key: Certificate.PublicKey, budget: inout SignatureBudget
    ) throws(RevocationProblem) {
        let algorithm = try SignatureAlgorithms.read(self.algorithm)
        try budget.spend()
        guard key.isValidSignature(signature, for: signedBytes, signatureAlgorithm: algorithm) else {
            throw .badSignature
        }
    }
}

/// Bounds the signatures that are checked for one certificate, however many lists, signers or responses there are.
struct SignatureBudget {
    private(set) var remaining = 8

    mutating func spend() throws(RevocationProblem) {
        guard remaining > 0 else { throw .budgetExhausted }
        remaining -= 1
    }
}
