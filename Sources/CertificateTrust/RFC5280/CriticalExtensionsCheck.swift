// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// A critical extension that is not processed makes a certificate unusable (RFC 5280 section 4.2).
enum CriticalExtensionsCheck {
    private static let processed: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.nameConstraints, .certificatePolicies,
        .policyMappings, .policyConstraints, .inhibitAnyPolicy, RevocationPointers.feature,
    ]

    static func check(_ certificate: ParsedCertificate) throws(TrustFailure) {
        if let unknown = certificate.unprocessedCriticalExtension {
            throw .unknownCriticalExtension(certificate.summary, "\(unknown)")
        }
        // Of what a server may be bound to answer with, only an OCSP response is known here.
        let features = try certificate.require(certificate.features) ?? []
        guard certificate.features.isCritical == true, features != [RevocationPointers.statusRequest] else { return }
        throw .unknownCriticalExtension(certificate.summary, "\(certificate.features.identifier)")
    }

    static func unprocessed(_ extensions: Certificate.Extensions) -> ASN1ObjectIdentifier? {
        extensions.first { $0.critical && !processed.contains($0.oid) }?.oid
    }
}
