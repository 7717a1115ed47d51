// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// The identifier by which a client asks for renewal information: the issuer's key identifier and the serial number (RFC 9773 section 4.1).
public struct CertificateIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The key identifier in the certificate's authority key identifier extension (RFC 5280 section 4.2.1.1).
    public let authorityKey: [UInt8]
    /// The content bytes of the serial number in DER: with a zero byte in front where the first bit would be set otherwise.
    public let serialNumber: [UInt8]

    /// Makes the identifier of a certificate; `nil` where the certificate does not name its issuer's key.
    public init?(_ certificate: Certificate) {
        guard let key = try? certificate.extensions.authorityKeyIdentifier?.keyIdentifier else { return nil }
        let serial = certificate.serialNumber.bytes
        authorityKey = Array(key)
        serialNumber = (serial.first.map { $0 & 0x80 != 0 } ?? false ? [0] : []) + Array(serial)
    }

    /// Reads an identifier; `nil` where the text is malformed.
    ///
    /// - Parameter text: The two parts in base64url, with a dot between them, in at most 256 bytes.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, parts.count == 2, let key = Base64URL.decode(parts[0]), !key.isEmpty,
            let serial = Base64URL.decode(parts[1]), let first = serial.first, first & 0x80 == 0
        else { return nil }
        (authorityKey, serialNumber) = (key, serial)
    }

    /// The serial number as X509 represents it.
    public var number: Certificate.SerialNumber { Certificate.SerialNumber(bytes: serialNumber) }

    /// Two parts in base64url, with a dot between them.
    public var description: String { Base64URL.encode(authorityKey) + "." + Base64URL.encode(serialNumber) }
}
