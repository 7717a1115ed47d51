// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A certificate that makes someone else a responder for its issuer (RFC 6960 section 4.2.2.2).
///
/// Whether it is itself revoked is not asked: issuers give such certificates a short life instead
/// (id-pkix-ocsp-nocheck, RFC 6960 section 4.2.2.2.1).
enum DelegatedResponder {
    private static let smallestRSAKey = 2048
    private static let processed: Set<UInt8> = [
        ExtensionNumber.basicConstraints, ExtensionNumber.keyUsage, ExtensionNumber.extendedKeyUsage,
        ExtensionNumber.alternativeNames,
    ]

    static func check(
        _ certificate: ParsedCertificate, issuedBy issuer: ParsedCertificate, at time: Date,
        budget: inout SignatureBudget
    ) throws(RevocationProblem) {
        guard certificate.issuer == issuer.subject, isAllowed(certificate) else {
            throw .signerNotAuthorized
        }
        guard certificate.notBefore <= time else { throw .notYetValid }
        guard time < certificate.notAfter + 1 else { throw .outdated }
        if let unknown = certificate.encoded.extensions.first(where: { $0.isCritical && !isProcessed($0) }) {
            throw .unknownCriticalExtension(unknown.name)
        }
        guard certificate.algorithm.weakness == nil else { throw .weakSignature }
        if let size = certificate.rsaSize, size < smallestRSAKey { throw .weakSignature }
        try budget.spend()
        guard certificate.isSigned(by: issuer) else { throw .signerNotAuthorized }
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
