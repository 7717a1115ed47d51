// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Validity, both ends included (RFC 5280 section 4.1.2.5).
enum ValidityCheck {
    static func check(_ certificate: Certificate, at time: Date) throws(TrustFailure) {
        guard certificate.notValidBefore <= time else { throw .notYetValid(CertificateSummary(certificate), at: time) }
        // The end is given to the second, and that second is still valid.
        guard time < certificate.notValidAfter + 1 else { throw .expired(CertificateSummary(certificate), at: time) }
    }
}
