// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
public import CertificateAuthority
public import CertificateTrust
public import X509

/// The certification authority for which an ACME server works.
public protocol CertificateIssuer: Sendable {
    /// Whether the authority issues certificates for an identifier at all.
    ///
    /// - Parameter identifier: A name in its canonical spelling, with `*.` in front for a wildcard.
    /// - Returns: `false` to have the server refuse an order with this identifier.
    func mayIssue(for identifier: Identifier) async -> Bool

    /// Issues a certificate, and records it before the function returns.
    ///
    /// - Parameters:
    ///   - request: A request whose signature, key and names were checked. Its other contents, such as extensions, must not be copied.
    ///   - identifiers: The names of the certificate: those of the order, for all of which the account is authorized.
    ///   - profile: A profile that the configuration lists; `nil` for the authority's usual one.
    /// - Returns: The certificate and its issuers without the root, leaf first.
    /// - Throws: Any error; the order then fails.
    func issue(_ request: CertificateRequest, for identifiers: [Identifier], profile: String?) async throws
        -> [Certificate]

    /// Revokes a certificate.
    ///
    /// - Parameters:
    ///   - serialNumber: The serial number of the certificate.
    ///   - reason: The reason: unspecified, key compromise, affiliation changed, superseded, or cessation of operation.
    /// - Returns: `false` if the certificate was revoked before.
    /// - Throws: Any error; the certificate is then not revoked.
    func revoke(_ serialNumber: Certificate.SerialNumber, reason: RevocationReason) async throws -> Bool

    /// Looks a certificate up.
    ///
    /// - Parameter serialNumber: The serial number of the certificate.
    /// - Returns: The certificate and its status; `nil` if the authority issued no certificate with this number.
    /// - Throws: Any error; the request then fails with the status 500.
    func certificate(_ serialNumber: Certificate.SerialNumber) async throws -> IssuedStatus?
}

/// A certificate of the authority, and whether it was revoked.
public struct IssuedStatus: Sendable {
    /// The certificate.
    public let certificate: Certificate
    /// Whether the certificate was revoked.
    public let isRevoked: Bool

    /// A certificate and its status.
    public init(certificate: Certificate, isRevoked: Bool) {
        (self.certificate, self.isRevoked) = (certificate, isRevoked)
    }
}
