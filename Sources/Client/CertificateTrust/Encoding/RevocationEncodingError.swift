// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error of parsing a revocation list or OCSP response, or of making an OCSP request.
@nonexhaustive
public enum RevocationEncodingError: Error, Hashable, Sendable {
    /// The defective part of a list, response or certificate.
    ///
    /// Each case is named after its part; `structure` is the outer sequence.
    @nonexhaustive
    public enum Part: String, Sendable, Codable {
        case structure
        case version
        case algorithm
        case issuer
        case time
        case entry
        case extensions
        case signature
        case responder
        case certificateID = "certificate-id"
        case status
        case certificate
    }

    /// The part is not valid DER in the form that the standard requires.
    case malformed(Part)
    /// The version is unknown, or the encoding has fields that its version does not define.
    case unsupportedVersion
    /// The response is not of the type id-pkix-ocsp-basic.
    case unsupportedResponseType
    /// The number of these parts exceeds the parser's limit.
    case tooMany(Part)
    /// The bytes are neither DER nor PEM with a suitable label, such as `X509 CRL` or `OCSP RESPONSE`.
    case notPEM
    /// The content of a PEM block is not Base64.
    case notBase64
    /// The nonce does not have 1 to 128 octets (RFC 9654 section 2.1). Holds its length in octets.
    case nonceLength(Int)
}

extension RevocationEncodingError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        let advice = "Give a revocation list in DER or PEM, or an OCSP response in DER."
        return switch self {
        case .malformed(let part):
            ErrorExplanation(
                "revocation-file.malformed",
                "The revocation information cannot be read: its \(part.rawValue) is malformed.",
                reason: "It is damaged, or is something else than a CRL (RFC 5280) or an OCSP response (RFC 6960).",
                advice: advice)
        case .unsupportedVersion:
            ErrorExplanation(
                "revocation-file.unsupported-version", "The revocation information has a version that does not exist.",
                reason: "CRLs have version 1 or 2 (RFC 5280 section 5.1.2.1), OCSP responses version 1.", advice: advice
            )
        case .unsupportedResponseType:
            ErrorExplanation(
                "revocation-file.unsupported-type", "The OCSP response has another type than id-pkix-ocsp-basic.",
                reason: "RFC 6960 section 4.2.1 defines no other type.", advice: advice)
        case .tooMany(let part):
            ErrorExplanation(
                "revocation-file.too-many", "The revocation information has too many elements: \(part.rawValue).",
                reason: "The number is limited, because each element costs time and memory.", advice: advice)
        case .notPEM:
            ErrorExplanation(
                "revocation-file.not-pem",
                "The file has no PEM block of the type X509 CRL or OCSP RESPONSE, and is not DER.",
                reason: "It may be another kind of PEM, such as a private key.", advice: advice)
        case .notBase64:
            ErrorExplanation(
                "revocation-file.not-base64", "The content of the PEM block is not Base64.",
                reason: "The block is damaged, or was cut off.", advice: advice)
        case .nonceLength(let length):
            ErrorExplanation(
                "revocation-file.nonce-length", "The OCSP nonce has \(length) bytes, which is not allowed.",
                reason: "A nonce has 1 to 128 bytes (RFC 9654 section 2.1).",
                advice: "Use a nonce of 32 bytes.")
        }
    }

    package static var examples: [Self] {
        [
            .malformed(.signature), .unsupportedVersion, .unsupportedResponseType, .tooMany(.extensions), .notPEM,
            .notBase64,
            .nonceLength(0),
        ]
    }
}
