// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Encodings
import ErrorExplanations
public import EssentialFoundation
import SwiftASN1
public import X509

/// The facts of a certificate that a person needs, in text that is safe to print.
///
/// Each property is computed when it is read. As JSON it has every property by its name, and the certificate itself
/// (DER, base64), from which alone it is read back.
public struct CertificateSummary: Hashable, Sendable, Codable {
    let parsed: ParsedCertificate

    /// Summarizes a certificate.
    public init(_ certificate: Certificate) {
        self.init(ParsedCertificate(certificate))
    }

    /// Reads a certificate for an anchor; its signature may use any algorithm, because an anchor's own signature is not checked.
    ///
    /// - Parameter derEncoded: The certificate in DER; `nil` where it is malformed or its key is of an unknown kind.
    public init?(anchor derEncoded: [UInt8]) {
        guard let parsed = try? ParsedCertificate(anchor: derEncoded) else { return nil }
        self.init(parsed)
    }

    init(_ parsed: ParsedCertificate) {
        self.parsed = parsed
    }

    /// The certificate itself; `nil` where swift-certificates cannot read it, as with unique identifiers (RFC 5280 section 4.1.2.8).
    public var certificate: Certificate? { parsed.certificate }
    /// The certificate in DER.
    public var derBytes: [UInt8] { parsed.bytes }
    /// The subject in its parts, as they stand in the certificate.
    package var subjectName: DistinguishedName { parsed.subjectName }
    /// The key; `nil` where it is of an unknown kind.
    package var publicKey: Certificate.PublicKey? { parsed.key?.typed }
    /// How it is signed; `nil` where swift-certificates has no name for it.
    package var signatureAlgorithm: Certificate.SignatureAlgorithm? { parsed.algorithm.typed }
    /// The subject (RFC 4514), control characters escaped.
    public var subject: String { parsed.subjectName.description.printable }
    /// The issuer (RFC 4514), control characters escaped.
    public var issuer: String { parsed.issuerName.description.printable }
    /// The first instant at which it is valid.
    public var notBefore: Date { parsed.notBefore }
    /// The last second in which it is valid.
    public var notAfter: Date { parsed.notAfter }
    /// The serial number, in upper-case hexadecimal digits without separators.
    public var serialNumber: String { Hexadecimal.encode(serialOctets, uppercase: true) }
    /// Without the zero that makes a number positive.
    private var serialOctets: ArraySlice<UInt8> {
        let octets = parsed.fields.serialNumber
        return octets.count > 1 && octets.first == 0 ? octets.dropFirst() : octets
    }
    /// SHA-256 of the certificate in DER, in upper-case hexadecimal with colons.
    public var fingerprint: String {
        Hexadecimal.encode(SHA256.hash(data: parsed.bytes), uppercase: true, separator: ":")
    }
    /// The pin of its key, of the kind ``Pin/Kind/publicKey``.
    public var publicKeyPin: Pin { Pin(.publicKey, of: parsed) }
    /// Its subject alternative names (RFC 5280 section 4.2.1.6), safe to print; empty where it has none or they cannot be read.
    public var names: [String] { (parsed.alternativeNames.value ?? []).map(\.text) }
}

extension CertificateSummary: CustomStringConvertible {
    /// The subject.
    public var description: String { subject }
}

extension CertificateSummary {
    private enum Key: String, CodingKey {
        case subject, issuer, notBefore, notAfter, serialNumber, fingerprint, publicKeyPin, names, certificate
    }

    /// Reads the certificate; the other properties follow from it.
    ///
    /// - Throws: `DecodingError` where the certificate is missing or malformed, and what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let bytes = try container.decode(Data.self, forKey: .certificate)
        do {
            self.init(try ParsedCertificate(anchor: Array(bytes)))
        } catch {
            throw DecodingError.dataCorruptedError(forKey: .certificate, in: container, debugDescription: "\(error)")
        }
    }

    /// Writes every property.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(subject, forKey: .subject)
        try container.encode(issuer, forKey: .issuer)
        try container.encode(notBefore, forKey: .notBefore)
        try container.encode(notAfter, forKey: .notAfter)
        try container.encode(serialNumber, forKey: .serialNumber)
        try container.encode(fingerprint, forKey: .fingerprint)
        try container.encode(publicKeyPin, forKey: .publicKeyPin)
        try container.encode(names, forKey: .names)
        try container.encode(Data(parsed.bytes), forKey: .certificate)
    }
}

extension ParsedCertificate {
    var summary: CertificateSummary { CertificateSummary(self) }

    /// Reads an extension; one that cannot be read is a failure, not an absence.
    func require<Value>(_ reading: ExtensionReading<Value>) throws(TrustFailure) -> Value? {
        guard reading.isMalformed else { return reading.value }
        throw .malformedExtension(summary, "\(reading.identifier)")
    }
}

extension Certificate {
    /// The bytes that the signature is over, with the signature.
    package var derBytes: [UInt8] {
        var serializer = DER.Serializer()
        // A certificate that was parsed is written back as it came.
        return (try? serializer.serialize(self)).map { serializer.serializedBytes } ?? []
    }
}
