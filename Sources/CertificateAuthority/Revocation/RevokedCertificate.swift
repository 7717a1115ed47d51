// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import CertificateTrust
public import X509

/// A certificate that is no longer to be trusted, as lists and responders tell it.
public struct RevokedCertificate: Hashable, Sendable {
    /// The certificate's number, unique for its issuer.
    public let serialNumber: Certificate.SerialNumber
    /// When it was revoked.
    public let date: Date
    /// The reason of the revocation.
    public let reason: RevocationReason

    /// A revocation.
    ///
    /// - Parameters:
    ///   - serialNumber: The certificate's number.
    ///   - date: When it was revoked.
    ///   - reason: Why.
    public init(serialNumber: Certificate.SerialNumber, date: Date, reason: RevocationReason = .unspecified) {
        (self.serialNumber, self.date, self.reason) = (serialNumber, date, reason)
    }
}
