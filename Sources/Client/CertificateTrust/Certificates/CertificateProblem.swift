// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
public import ErrorExplanations
import SwiftASN1

/// The reason why a certificate, or a block of a file of certificates, was not read.
@nonexhaustive
public enum CertificateProblem: Error, Hashable, Sendable {
    /// A field of a certificate (RFC 5280 section 4.1).
    @nonexhaustive
    public enum Field: String, Hashable, Sendable, CaseIterable {
        /// The version, which states 1 if it is absent.
        case version
        /// The serial number.
        case serialNumber = "serial-number"
        /// One of the two signature algorithms.
        case signatureAlgorithm = "signature-algorithm"
        /// The issuer's name.
        case issuer
        /// The validity period.
        case validity
        /// The subject's name.
        case subject
        /// The subject's public key.
        case publicKey = "public-key"
        /// The unique identifiers of the issuer and the subject.
        case uniqueIdentifiers = "unique-identifiers"
        /// The extensions.
        case extensions
        /// The signature.
        case signature
        /// OpenSSL's trust settings after the certificate, in a PEM block `TRUSTED CERTIFICATE`.
        case trustSettings = "trust-settings"
    }

    /// The bytes do not have the DER structure of a certificate.
    case notACertificate
    /// The field violates DER or RFC 5280.
    case malformed(Field)
    /// The version is not 1, 2 or 3.
    case unsupportedVersion
    /// The type of the public key is not supported. Holds its name, or else its object identifier.
    case unsupportedKey(String)
    /// The chain has more certificates than the limit.
    case tooManyCertificates(limit: Int)
    /// The text of the PEM block is not Base64 (RFC 7468 section 2).
    case notBase64
    /// The PEM block has no end line with its label (RFC 7468 section 2).
    case unended
    /// The block contains something else than a certificate. Holds its PEM label.
    case otherContent(String)
}

extension CertificateProblem: CataloguedError {
    /// The explanation: what cannot be read, why, and what to try.
    public var explanation: ErrorExplanation { parts.explanation }

    /// The problem in lowercase and without a period, about "it", the certificate or block.
    public var clause: String { parts.clause.printable }

    private var parts: ClausedExplanation {
        switch self {
        case .notACertificate:
            ClausedExplanation(
                "certificate.not-a-certificate", "it is not a certificate",
                reason: "Its bytes do not have the structure of a certificate in DER (RFC 5280 section 4.1).",
                advice: "Get the certificate again from its source.")
        case .malformed(let field):
            ClausedExplanation(
                "certificate.malformed",
                "its \(field.words) not as \(field == .trustSettings ? "OpenSSL writes them" : "RFC 5280 requires")",
                reason: "A certificate that breaks the encoding has no certain meaning, so it is not used.",
                advice: "Ask its issuer for a certificate that follows RFC 5280 section 4.1.")
        case .unsupportedVersion:
            ClausedExplanation(
                "certificate.unsupported-version", "its version is not 1, 2 or 3",
                reason: "RFC 5280 section 4.1.2.1 defines no other version.",
                advice: "Ask its issuer for a certificate of version 3.")
        case .unsupportedKey(let name):
            ClausedExplanation(
                "certificate.unsupported-key", "its key has the type \(name), which is not supported",
                reason: "No signature with such a key can be checked, so the certificate is not used.",
                advice: "Ask its issuer for a certificate with an RSA key of 2048 bits or more, or with P-256.")
        case .tooManyCertificates(let limit):
            ClausedExplanation(
                "certificate.too-many-certificates", "it and all after it are not read, because \(limit) precede it",
                reason: "The work on a chain is limited; real chains have a handful of certificates.",
                advice: "Leave out the certificates that are not issuers of the first.")
        case .notBase64:
            ClausedExplanation(
                "certificate.not-base64", "the text between its boundaries is not Base64, so it is damaged",
                reason: "The text was changed or cut off.", advice: "Copy the certificate again from its source.")
        case .unended:
            ClausedExplanation(
                "certificate.unended", "its -----END line is missing or has another label",
                reason: "The text may have been cut off, so that it is not used.",
                advice: "Copy the certificate again from its source, up to its last line.")
        case .otherContent(let label):
            ClausedExplanation(
                "certificate.other-content", "it contains \(label), not a certificate",
                reason: "Only certificates are read here.",
                advice: "Leave the block out if it is not needed here; keep a private key in a separate file.")
        }
    }

    package static var examples: [Self] {
        [
            .notACertificate, .malformed(.validity), .unsupportedVersion, .unsupportedKey("GOST R 34.10-2012"),
            .tooManyCertificates(limit: 256),
            .notBase64, .unended, .otherContent("PRIVATE KEY"),
        ]
    }
}

extension CertificateProblem {
    /// Finds the reason why a certificate cannot be read as an anchor; `nil` if it can be.
    package init?(ofAnchor derEncoded: [UInt8]) {
        do throws(CertificateProblem) {
            _ = try ParsedCertificate(anchor: derEncoded)
            return nil
        } catch {
            self = error
        }
    }

    /// Returns the name of the type of a certificate's key; `nil` if it cannot be read.
    package static func keyName(of derEncoded: [UInt8]) -> String? {
        let info = EncodedCertificate(unreadable: derEncoded).fields.publicKeyInfo
        return info.isEmpty ? nil : CertificateKey(publicKeyInfo: info).name
    }
}

extension CertificateProblem.Field {
    /// The name with its verb, for a sentence.
    fileprivate var words: String {
        switch self {
        case .serialNumber: "serial number is"
        case .signatureAlgorithm: "signature algorithm is"
        case .publicKey: "public key is"
        case .uniqueIdentifiers: "unique identifiers are"
        case .extensions: "extensions are"
        case .trustSettings: "trust settings are"
        case .version, .issuer, .validity, .subject, .signature: rawValue + " is"
        }
    }
}
