// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A certificate as a person reads it.
enum CertificateText {
    static func lines(_ certificate: CertificateSummary) -> [String] {
        [
            "Subject:     \(certificate.subject)",
            "Issuer:      \(certificate.issuer)",
            "Valid:       \(day(certificate.notBefore)) to \(day(certificate.notAfter))",
            "Fingerprint: \(certificate.fingerprint) (SHA-256)",
        ]
    }

    /// The last day that is over before an instant, or at it.
    static func lastDay(before date: Date) -> String { day(date - 1) }

    static func day(_ date: Date) -> String {
        String(date.formatted(.iso8601).prefix(10))
    }
}
