// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Validity, both ends included (RFC 5280 section 4.1.2.5).
enum ValidityCheck {
    static func check(_ certificate: ParsedCertificate, at time: Date) throws(TrustFailure) {
        guard certificate.notBefore <= time else { throw .notYetValid(certificate.summary, at: time) }
        // The end is given to the second, and that second is still valid.
        guard time < certificate.notAfter + 1 else { throw .expired(certificate.summary, at: time) }
    }
}
