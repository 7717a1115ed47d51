// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Evidence that was missing, for the caller to fetch and pass to another evaluation as ``TrustEvidence``.
@nonexhaustive
public enum EvidenceRequest: Hashable, Sendable {
    /// The certificate of a certificate's issuer, in DER or in a bundle of certificates (RFC 5280 section 4.2.2.1).
    ///
    /// `at` are the URLs that the certificate names; the first that has the issuer's certificate is enough.
    case issuer(of: CertificateSummary, at: [String])
    /// The revocation status of a certificate (RFC 6960, RFC 5280 section 5).
    ///
    /// `responders` and `lists` are the URLs of OCSP responders and revocation lists that the certificate names. One good answer is enough.
    case revocation(of: CertificateSummary, issuer: CertificateSummary, responders: [String], lists: [String])
}

extension ParsedCertificate {
    /// Where the certificate says that its issuer's is; `nil` where it does not say.
    var issuerRequest: EvidenceRequest? {
        let places = RevocationPointers(self).issuers
        return places.isEmpty ? nil : .issuer(of: summary, at: places)
    }

    /// Where to ask whether it is revoked; `nil` where it does not say.
    func revocationRequest(issuer: ParsedCertificate) -> EvidenceRequest? {
        let pointers = RevocationPointers(self)
        guard !pointers.responders.isEmpty || !pointers.lists.isEmpty else { return nil }
        return .revocation(
            of: summary, issuer: issuer.summary, responders: pointers.responders, lists: pointers.lists)
    }
}
