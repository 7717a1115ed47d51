// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
public import CertificateAuthority
public import CertificateTrust
public import X509

/// The authority behind an ACME server.
public protocol CertificateIssuer: Sendable {
    /// Whether the authority issues for an identifier at all; an order is refused otherwise.
    ///
    /// - Parameter identifier: A name, with `*.` in front for a wildcard.
    /// - Returns: Whether it does.
    func mayIssue(for identifier: Identifier) async -> Bool

    /// Issues a certificate, and records it before it returns.
    ///
    /// - Parameters:
    ///   - request: A request whose signature, key and names were checked; what it asks for besides is not to be copied.
    ///   - identifiers: The names that the account is authorized for, and no others.
    ///   - profile: One of those that the configuration lists; `nil` for the usual one.
    /// - Returns: The certificate and its issuers without the root, leaf first.
    /// - Throws: Any error; the order then fails.
    func issue(_ request: CertificateRequest, for identifiers: [Identifier], profile: String?) async throws
        -> [Certificate]

    /// Revokes a certificate.
    ///
    /// - Parameters:
    ///   - serialNumber: Its serial number.
    ///   - reason: Why.
    /// - Returns: `false` where it was revoked before.
    /// - Throws: Any error; the certificate is then not revoked.
    func revoke(_ serialNumber: Certificate.SerialNumber, reason: RevocationReason) async throws -> Bool

    /// Looks a certificate up.
    ///
    /// - Parameter serialNumber: Its serial number.
    /// - Returns: `nil` where the authority issued none such.
    /// - Throws: Any error.
    func certificate(_ serialNumber: Certificate.SerialNumber) async throws -> IssuedStatus?
}

/// A certificate of the authority, and whether it was revoked.
public struct IssuedStatus: Sendable {
    /// The certificate.
    public let certificate: Certificate
    /// Whether it was revoked.
    public let isRevoked: Bool

    /// A certificate and its status.
    public init(certificate: Certificate, isRevoked: Bool) {
        (self.certificate, self.isRevoked) = (certificate, isRevoked)
    }
}
