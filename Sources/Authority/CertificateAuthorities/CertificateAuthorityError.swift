// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
public import ErrorExplanations
public import EssentialFoundation
public import X509

/// An error in issuing a certificate.
@nonexhaustive
public enum CertificateAuthorityError: Error, Hashable, Sendable {
    /// A server's certificate needs at least one name.
    case noNames
    /// The text is neither a DNS name (in A-labels, with a wildcard only as the complete first label) nor an IP
    /// literal.
    case malformedName(String)
    /// The text is not an e-mail address with an ASCII host.
    case malformedMailbox(String)
    /// The text is not a DNS name, or has a wildcard.
    case malformedDomain(String)
    /// The text is not a network such as `192.168.0.0/16`.
    case malformedNetwork(String)
    /// The common name does not have 1 to 64 characters (RFC 5280 appendix A, `ub-common-name`).
    case malformedCommonName(String)
    /// The text is not a distinguished name in the format of RFC 4514. An empty text means that a profile has neither a
    /// subject nor names.
    case malformedSubject(String)
    /// The certificate would end before it begins.
    case emptyValidity(notBefore: Date, notAfter: Date)
    /// The authority's own certificate allows no further authority below it (RFC 5280 section 4.2.1.9).
    case pathLengthExceeded
    /// The name is outside the authority's name constraints (RFC 5280 section 4.2.1.10).
    case notPermitted(String)
    /// The certificate may not issue others.
    case notAnAuthority(subject: DistinguishedName)
    /// The certificate to renew was issued by another authority.
    case otherIssuer(subject: DistinguishedName)
    /// The authority cannot sign with this kind of key.
    case unsupportedKey
}

extension CertificateAuthorityError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .noNames:
            ErrorExplanation(
                "authority.no-names", "The certificate of a server has no names.",
                reason: "Clients compare the host's name with the names in the certificate, and would refuse it.",
                advice: "Give at least one DNS name or IP address.")
        case .malformedName(let name):
            ErrorExplanation(
                "authority.malformed-name", "\"\(name)\" is not a DNS name or an IP address.",
                reason: "A DNS name is in ASCII and has no final dot, and * may stand only as its first label.",
                advice: "Write it as intranet.example or 192.0.2.1, and other scripts in their xn-- form.")
        case .malformedCommonName(let name):
            ErrorExplanation(
                "authority.malformed-common-name", "The common name \"\(name)\" has no or more than 64 characters.",
                reason: "A common name has 1 to 64 characters (RFC 5280 appendix A).",
                advice: "Give a shorter name that is not empty.")
        case .malformedMailbox(let mailbox):
            ErrorExplanation(
                "authority.malformed-mailbox", "\"\(mailbox)\" is not an e-mail address.",
                reason: "It has one @, a plain name before it, and a DNS name after it.",
                advice: "Write it as mary@example.org.")
        case .malformedDomain(let domain):
            ErrorExplanation(
                "authority.malformed-domain", "\"\(domain)\" is not a domain that an authority can be limited to.",
                reason: "A domain is a DNS name without a wildcard; it stands for every name below it.",
                advice: "Write it as home.example, and other scripts in their xn-- form.")
        case .malformedNetwork(let network):
            ErrorExplanation(
                "authority.malformed-network", "\"\(network)\" is not a network.",
                reason: "A network is an address and the number of its leading bits.",
                advice: "Write it as 192.168.0.0/16 or fd00::/8.")
        case .malformedSubject(let subject):
            ErrorExplanation(
                "authority.malformed-subject", "\"\(subject)\" is not a subject that a certificate can have.",
                reason:
                    "A subject is a list of attributes such as CN, O, OU, L, ST, C and DC, each of 1 to 64 characters (RFC 4514).",
                advice: "Write it as \"CN=Mary Smith,O=Example,C=GB\", with a backslash before a comma in a value.")
        case .notPermitted(let name):
            ErrorExplanation(
                "authority.not-permitted", "The authority may not issue for \(name).",
                reason:
                    "Its certificate has name constraints, and every client would refuse that name (RFC 5280 section 4.2.1.10).",
                advice: "Give a name in its domains and networks, or make an authority that permits this one.")
        case .notAnAuthority(let subject):
            ErrorExplanation(
                "authority.not-an-authority", "The certificate of \(subject.text) may issue no others.",
                reason: "It lacks the basic constraint CA or the key usage for it (RFC 5280 section 4.2.1.9).",
                advice: "Give the certificate and the key of an authority.")
        case .otherIssuer(let subject):
            ErrorExplanation(
                "authority.other-issuer", "The certificate of \(subject.text) was issued by another authority.",
                reason: "A certificate names the authority that signed it, and only that authority can renew it.",
                advice: "Ask the authority that issued it.")
        case .unsupportedKey:
            ErrorExplanation(
                "authority.unsupported-key", "The authority's key is of an unsupported kind.",
                reason: "Supported are keys of RSA, P-256, P-384, P-521 and Ed25519.", advice: "Give another key.")
        case .emptyValidity(let notBefore, let notAfter):
            ErrorExplanation(
                "authority.empty-validity",
                "The certificate would begin at \(notBefore.formatted(.iso8601)), after its end at \(notAfter.formatted(.iso8601)).",
                reason: "It would never be valid. One cause is an authority whose own certificate has expired.",
                advice: "Give a later end, or make a new authority.")
        case .pathLengthExceeded:
            ErrorExplanation(
                "authority.path-length-exceeded", "The authority may issue no certificate for another authority.",
                reason: "Its own certificate limits the length of the path below it (RFC 5280 section 4.2.1.9).",
                advice: "Issue the certificate from the authority above it, or make one with a longer path length.")
        }
    }

    package static var examples: [Self] {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        return [
            .noNames, .malformedName("a b"), .malformedCommonName(""),
            .emptyValidity(notBefore: start, notAfter: start - 86_400), .pathLengthExceeded,
            .malformedMailbox("mary"), .malformedDomain("*.example"), .malformedNetwork("192.168.0.0/99"),
            .malformedSubject("Mary"), .notPermitted("www.example.com"),
            .notAnAuthority(subject: DistinguishedName()), .otherIssuer(subject: DistinguishedName()), .unsupportedKey,
        ]
    }
}
