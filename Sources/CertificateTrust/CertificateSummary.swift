// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import SwiftASN1
public import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a person needs to know of a certificate, in text that is safe to print.
public struct CertificateSummary: Hashable, Sendable, Codable {
    /// The subject (RFC 4514), control characters escaped.
    public let subject: String
    /// The issuer (RFC 4514), control characters escaped.
    public let issuer: String
    /// The first instant at which it is valid.
    public let notBefore: Date
    /// The last second in which it is valid.
    public let notAfter: Date
    /// In hexadecimal.
    public let serialNumber: String
    /// SHA-256 of the certificate, in hexadecimal with colons.
    public let fingerprint: String
    /// The pin that its key satisfies.
    public let publicKeyPin: Pin

    /// Summarizes a certificate.
    public init(_ certificate: Certificate) {
        subject = certificate.subject.description.printable
        issuer = certificate.issuer.description.printable
        notBefore = certificate.notValidBefore
        notAfter = certificate.notValidAfter
        serialNumber = Self.hexadecimal(certificate.serialNumber.bytes, separator: "")
        fingerprint = Self.hexadecimal(certificate.sha256Fingerprint, separator: ":")
        publicKeyPin = Pin(publicKeyOf: certificate)
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>, separator: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            if !text.isEmpty { text += separator.utf8 }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Certificate {
    /// The bytes that the signature is over, with the signature.
    var derBytes: [UInt8] {
        var serializer = DER.Serializer()
        // A certificate that was parsed is written back as it came.
        return (try? serializer.serialize(self)).map { serializer.serializedBytes } ?? []
    }

    var sha256Fingerprint: SHA256.Digest { SHA256.hash(data: derBytes) }
}
