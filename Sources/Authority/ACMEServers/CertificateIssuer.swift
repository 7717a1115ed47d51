// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
public import CertificateAuthorities
public import CertificateTrust
public import X509

/// The certificate authority behind an ACME server.
public protocol CertificateIssuer: Sendable {
    /// Returns whether the authority issues certificates for an identifier.
    ///
    /// - Parameter identifier: A name in canonical spelling, with a leading `*.` for a wildcard.
    /// - Returns: `false` to make the server refuse an order with this identifier.
    func mayIssue(for identifier: ACMEIdentifier) async -> Bool

    /// Issues a certificate, and records it before returning.
    ///
    /// - Parameters:
    ///   - request: A certificate request whose signature, key and names were checked. Other contents, such as
    ///     extensions, must not be copied.
    ///   - identifiers: The names of the certificate, which are those of the order. The account is authorized for all
    ///     of them.
    ///   - profile: A profile of the configuration; `nil` for the authority's default profile.
    /// - Returns: The certificate and its issuers without the root, leaf first.
    /// - Throws: Any error; the order then fails.
    func issue(_ request: CertificateRequest, for identifiers: [ACMEIdentifier], profile: String?) async throws
        -> [Certificate]

    /// Revokes a certificate.
    ///
    /// - Parameters:
    ///   - serialNumber: The serial number of the certificate.
    ///   - reason: The reason: unspecified, key compromise, affiliation changed, superseded, or cessation of operation.
    /// - Returns: `false` if the certificate was revoked before.
    /// - Throws: Any error; the certificate is then not revoked.
    func revoke(_ serialNumber: Certificate.SerialNumber, reason: RevocationReason) async throws -> Bool

    /// Returns a certificate of the authority and its status.
    ///
    /// - Parameter serialNumber: The serial number of the certificate.
    /// - Returns: The certificate and its status; `nil` if the authority issued no certificate with this number.
    /// - Throws: Any error; the request then fails with the status 500.
    func certificate(_ serialNumber: Certificate.SerialNumber) async throws -> IssuedStatus?
}

/// A certificate of the authority and its status.
public struct IssuedStatus: Sendable {
    /// The certificate.
    public let certificate: Certificate
    /// Whether the certificate was revoked.
    public let isRevoked: Bool

    /// Creates a status.
    public init(certificate: Certificate, isRevoked: Bool) {
        (self.certificate, self.isRevoked) = (certificate, isRevoked)
    }
}
