// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

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
        let algorithm = try readAlgorithm()
        try budget.spend()
        let publicKeyInfo = signer.fields.publicKeyInfo
        guard isSigned(publicKeyInfo, signer.key, algorithm) else { throw .badSignature }
        return algorithm.weakness == nil ? nil : .weakSignature
    }

    /// Reads the algorithm, which is one of those of certificates.
    private func readAlgorithm() throws(RevocationProblem) -> CertificateSignatureAlgorithm {
        var outer = DERReader(algorithm)
        guard var fields = outer.enter(DERTag.sequence), fields.next()?.tag == DERTag.objectIdentifier else {
            throw .malformed
        }
        guard let found = CertificateSignatureAlgorithm(algorithm) else { throw .unsupportedAlgorithm }
        if case .broken = found { throw .weakSignature }
        return found
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

/// The keys with which the signature of an object was checked, so that a list of many megabytes is not hashed again for every
/// certificate and every path that it is asked about.
///
/// It goes with the object and compares equal to every other: it is no part of what the object says. A key stands in it with all its
/// bytes, and the object never changes, so that no other key and no other bytes can pass for those that were checked.
final class CheckedSigners: Hashable, Sendable {
    // A list is asked about by its issuer's one key, and a second one while the key changes. The keys that did not sign it are
    // counted apart, because certificates that a server chose could otherwise displace the one that did.
    static let limit = 2

    private let keys = Mutex<(good: [[UInt8]], bad: [[UInt8]])>(([], []))

    /// Whether a key made the signature; `nil` where that is not known.
    func isSigned(by publicKeyInfo: ArraySlice<UInt8>) -> Bool? {
        keys.withLock { keys in
            if keys.good.contains(where: publicKeyInfo.elementsEqual) { return true }
            return keys.bad.contains(where: publicKeyInfo.elementsEqual) ? false : nil
        }
    }

    func insert(_ publicKeyInfo: ArraySlice<UInt8>, isSigner: Bool) {
        keys.withLock { keys in
            if isSigner {
                Self.append(Array(publicKeyInfo), to: &keys.good)
            } else {
                Self.append(Array(publicKeyInfo), to: &keys.bad)
            }
        }
    }

    private static func append(_ key: [UInt8], to keys: inout [[UInt8]]) {
        if keys.count >= limit { keys.removeFirst() }
        keys.append(key)
    }

    static func == (one: CheckedSigners, other: CheckedSigners) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// Bounds the signatures of lists, responses and their signers that are checked in an evaluation, however many paths and certificates it
/// looks at, and however deep its searches for signers lead.
///
/// Where it is used up nothing is trusted, also where a policy lets unknown answers pass: a hostile chain could use it up on
/// purpose, so that its own revocation is not read.
final class EvaluationBudget {
    static let limit = 128

    private var remaining = EvaluationBudget.limit
    private(set) var isExhausted = false

    fileprivate func spend() throws(RevocationProblem) {
        guard remaining > 0 else {
            isExhausted = true
            throw .budgetExhausted
        }
        remaining -= 1
    }
}

/// Bounds the signatures that are checked for one certificate, however many lists, signers or responses there are.
struct SignatureBudget {
    private var remaining = 8
    private let evaluation: EvaluationBudget

    init(within evaluation: EvaluationBudget) { self.evaluation = evaluation }

    mutating func spend() throws(RevocationProblem) {
        guard remaining > 0 else { throw .budgetExhausted }
        remaining -= 1
        try evaluation.spend()
    }
}
