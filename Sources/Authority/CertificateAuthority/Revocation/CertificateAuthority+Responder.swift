// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
internal import Identities
internal import X509

extension CertificateAuthority {
    /// Makes a responder that signs in the authority's name, with a separate key and certificate (RFC 6960 section 4.2.2.2).
    ///
    /// - Parameters:
    ///   - validity: When the responder's certificate is valid; it should be short, because the certificate cannot be revoked.
    ///   - now: The time of issue.
    /// - Returns: The responder, with a new key on P-256.
    /// - Throws: ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)`` or ``CertificateAuthorityError/unsupportedKey``.
    public func issueResponder(validity: Validity = .days(7), now: Date) throws -> OCSPResponder {
        let key = try KeyType.p256.makeKey()
        let certificate = try CertificateTemplate(responderFor: certificate.subject).certificate(
            for: key.publicKey, from: identity, validity: validity, publication: publication, now: now)
        return try OCSPResponder(Identity(chain: [certificate], privateKey: key), for: self.certificate)
    }
}
