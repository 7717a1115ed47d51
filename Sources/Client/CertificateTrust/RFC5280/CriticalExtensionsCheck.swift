// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A critical extension that is not processed makes a certificate unusable (RFC 5280 section 4.2).
enum CriticalExtensionsCheck {
    static func check(_ certificate: ParsedCertificate) throws(TrustFailure) {
        if let unknown = certificate.unprocessedCriticalExtension {
            throw .unknownCriticalExtension(certificate.summary, unknown)
        }
        // Of what a server may be bound to answer with, only an OCSP response is known here.
        let features = try certificate.require(certificate.features) ?? []
        guard certificate.features.isCritical == true, features != [TLSFeatures.statusRequest] else { return }
        throw .unknownCriticalExtension(certificate.summary, "\(certificate.features.identifier)")
    }
}
