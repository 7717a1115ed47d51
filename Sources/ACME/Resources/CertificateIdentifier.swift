// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// The identifier by which a client asks for renewal information: the issuer's key identifier and the serial number (RFC 9773 section 4.1).
public struct CertificateIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The authority's key identifier.
    public let authorityKey: [UInt8]
    /// The serial number as DER has it: with a zero in front where its first bit is set.
    public let serialNumber: [UInt8]

    /// Makes the identifier of a certificate; `nil` where the certificate does not name its issuer's key.
    public init?(_ certificate: Certificate) {
        guard let key = try? certificate.extensions.authorityKeyIdentifier?.keyIdentifier else { return nil }
        let serial = certificate.serialNumber.bytes
        authorityKey = Array(key)
        serialNumber = (serial.first.map { $0 & 0x80 != 0 } ?? false ? [0] : []) + Array(serial)
    }

    /// Reads an identifier.
    ///
    /// - Parameter text: Two parts in base64url, with a dot between them.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, parts.count == 2, let key = Base64URL.decode(parts[0]), !key.isEmpty,
            let serial = Base64URL.decode(parts[1]), let first = serial.first, first & 0x80 == 0
        else { return nil }
        (authorityKey, serialNumber) = (key, serial)
    }

    /// The serial number as a number of a certificate.
    public var number: Certificate.SerialNumber { Certificate.SerialNumber(bytes: serialNumber) }

    /// Two parts in base64url, with a dot between them.
    public var description: String { Base64URL.encode(authorityKey) + "." + Base64URL.encode(serialNumber) }
}
