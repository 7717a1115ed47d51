// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why bytes are no revocation list or OCSP response, or why no OCSP request can be made.
@nonexhaustive
public enum RevocationEncodingError: Error, Hashable, Sendable {
    /// The part of a list, response or certificate that has the defect.
    ///
    /// Each case has the name of its part; `structure` is the sequence of the parts itself.
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

    /// The part is not the DER that the standard requires.
    case malformed(Part)
    /// The version is unknown, or the encoding has fields that its version does not define.
    case unsupportedVersion
    /// The response is not of the type id-pkix-ocsp-basic.
    case unsupportedResponseType
    /// There are more of these parts than the limit of the parser.
    case tooMany(Part)
    /// The text is not PEM with the label `X509 CRL`.
    case notPEM
    /// The nonce does not have 1 to 128 octets (RFC 9654 section 2.1). Holds its length in octets.
    case nonceLength(Int)
}
