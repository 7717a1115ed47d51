// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// Why a request for a certificate is refused.
@nonexhaustive
public enum CertificateRequestError: Error, Hashable, Sendable {
    /// The request has more than 64 KiB.
    case tooLarge
    /// The bytes are not a PKCS#10 request, or are truncated or damaged, or the kind of the key is not supported.
    case malformed
    /// The request is PEM with another label, such as CERTIFICATE. Holds the label.
    case otherContent(String)
    /// The request was not signed with the key that it names, or was changed since.
    case wrongSignature
    /// The RSA key is shorter than 2,048 or longer than 8,192 bits.
    case unsuitableKey(bits: Int)
    /// The request asks for the certificate of an authority.
    case wantsAuthority
    /// The request asks for a name that is malformed, or is no DNS name, IP address or e-mail address. Holds a description of the name.
    case unusableName(String)
    /// The request for a server's certificate has a common name that is no DNS name or IP address. Holds the common name.
    case unusableCommonName(String)
}

extension CertificateRequestError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .tooLarge:
            ErrorExplanation(
                "csr.too-large", "The certificate request has more than 64 KiB.",
                reason: "A request holds a key and some names, and is far smaller.", advice: "Give another file.")
        case .malformed:
            ErrorExplanation(
                "csr.malformed", "The certificate request cannot be read.",
                reason:
                    "It is no PKCS#10 request in PEM or DER, is damaged, or has a key of another kind than RSA, ECDSA or Ed25519.",
                advice: "Make it anew.")
        case .otherContent(let label):
            ErrorExplanation(
                "csr.other-content", "The file holds \"\(label)\", not a certificate request.",
                reason: "A request begins with -----BEGIN CERTIFICATE REQUEST-----.", advice: "Give another file.")
        case .wrongSignature:
            ErrorExplanation(
                "csr.wrong-signature", "The certificate request is not signed with the key in it.",
                reason: "Its maker does not have the key, or it was changed since.",
                advice: "Ask its maker for a new request.")
        case .unsuitableKey(let bits):
            ErrorExplanation(
                "csr.unsuitable-key", "The RSA key of the certificate request has \(bits) bits.",
                reason: "Keys below 2,048 bits can be broken, and keys above 8,192 bits slow every reader down.",
                advice: "Make a request with another key, best of P-256.")
        case .wantsAuthority:
            ErrorExplanation(
                "csr.wants-authority", "The certificate request asks for the certificate of an authority.",
                reason: "Who has that can issue certificates for any name.",
                advice: "If it is meant for a server or a client, make it anew without basicConstraints CA:TRUE.")
        case .unusableName(let name):
            ErrorExplanation(
                "csr.unusable-name", "The certificate request asks for the name \(name).",
                reason: "Only DNS names, IP addresses and e-mail addresses are certified, and only well-formed ones.",
                advice: "Make a request without that name.")
        case .unusableCommonName(let name):
            ErrorExplanation(
                "csr.unusable-common-name",
                "The common name \"\(name)\" of the certificate request is not a DNS name or an IP address.",
                reason:
                    "The common name of a server is one of its names (RFC 8555 section 7.4): a DNS name in ASCII without a final dot, or an address without brackets.",
                advice: "Make a request without a common name, or with one of the server's names.")
        }
    }

    package static var examples: [Self] {
        [
            .tooLarge, .malformed, .otherContent("CERTIFICATE"), .wrongSignature, .unsuitableKey(bits: 16_384),
            .wantsAuthority, .unusableName("DNSName(a b)"), .unusableCommonName("My printer"),
        ]
    }
}
