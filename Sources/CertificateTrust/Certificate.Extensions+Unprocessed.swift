// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

extension Certificate.Extensions {
    private static let processed: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.nameConstraints, .certificatePolicies,
        .policyMappings, .policyConstraints, .inhibitAnyPolicy, RevocationPointers.feature,
    ]

    /// The first critical extension that no check of a path processes (RFC 5280 section 4.2).
    var unprocessedCritical: ASN1ObjectIdentifier? { first { $0.critical && !Self.processed.contains($0.oid) }?.oid }
}
