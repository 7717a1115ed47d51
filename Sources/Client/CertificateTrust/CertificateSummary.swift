// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Encodings
import ErrorExplanations
public import EssentialFoundation
import SwiftASN1
public import X509

/// The main facts of a certificate, as text that is safe to print.
///
/// Each property is computed on access. The JSON form contains every property by its name, and the certificate in DER
/// (base64). Decoding reads only the certificate.
///
/// A certificate that was not read has a ``problem``, the properties that can be read, and is never trusted.
public struct CertificateSummary: Hashable, Sendable, Codable {
    let parsed: ParsedCertificate

    /// Summarizes a certificate.
    public init(_ certificate: Certificate) {
        self.init(ParsedCertificate(certificate))
    }

    /// Reads a certificate as an anchor; its signature may use any
    /// algorithm, because an anchor's own signature is not checked.
    ///
    /// - Parameter derEncoded: The certificate in DER, optionally followed by OpenSSL's trust settings as in a PEM block
    ///   `TRUSTED CERTIFICATE`; the result is `nil` if it is malformed.
    public init?(anchor derEncoded: [UInt8]) {
        guard let parsed = try? ParsedCertificate(anchor: derEncoded) else { return nil }
        self.init(parsed)
    }

    /// Makes an anchor of a name and a public key, which is all that path validation needs of one (RFC 5280 section 6.1.1
    /// d).
    ///
    /// The value has the form of an unsigned certificate (RFC 9925), which never expires.
    ///
    /// - Parameters:
    ///   - name: The name of the authority, as in the issuer field of the certificates that it issues.
    ///   - publicKeyInfo: The SubjectPublicKeyInfo in DER (RFC 5280 section 4.1.2.7); the result is `nil` if it is
    ///     malformed or the key type is unknown.
    ///   - nameConstraints: The constraints on the names below the anchor (RFC 5280 section 4.2.1.10); `nil` for none.
    public init?(anchorNamed name: DistinguishedName, publicKeyInfo: [UInt8], nameConstraints: NameConstraints? = nil) {
        guard let encoded = PlainAnchor.certificate(name, publicKeyInfo, nameConstraints) else { return nil }
        self.init(anchor: encoded)
    }

    init(_ parsed: ParsedCertificate) {
        self.parsed = parsed
    }

    /// The reason why the certificate was not read; `nil` if it was.
    public var problem: CertificateProblem? { parsed.problem }
    /// Whether none of the names, the serial number and the key can be read.
    var isBlank: Bool {
        let fields = parsed.fields
        return fields.subject.isEmpty && fields.issuer.isEmpty && fields.serialNumber.isEmpty
            && fields.publicKeyInfo.isEmpty
    }
    /// Whether the validity period can be read.
    package var hasValidity: Bool { parsed.notBefore != .distantFuture || parsed.notAfter != .distantPast }
    /// The name of the key's type, with the size of an RSA key; `nil` if it cannot be read.
    package var keyName: String? {
        let info = parsed.fields.publicKeyInfo
        return parsed.key?.name ?? (info.isEmpty ? nil : CertificateKey(publicKeyInfo: info).name)
    }
    /// The certificate; `nil` if swift-certificates cannot read it, for example because of unique identifiers (RFC 5280
    /// section 4.1.2.8).
    public var certificate: Certificate? { parsed.certificate }
    /// The certificate in DER.
    public var derBytes: [UInt8] { parsed.bytes }
    /// The subject as a distinguished name, in the certificate's order.
    package var subjectName: DistinguishedName { parsed.subjectName }
    /// The public key; `nil` if swift-certificates does not define its type.
    package var publicKey: Certificate.PublicKey? { parsed.key?.typed }
    /// The type and size of the public key, such as `RSA-2048`, `P-256` or `brainpoolP256r1`; the object identifier of
    /// its algorithm if the type is unknown.
    package var keyType: String { parsed.key?.name ?? "unknown" }
    /// The name of the signature algorithm, such as `ECDSA with SHA-256`; its object identifier if it is unknown.
    package var signatureAlgorithmName: String { parsed.algorithm.name }
    /// The signature algorithm; `nil` if swift-certificates does not define it.
    package var signatureAlgorithm: Certificate.SignatureAlgorithm? { parsed.algorithm.typed }
    /// The subject (RFC 4514), with control characters escaped.
    public var subject: String { NameText.text(of: parsed.fields.subject) }
    /// The texts of the subject's common names, with control characters escaped.
    package var commonNames: [String] {
        subjectName.joined().filter { $0.type == .RDNAttributeType.commonName }
            .compactMap { ASN1Any($0.value).text?.printable }
    }
    /// The issuer (RFC 4514), with control characters escaped.
    public var issuer: String { NameText.text(of: parsed.fields.issuer) }
    /// The beginning of the validity period; in the distant future if it cannot be read.
    public var notBefore: Date { parsed.notBefore }
    /// The end of the validity period, in whose second the certificate is still valid; in the distant past if it cannot
    /// be read.
    public var notAfter: Date { parsed.notAfter }
    /// The serial number, in upper-case hexadecimal digits without separators.
    public var serialNumber: String { Hexadecimal.encode(serialOctets, uppercase: true) }
    /// The serial number without the leading zero octet that marks a positive integer.
    private var serialOctets: ArraySlice<UInt8> {
        let octets = parsed.fields.serialNumber
        return octets.count > 1 && octets.first == 0 ? octets.dropFirst() : octets
    }
    /// SHA-256 of the certificate in DER, in upper-case hexadecimal with colons.
    public var fingerprint: String {
        Hexadecimal.encode(SHA256.hash(data: parsed.bytes), uppercase: true, separator: ":")
    }
    /// The pin of the public key, of kind ``Pin/Kind/publicKey``.
    public var publicKeyPin: Pin { Pin(.publicKey, of: parsed) }
    /// The subject alternative names (RFC 5280 section 4.2.1.6), safe
    /// to print; empty if there are none or they cannot be read.
    public var names: [String] { (parsed.alternativeNames.value ?? []).map(\.text) }
}

extension CertificateSummary {
    /// Returns whether two values have the same certificate and the same trust settings.
    public static func == (one: Self, other: Self) -> Bool {
        one.parsed == other.parsed && one.parsed.trust == other.parsed.trust
    }

    /// Hashes the certificate.
    public func hash(into hasher: inout Hasher) { hasher.combine(parsed) }
}

extension CertificateSummary: CustomStringConvertible {
    /// The subject.
    public var description: String { subject }
}

extension CertificateSummary {
    private enum Key: String, CodingKey {
        case subject, issuer, notBefore, notAfter, serialNumber, fingerprint, publicKeyPin, names, certificate
        case problem
    }

    /// Decodes the certificate, from which the other properties are computed.
    ///
    /// - Throws: `DecodingError` if the certificate is missing or malformed, and the decoder's errors.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let bytes = try container.decode(Data.self, forKey: .certificate)
        if let record = try container.decodeIfPresent(CertificateProblemRecord.self, forKey: .problem) {
            self.init(ParsedCertificate(unreadable: Array(bytes), try record.problem()))
            return
        }
        do {
            self.init(try ParsedCertificate(derEncoded: Array(bytes)))
        } catch {
            throw DecodingError.dataCorruptedError(forKey: .certificate, in: container, debugDescription: "\(error)")
        }
    }

    /// Encodes every property that can be read.
    ///
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(subject, forKey: .subject)
        try container.encode(issuer, forKey: .issuer)
        if parsed.notBefore != .distantFuture { try container.encode(notBefore, forKey: .notBefore) }
        if parsed.notAfter != .distantPast { try container.encode(notAfter, forKey: .notAfter) }
        try container.encode(serialNumber, forKey: .serialNumber)
        try container.encode(fingerprint, forKey: .fingerprint)
        try container.encode(publicKeyPin, forKey: .publicKeyPin)
        try container.encode(names, forKey: .names)
        try container.encode(Data(parsed.bytes), forKey: .certificate)
        try container.encodeIfPresent(problem.map(CertificateProblemRecord.init), forKey: .problem)
    }
}

extension ParsedCertificate {
    var summary: CertificateSummary { CertificateSummary(self) }

    /// Returns the value of an extension; throws if the extension is unreadable, instead of treating it as absent.
    func require<Value>(_ reading: ExtensionReading<Value>) throws(TrustFailure) -> Value? {
        guard reading.isMalformed else { return reading.value }
        throw .malformedExtension(summary, "\(reading.identifier)")
    }
}

extension Certificate {
    /// The certificate in DER, with its signature.
    package var derBytes: [UInt8] {
        var serializer = DER.Serializer()
        // Serializing a parsed certificate reproduces its original bytes.
        return (try? serializer.serialize(self)).map { serializer.serializedBytes } ?? []
    }
}
