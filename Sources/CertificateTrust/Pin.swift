// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
public import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A public key that a trusted path must contain: the SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 7469 section 2.4).
public struct Pin: Hashable, Sendable, Codable, CustomStringConvertible {
    /// `sha256/` and the digest in base64.
    public let description: String

    /// Reads `sha256/` and 32 bytes in base64.
    public init(_ text: String) throws(PinError) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { throw .malformed(text) }
        guard parts[0] == "sha256" else { throw .unsupportedHash(String(parts[0])) }
        guard let digest = Data(base64Encoded: String(parts[1])), digest.count == 32 else { throw .malformed(text) }
        description = "sha256/" + digest.base64EncodedString()
    }

    /// The pin that a certificate satisfies.
    public init(publicKeyOf certificate: Certificate) {
        // As it was encoded: swift-certificates 1.21 has the bare key only, under the name of the whole.
        let fields = CertificateFields(tbsCertificate: certificate.tbsCertificateBytes)
        let digest = SHA256.hash(data: fields?.publicKeyInfo ?? [])
        description = "sha256/" + Data(digest).base64EncodedString()
    }
}

extension Pin {
    /// Reads the text of a pin.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text of the pin.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Why a text is no pin.
@nonexhaustive
public enum PinError: Error, Hashable, Sendable {
    /// Not `sha256/` and 32 bytes in base64.
    case malformed(String)
    case unsupportedHash(String)
}
