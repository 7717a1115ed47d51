// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import EssentialFoundation
internal import Identities
internal import SwiftASN1
public import X509

/// A certificate that its authority has revoked, as revocation lists and OCSP responses describe it.
public struct RevokedCertificate: Hashable, Sendable {
    /// The certificate's serial number, which is unique for the issuer.
    public let serialNumber: Certificate.SerialNumber
    /// The time of the revocation.
    public let date: Date
    /// The reason for the revocation.
    public let reason: RevocationReason

    /// Creates a revoked certificate.
    ///
    /// - Parameters:
    ///   - serialNumber: The certificate's serial number.
    ///   - date: The time of the revocation.
    ///   - reason: The reason; the default is unspecified.
    public init(serialNumber: Certificate.SerialNumber, date: Date, reason: RevocationReason = .unspecified) {
        (self.serialNumber, self.date, self.reason) = (serialNumber, date, reason)
    }
}

extension CertificateAuthority {
    /// Creates a complete revocation list (RFC 5280 section 5).
    ///
    /// - Parameters:
    ///   - revoked: Every certificate of the authority that is revoked and has not expired.
    ///   - number: The number of the list, larger than that of the previous list. A negative number counts as 0.
    ///   - validity: The validity period of the list. After it, a client needs a newer list.
    ///   - now: The time of issue.
    /// - Returns: The list in DER.
    /// - Throws: ``CertificateAuthorityError/emptyValidity(notBefore:notAfter:)``,
    ///   ``CertificateAuthorityError/unsupportedKey``, and the error of the signing key.
    public func revocationList(
        of revoked: some Collection<RevokedCertificate>, number: Int, validity: Validity = .days(7), now: Date
    ) throws -> [UInt8] {
        let period = try validity.period(at: now, noLaterThan: nil)
        let issuerKey =
            try certificate.extensions.subjectKeyIdentifier ?? SubjectKeyIdentifier(hash: certificate.publicKey)
        let algorithm = try SigningAlgorithm(identity.privateKey.publicKey)
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { list in
            // Version 2 is encoded as 1.
            try list.serialize(1)
            try algorithm.serialize(into: &list)
            try list.serialize(certificate.subject)
            try list.time(now)
            try list.time(period.notAfter)
            if !revoked.isEmpty {
                try list.appendConstructedNode(identifier: .sequence) { entries in
                    for entry in revoked { try entries.revoked(entry) }
                }
            }
            try list.explicit(0) { tagged in
                try tagged.appendConstructedNode(identifier: .sequence) { extensions in
                    try extensions.certificateExtension(
                        AuthorityKeyIdentifier(keyIdentifier: issuerKey.keyIdentifier).makeCertificateExtension())
                    // The CRL number extension (section 5.2.3).
                    try extensions.certificateExtension([2, 5, 29, 20]) { try $0.serialize(max(number, 0)) }
                }
            }
        }
        return try DER.signed(serializer.serializedBytes, by: identity.privateKey)
    }
}

extension DER.Serializer {
    fileprivate mutating func revoked(_ entry: RevokedCertificate) throws {
        try appendConstructedNode(identifier: .sequence) { fields in
            try fields.serialize(entry.serialNumber.bytes)
            try fields.time(entry.date)
            // An unspecified reason is omitted (section 5.3.1).
            guard entry.reason != .unspecified else { return }
            try fields.appendConstructedNode(identifier: .sequence) { extensions in
                try extensions.certificateExtension([2, 5, 29, 21]) { $0.enumerated(entry.reason.code) }
            }
        }
    }

    mutating func enumerated(_ number: UInt8) {
        appendPrimitiveNode(identifier: .enumerated) { $0.append(number) }
    }

    /// Writes a noncritical extension.
    mutating func certificateExtension(
        _ identifier: ASN1ObjectIdentifier, _ value: (inout DER.Serializer) throws -> Void
    ) throws {
        var serializer = DER.Serializer()
        try value(&serializer)
        try certificateExtension(.init(oid: identifier, critical: false, value: serializer.serializedBytes[...]))
    }

    mutating func certificateExtension(_ value: Certificate.Extension) throws {
        try appendConstructedNode(identifier: .sequence) { fields in
            try fields.serialize(value.oid)
            if value.critical { try fields.serialize(true) }
            try fields.serialize(ASN1OctetString(contentBytes: value.value))
        }
    }

    /// Writes a Time value: UTCTime through 2049, GeneralizedTime after that (section 4.1.2.5).
    mutating func time(_ date: Date) throws {
        let digits = date.asn1Digits
        if digits.hasPrefix("19") || digits < "2050" {
            appendPrimitiveNode(identifier: .utcTime) { $0 += Array(digits.dropFirst(2).utf8) }
        } else {
            generalizedTime(date)
        }
    }

    mutating func generalizedTime(_ date: Date) {
        appendPrimitiveNode(identifier: .generalizedTime) { $0 += Array(date.asn1Digits.utf8) }
    }
}

extension Date {
    /// The digits of a GeneralizedTime, such as `20261123141500Z`.
    fileprivate var asn1Digits: String {
        formatted(.iso8601).filter { $0.isNumber } + "Z"
    }
}
