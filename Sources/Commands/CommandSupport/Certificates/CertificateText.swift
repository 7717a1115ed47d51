// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A certificate as a person reads it.
package enum CertificateText {
    package static func lines(_ certificate: CertificateSummary) -> [String] {
        [
            "Subject:     \(certificate.subject)",
            "Issuer:      \(certificate.issuer)",
            "Valid:       \(day(certificate.notBefore)) to \(day(certificate.notAfter))",
            "Fingerprint: \(certificate.fingerprint) (SHA-256)",
        ]
    }

    /// The last day that is over before an instant, or at it.
    package static func lastDay(before date: Date) -> String { day(date - 1) }

    package static func day(_ date: Date) -> String {
        String(date.formatted(.iso8601).prefix(10))
    }
}
