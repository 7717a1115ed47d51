// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// A signed structure with its algorithm and signature: the outer form of certificates, lists and OCSP responses.
struct SignedObject: Hashable, Sendable {
    let signedBytes: ArraySlice<UInt8>
    /// The AlgorithmIdentifier, with tag and length.
    let algorithm: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>
    let checkedSigners = CheckedSigners()

    /// Reads the three parts and leaves the reader positioned after them.
    init(from reader: inout DERReader) throws(RevocationEncodingError) {
        signedBytes = try reader.take(DERTag.sequence, .structure).bytes
        algorithm = try reader.take(DERTag.sequence, .algorithm).bytes
        let signature = try reader.take(DERTag.bitString, .signature).content
        // The first octet is the number of unused bits, which must be 0.
        guard signature.first == 0, signature.count > 1 else { throw .malformed(.signature) }
        self.signature = signature.dropFirst()
    }

    /// Checks that a certificate's key made the signature.
    ///
    /// A cached result counts against the budget too, so that a verdict does not depend on the cache.
    ///
    /// - Returns: ``RevocationProblem/weakSignature`` for SHA-1 that the policy does not accept: an attacker may have
    ///   forged the signature to show that a certificate is good, but gains nothing from showing that one is revoked.
    func checkSignature(
        by signer: ParsedCertificate, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationProblem? {
        let algorithm = try readAlgorithm()
        guard algorithm.limitation == nil, signer.key?.limitation == nil else { throw .unsupportedAlgorithm }
        try budget.spend()
        let publicKeyInfo = signer.fields.publicKeyInfo
        guard isSigned(publicKeyInfo, signer.key, algorithm) else { throw .badSignature }
        return budget.accepts(algorithm) ? nil : .weakSignature
    }

    /// Reads the algorithm, which must be one of those supported for certificates.
    private func readAlgorithm() throws(RevocationProblem) -> CertificateSignatureAlgorithm {
        var outer = DERReader(algorithm)
        guard var fields = outer.enter(DERTag.sequence), fields.next()?.tag == DERTag.objectIdentifier else {
            throw .malformed
        }
        let found = CertificateSignatureAlgorithm(algorithm)
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

/// The keys with which the signature of an object was checked, so that a list of many megabytes is not hashed again for
/// every certificate and path.
///
/// The cache belongs to the object, but all caches compare equal, because a cache is not part of the object's value. It
/// stores complete keys, and the object is immutable, so that a result cannot apply to another key or other bytes.
final class CheckedSigners: Hashable, Sendable {
    // A list is checked with its issuer's key, and with a second one during a key rollover. Keys that did not sign the
    // list are limited separately, because certificates chosen by a server could otherwise displace the key that did.
    static let limit = 2

    private let keys = Mutex<(good: [[UInt8]], bad: [[UInt8]])>(([], []))

    /// Returns whether a key made the signature; `nil` if the key has not been checked.
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

/// The budget for signature checks of lists, responses and their signers in an evaluation, across all paths,
/// certificates and nested searches for signers, and the weaknesses that the signatures may have.
///
/// If it is exhausted, nothing is trusted, even if the policy accepts an unknown status: a hostile chain could exhaust
/// it to prevent its own revocation from being read.
final class EvaluationBudget {
    static let limit = 128

    private var remaining = EvaluationBudget.limit
    private(set) var isExhausted = false
    let acceptedWeaknesses: Set<CertificateWeakness>
    /// The number of signatures and keys whose weakness was accepted.
    fileprivate(set) var acceptedWeaknessCount = 0

    init(acceptedWeaknesses: Set<CertificateWeakness> = []) { self.acceptedWeaknesses = acceptedWeaknesses }

    /// Counts weaknesses that were accepted in the path of a signer.
    func noteAcceptedWeaknesses(_ count: Int) { acceptedWeaknessCount += count }

    fileprivate func spend() throws(RevocationProblem) {
        guard remaining > 0 else {
            isExhausted = true
            throw .budgetExhausted
        }
        remaining -= 1
    }
}

/// The budget for signature checks for one certificate, across all lists, signers and responses.
struct SignatureBudget {
    private var remaining = 8
    private let evaluation: EvaluationBudget

    init(within evaluation: EvaluationBudget) { self.evaluation = evaluation }

    mutating func spend() throws(RevocationProblem) {
        guard remaining > 0 else { throw .budgetExhausted }
        remaining -= 1
        try evaluation.spend()
    }

    /// Returns whether an algorithm has no weakness, or an accepted one, which is counted.
    func accepts(_ algorithm: CertificateSignatureAlgorithm) -> Bool {
        guard algorithm.weakness != nil else { return true }
        guard algorithm.isAccepted(with: evaluation.acceptedWeaknesses) else { return false }
        evaluation.acceptedWeaknessCount += 1
        return true
    }

    /// Returns whether a key has no weakness, or an accepted one, which is counted.
    func acceptsKey(of certificate: ParsedCertificate) -> Bool {
        guard let size = certificate.rsaSize, size < RSAKeySize.smallest else { return true }
        guard !RSAKeySize.isWeak(size, for: evaluation.acceptedWeaknesses) else { return false }
        evaluation.acceptedWeaknessCount += 1
        return true
    }
}
