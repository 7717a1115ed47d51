// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
public import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A key or certificate that a trusted path must contain, identified by the SHA-256 of its encoding.
public struct Pin: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of the pin: the part of a path that it identifies.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The SubjectPublicKeyInfo of any certificate of the path (RFC 7469 section 2.4).
        case publicKey = "sha256"
        /// The server's own certificate, whole: a renewal breaks it.
        case certificate = "certificate-sha256"
        /// The SubjectPublicKeyInfo of an authority above the server.
        case authority = "authority-sha256"
    }

    /// The kind of the pin: the part of a path that it identifies.
    public let kind: Kind
    private let digest: [UInt8]

    /// Reads `sha256/`, `certificate-sha256/` or `authority-sha256/`, and 32 bytes in base64, or in hexadecimal with or
    /// without colons.
    ///
    /// - Throws: ``PinError`` where the text has another form, or names another hash.
    public init(_ text: String) throws(PinError) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { throw .malformed(text) }
        guard let kind = Kind(rawValue: String(parts[0])) else { throw .unsupportedHash(String(parts[0])) }
        guard let digest = Self.bytes(String(parts[1])), digest.count == SHA256.byteCount else {
            throw .malformed(text)
        }
        self.kind = kind
        self.digest = digest
    }

    /// Makes the pin of a certificate, or of its key, which is the default.
    public init(_ kind: Kind = .publicKey, of certificate: Certificate) {
        self.init(kind, of: ParsedCertificate(certificate))
    }

    init(_ kind: Kind, of certificate: ParsedCertificate) {
        self.kind = kind
        digest =
            switch kind {
            // As it was encoded: swift-certificates 1.21 has the bare key only, under the name of the whole.
            case .publicKey, .authority: Array(SHA256.hash(data: certificate.fields.publicKeyInfo))
            case .certificate: Array(SHA256.hash(data: certificate.bytes))
            }
    }

    /// The kind, a slash, and the digest in base64.
    public var description: String { kind.rawValue + "/" + Data(digest).base64EncodedString() }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.filter { $0 != ":" }
        guard digits.utf8.count == 2 * SHA256.byteCount, digits.allSatisfy(\.isHexDigit) else {
            return Data(base64Encoded: text).map(Array.init)
        }
        let values = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

extension Pin {
    /// Reads the text of a pin.
    ///
    /// - Throws: ``PinError``, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text of the pin.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Why a text is no pin.
@nonexhaustive
public enum PinError: Error, Hashable, Sendable {
    /// The text has no digest of 32 bytes in base64 or hexadecimal after a slash. Holds the text.
    case malformed(String)
    /// The text before the slash is not one of those of ``Pin/Kind``. Holds that part.
    case unsupportedHash(String)
}
