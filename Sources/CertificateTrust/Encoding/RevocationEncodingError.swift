// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why bytes are no revocation list or OCSP response, or why no OCSP request can be made.
@nonexhaustive
public enum RevocationEncodingError: Error, Hashable, Sendable {
    /// The place of the defect in the encoding.
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

    /// Not the DER that the standard asks for.
    case malformed(Part)
    /// Of a version that the standard does not have, or with what its version does not have.
    case unsupportedVersion
    /// The response is not of the type id-pkix-ocsp-basic.
    case unsupportedResponseType
    /// More of these than anyone has a reason to send.
    case tooMany(Part)
    /// The text is not PEM with the label `X509 CRL`.
    case notPEM
    /// A nonce has 1 to 128 octets (RFC 9654 section 2.1).
    case nonceLength(Int)
}
