// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The certificates that make someone else a responder for an issuer (RFC 6960 section 4.2.2.2).
///
/// Nothing is fetched to learn whether one is revoked: issuers give such certificates a short life instead
/// (id-pkix-ocsp-nocheck, RFC 6960 section 4.2.2.2.1). A list that is at hand counts.
struct DelegatedResponders {
    private static let smallestRSAKey = 2048
    private static let processed: Set<UInt8> = [
        ExtensionNumber.basicConstraints, ExtensionNumber.keyUsage, ExtensionNumber.extendedKeyUsage,
        ExtensionNumber.alternativeNames,
    ]

    let issuer: ParsedCertificate
    let time: Date
    let lists: [CertificateRevocationList]
    let distrusted: Distrust
    let evaluation: EvaluationBudget

    /// - Returns: ``RevocationProblem/outdated`` for a certificate that has expired since: it still shows that the responder was one.
    func check(
        _ certificate: ParsedCertificate, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> RevocationProblem? {
        guard certificate.issuer == issuer.subject, Self.isAllowed(certificate), !distrusted.contains(certificate)
        else {
            throw .signerNotAuthorized
        }
        guard certificate.notBefore <= time else { throw .notYetValid }
        if let unknown = certificate.encoded.extensions.first(where: { $0.isCritical && !Self.isProcessed($0) }) {
            throw .unknownCriticalExtension(unknown.name)
        }
        guard certificate.algorithm.weakness == nil else { throw .weakSignature }
        if let size = certificate.rsaSize, size < Self.smallestRSAKey { throw .weakSignature }
        try budget.spend()
        guard certificate.isSigned(by: issuer) else { throw .signerNotAuthorized }
        try checkLists(certificate)
        return time < certificate.notAfter + 1 ? nil : .outdated
    }

    private func checkLists(_ certificate: ParsedCertificate) throws(RevocationProblem) {
        guard !lists.isEmpty, let subject = try? RevocationSubject(certificate, issuer: issuer) else { return }
        var signers = IssuerAlone()
        let listed = ListedStatus(subject: subject, time: time, evaluation: evaluation).statements(
            in: lists, signers: &signers)
        switch listed.statements.status {
        case .revoked: throw .signerNotAuthorized
        // A server could use the budget up, so that what the responder says is not heard.
        case .unusable(.budgetExhausted): throw .budgetExhausted
        case .good, .absent, .unusable: return
        }
    }

    /// The purpose by its name: any purpose is none here.
    private static func isAllowed(_ certificate: ParsedCertificate) -> Bool {
        guard certificate.extendedKeyUsage.value?.contains(.ocspSigning) == true else { return false }
        return !certificate.keyUsage.isPresent || certificate.keyUsage.value?.digitalSignature == true
    }

    private static func isProcessed(_ one: EncodedExtension) -> Bool {
        one.number.map(processed.contains) ?? one.identifier.dropFirst(2).elementsEqual(ExtensionNumber.noCheck)
    }
}
