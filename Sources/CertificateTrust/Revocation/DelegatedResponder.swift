// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CryptoExtras
import SwiftASN1
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
    private static let processed: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, [1, 3, 6, 1, 5, 5, 7, 48, 1, 5],
    ]

    static func check(
        _ certificate: Certificate, issuedBy issuer: Certificate, at time: Date, budget: inout SignatureBudget
    ) throws(RevocationProblem) {
        guard NameKey(certificate.issuer) == NameKey(issuer.subject), isAllowed(certificate) else {
            throw .signerNotAuthorized
        }
        guard certificate.notValidBefore <= time else { throw .notYetValid }
        guard time < certificate.notValidAfter + 1 else { throw .outdated }
        if let unknown = certificate.extensions.first(where: { $0.critical && !processed.contains($0.oid) }) {
            throw .unknownCriticalExtension("\(unknown.oid)")
        }
        guard certificate.signatureAlgorithm != .sha1WithRSAEncryption else { throw .weakSignature }
        if let key = _RSA.Signing.PublicKey(certificate.publicKey), key.keySizeInBits < smallestRSAKey {
            throw .weakSignature
        }
        try budget.spend()
        guard issuer.publicKey.isValidSignature(certificate.signature, for: certificate) else {
            throw .signerNotAuthorized
        }
    }

    /// The purpose by its name: any purpose is none here.
    private static func isAllowed(_ certificate: Certificate) -> Bool {
        guard let purposes = try? certificate.extensions.extendedKeyUsage, purposes.contains(.ocspSigning) else {
            return false
        }
        guard certificate.extensions[oid: .X509ExtensionID.keyUsage] != nil else { return true }
        return (try? certificate.extensions.keyUsage)?.digitalSignature ?? false
    }
}
