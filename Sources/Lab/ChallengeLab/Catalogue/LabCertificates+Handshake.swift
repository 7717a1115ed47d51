// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import EssentialFoundation
import Identities
import SwiftASN1
import X509

extension LabCertificates {
    /// An OCSP response that a server staples.
    enum Staple {
        case good
        /// A good response that has expired.
        case outdated
        /// A good response about another certificate of the same authority.
        case ofOtherCertificate
        case revoked
    }

    /// Returns a server identity whose certificate requires a stapled OCSP response (RFC 7633), and names a responder
    /// that does not answer.
    func requiringStaple() throws -> Identity {
        let responder = publication.url("away.ocsp")?.absoluteString ?? ""
        let access = try Certificate.Extension(
            AuthorityInformationAccess([
                .init(method: .ocspServer, location: .uniformResourceIdentifier(responder))
            ]), critical: false)
        return try server {
            $0.extensions = [
                .init(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: false, value: [0x30, 3, 2, 1, 5]),
                .init(oid: access.oid, critical: false, value: Array(access.value)),
            ]
        }
    }

    /// Returns the response that the server of an identity staples, signed by a delegated responder.
    func response(_ staple: Staple, for identity: Identity) async throws -> [UInt8] {
        let authority = try CertificateAuthority(intermediate)
        let subject = staple == .ofOtherCertificate ? good.certificate : identity.certificate
        let request = try OCSPRequest(for: subject, issuer: authority.certificate)
        let revoked = RevokedCertificate(serialNumber: subject.serialNumber, date: begin, reason: .keyCompromise)
        let time = staple == .outdated ? begin - 30 * 86_400 : begin
        let lifetime = 7.0 * 86_400
        return try await authority.issueResponder(now: begin).respond(
            to: request.derEncoded, lifetime: lifetime, now: time
        ) { _ in staple == .revoked ? .revoked(revoked) : .good }
    }

    /// Returns a list with a timestamp of each log for a certificate.
    func timestamps(for certificate: Certificate) throws -> [UInt8] {
        let bytes = try certificate.serializeAsPEM().derBytes
        return LabLog.list(try logs.map { try $0.timestamp(for: bytes, at: begin) })
    }
}
