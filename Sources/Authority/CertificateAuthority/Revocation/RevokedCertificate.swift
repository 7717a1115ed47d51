// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import CertificateTrust
public import X509

/// A certificate that its authority has revoked, as revocation lists and OCSP responses describe it.
public struct RevokedCertificate: Hashable, Sendable {
    /// The certificate's serial number, which is unique for its issuer.
    public let serialNumber: Certificate.SerialNumber
    /// When the certificate was revoked.
    public let date: Date
    /// The reason of the revocation.
    public let reason: RevocationReason

    /// Describes a revocation.
    ///
    /// - Parameters:
    ///   - serialNumber: The certificate's serial number.
    ///   - date: When the certificate was revoked.
    ///   - reason: The reason, unspecified by default.
    public init(serialNumber: Certificate.SerialNumber, date: Date, reason: RevocationReason = .unspecified) {
        (self.serialNumber, self.date, self.reason) = (serialNumber, date, reason)
    }
}
