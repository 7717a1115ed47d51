// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CertificateAuthorityError: CataloguedError {
    /// What happened, what that means and what to try.
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
                reason: "A DNS name is in ASCII, and * may stand only as its first label.",
                advice: "Write it as intranet.example or 192.0.2.1, and other scripts in their xn-- form.")
        case .malformedCommonName(let name):
            ErrorExplanation(
                "authority.malformed-common-name", "The common name \"\(name)\" has no or more than 64 characters.",
                reason: "A common name has 1 to 64 characters (RFC 5280 appendix A).",
                advice: "Give a shorter name that is not empty.")
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
        ]
    }
}
