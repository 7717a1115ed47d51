// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// A critical extension that is not processed makes a certificate unusable (RFC 5280 section 4.2).
enum CriticalExtensionsCheck {
    private static let processed: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.nameConstraints,
    ]

    static func check(_ certificate: Certificate) throws(TrustFailure) {
        guard let unknown = certificate.extensions.first(where: { $0.critical && !processed.contains($0.oid) }) else {
            return
        }
        throw .unknownCriticalExtension(CertificateSummary(certificate), "\(unknown.oid)")
    }
}

extension Certificate {
    /// Reads an extension; one that cannot be read is a failure, not an absence.
    func read<Value>(
        _ identifier: ASN1ObjectIdentifier, _ value: (Certificate.Extensions) throws -> Value?
    ) throws(TrustFailure) -> Value? {
        do {
            return try value(extensions)
        } catch {
            throw .malformedExtension(CertificateSummary(self), "\(identifier)")
        }
    }
}
