// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Verdict {
    /// What it means, in sentences for a person.
    public var explanation: String {
        guard !failures.isEmpty else { return success }
        return """
            The server could not prove that it is \(host). Someone may be posing as it, and could read and change \
            whatever you send or receive. \(failures.prefix(3).map(\.explanation).joined(separator: " "))
            """
    }

    private var success: String {
        switch validation {
        case .dangerouslyDisabled: "\(host) was not asked to prove who it is: validation is switched off."
        case .firstUse where isTrustedForItsKey:
            "Nobody vouches for \(host). " + remarks.map(\.explanation).joined(separator: " ")
        case .full, .firstUse: "\(host) proved that it is \(host)."
        }
    }
}

extension Verdict.Remark {
    /// What it means, in a sentence for a person.
    public var explanation: String {
        switch self {
        case .pinsExpired(let day): "The pins no longer bind since \(day.dayText): renew them."
        case .backupPinInUse(let pin): "The backup pin \(pin) is in use: pin a new key in reserve."
        case .pinMismatchReported(_, let presented):
            """
            Nothing in its chain is pinned, which is only reported; its keys are \
            \(presented.map(\.description).joined(separator: ", ")).
            """
        case .notRevoked(let certificate, let until):
            "\(certificate.subject) is not revoked; its issuer stands by that until \(until.dayText)."
        case .revocationUnknown(let certificate, let problem):
            "It is not known whether \(certificate.subject) is revoked. "
                + (problem?.explanation ?? "Nobody answered.")
        case .stapleFetched(let certificate):
            """
            \(certificate.subject) demands an OCSP response with every handshake, which this client cannot ask for; one was \
            fetched.
            """
        case .seenFirst(let server): "Its key \(server.key) is remembered."
        case .firstUse(let server): "Its key \(server.key) is seen for the first time."
        case .knownSince(let server): "Its key is the one first seen on \(server.since.dayText)."
        }
    }
}

extension TrustFailure {
    /// What is wrong, in one sentence for a person.
    public var explanation: String {
        switch self {
        case .selfSigned(let leaf):
            "It vouches for itself: its certificate (\(leaf.subject)) is signed by nobody else."
        case .unknownRoot(let root):
            "Its certificate goes back to an authority that is not among those you trust: \(root.subject)."
        case .issuerNotFound(let certificate):
            """
            Nobody whom you trust vouches for it: \(certificate.subject) was issued by \(certificate.issuer), which is not \
            among the authorities that you trust, and the server did not send its certificate.
            """
        case .expired(let certificate, let time):
            "The certificate of \(certificate.subject) expired on \(certificate.notAfter.dayText); it is \(time.dayText)."
        case .notYetValid(let certificate, let time):
            "The certificate of \(certificate.subject) is valid only from \(certificate.notBefore.dayText); it is \(time.dayText)."
        case .hostMismatch(let host, let presented):
            presented.isEmpty
                ? "Its certificate is for no host at all."
                : "Its certificate is for \(presented.prefix(5).joined(separator: ", ")), not for \(host)."
        case .noSubjectAlternativeNames(let leaf):
            "Its certificate (\(leaf.subject)) does not say which host it is for."
        case .pinMismatch(_, let presented):
            "Nothing in its chain is pinned; its keys are \(presented.map(\.description).joined(separator: ", "))."
        case .changed(let remembered, let presented):
            "Its key has changed: it is \(presented), and since \(remembered.since.dayText) it was \(remembered.key)."
        case .badSignature(let certificate, let issuer):
            "The signature on \(certificate.subject) was not made by \(issuer.subject)."
        case .notAnAuthority(let certificate):
            "\(certificate.subject) issued a certificate but is no authority."
        case .pathTooLong(let authority, let allowed, let found):
            "\(authority.subject) allows \(allowed) authorities below it; there are \(found)."
        case .keyUsage(let certificate, let needed, let found):
            """
            The key of \(certificate.subject) may not be used for this: that takes \(needed.joined(separator: " or ")), and \
            it is for \(found.isEmpty ? "nothing" : found.joined(separator: ", ")).
            """
        case .extendedKeyUsage(let certificate, let needed, let found):
            """
            The certificate of \(certificate.subject) is not for this: that takes \(needed.joined(separator: " and ")), and \
            it is for \(found.isEmpty ? "nothing" : found.joined(separator: ", ")).
            """
        case .nameConstraints(let certificate, let name, let authority, let constraint):
            "\(authority.subject) may not issue for \(name), a name of \(certificate.subject) (\(constraint))."
        case .noValidPolicy(let certificate):
            "\(certificate.subject) was issued under no certificate policy that every authority above it allows."
        case .unknownCriticalExtension(let certificate, let identifier):
            "\(certificate.subject) has a critical extension that is not understood: \(identifier)."
        case .malformedExtension(let certificate, let identifier):
            "\(certificate.subject) has an extension that cannot be read: \(identifier)."
        case .weakSignature(let certificate, let algorithm):
            "\(certificate.subject) is signed with \(algorithm), which can be forged."
        case .weakKey(let certificate, let bits):
            "The key of \(certificate.subject) has only \(bits) bits."
        case .nonconforming(let certificate, let rule):
            "\(certificate.subject) breaks a rule for certificates: \(rule.words)."
        case .revoked(let certificate, let instant, let reason):
            "\(certificate.subject) was revoked by its issuer on \(instant.dayText) (\(reason.rawValue))."
        case .revocationUnknown(let certificate, let problem):
            "It is not known whether \(certificate.subject) is revoked. " + (problem?.explanation ?? "Nobody answered.")
        case .budgetExhausted(let checks):
            "Its certificates can be combined in too many ways; the search stopped after \(checks) signatures."
        }
    }

    /// What to try, in one sentence for a person.
    public var advice: String {
        switch self {
        case .selfSigned, .unknownRoot:
            "If you know this server, compare its fingerprint with its owner and import the certificate as an anchor."
        case .issuerNotFound:
            """
            If you know that issuer, compare its fingerprint with its owner and import it as an anchor; otherwise ask the \
            server's owner to send the whole chain.
            """
        case .expired:
            "Ask the server's owner to renew it, and check your clock."
        case .notYetValid:
            "Check your clock, or ask the server's owner."
        case .hostMismatch, .noSubjectAlternativeNames:
            "Use a name that the certificate is for, or ask the server's owner for one that has this name."
        case .pinMismatch:
            "Do not go on unless the owner tells you that the keys have changed; then pin the new one."
        case .badSignature, .malformedExtension, .budgetExhausted:
            "Do not go on: the certificates are broken or forged."
        case .revoked:
            "Do not go on: whoever has the key may not be the owner. The server's owner needs a new certificate."
        case .revocationUnknown:
            """
            Try again later; if it stays so, ask the server's owner whether the issuer's responders and lists can be \
            reached from here.
            """
        case .changed:
            """
            Do not go on unless the owner tells you that the key was changed; then forget what is remembered of this \
            server.
            """
        case .notAnAuthority, .pathTooLong, .keyUsage, .extendedKeyUsage, .nameConstraints, .noValidPolicy,
            .unknownCriticalExtension, .weakSignature, .weakKey, .nonconforming:
            "Ask the server's owner for a certificate that follows the rules; this one must not be relied on."
        }
    }
}

extension TrustFailure.Rule {
    /// The rule, as the end of a sentence: "an authority has a name".
    public var words: String {
        switch self {
        case .serialNumber: "a serial number is positive and not too long"
        case .authorityName: "an authority has a name"
        case .authorityKeyIdentifier: "it names the key of its issuer"
        case .subjectKeyIdentifier: "an authority names its own key"
        case .criticalBasicConstraints: "an authority's basic constraints are critical"
        case .signingWithoutAuthority: "who is no authority may not sign certificates"
        case .criticalAlternativeNames: "alternative names are critical where there is no subject"
        case .alternativeNameSyntax: "its DNS names are well formed"
        case .constraintsWithoutAuthority: "only authorities constrain names"
        case .criticalNameConstraints: "name constraints are critical"
        case .criticalPolicyConstraints: "policy constraints are critical"
        case .signatureAlgorithm: "it names one signature algorithm, twice"
        case .version: "extensions come with version 3 only"
        case .serverIsAuthority: "a server is no authority"
        case .serverPurposes: "a server's purposes are given, one by one, and are not critical"
        case .rootPurposes: "a root has no purposes"
        case .rootKeyIdentifier: "a root names its own key as its issuer's"
        case .commonName: "a common name is one of the alternative names"
        case .uncriticalAlternativeNames: "alternative names are not critical beside a subject"
        case .authorityInformation: "the places where its issuer is found can be read"
        case .wildcardOnPublicSuffix: "a wildcard does not span the domains of strangers"
        case .keySize: "the size of an RSA key is a multiple of 8 bits"
        }
    }
}

extension RevocationProblem {
    /// A name that never changes, for programs.
    public var code: String {
        switch self {
        case .malformed: "malformed"
        case .badSignature: "bad-signature"
        case .weakSignature: "weak-signature"
        case .unsupportedAlgorithm: "unsupported-algorithm"
        case .signerNotAuthorized: "signer-not-authorized"
        case .notYetValid: "not-yet-valid"
        case .outdated: "outdated"
        case .noNextUpdate: "no-next-update"
        case .deltaList: "delta-list"
        case .indirectList: "indirect-list"
        case .partialList: "partial-list"
        case .attributeList: "attribute-list"
        case .wrongScope: "wrong-scope"
        case .listNumber: "list-number"
        case .unknownCriticalExtension: "unknown-critical-extension"
        case .nonceMismatch: "nonce-mismatch"
        case .unknownToResponder: "unknown-to-responder"
        case .responderRefused: "responder-refused"
        case .budgetExhausted: "budget-exhausted"
        }
    }

    /// One sentence for a person.
    public var explanation: String {
        switch self {
        case .malformed: "The revocation information is not encoded as the standard asks."
        case .badSignature: "The signature of the revocation information is not that of its signer."
        case .weakSignature: "The revocation information is signed with a hash that can be forged."
        case .unsupportedAlgorithm: "The revocation information is signed with an algorithm that is not supported."
        case .signerNotAuthorized: "The signer of the revocation information may not speak for the issuer."
        case .notYetValid: "The revocation information is from the future; a clock may be wrong."
        case .outdated: "The revocation information is older than it may be."
        case .noNextUpdate: "The revocation list does not say until when it holds."
        case .deltaList: "The revocation list holds only the changes to another one."
        case .indirectList: "The revocation list holds certificates of several issuers, which is not supported."
        case .partialList: "The revocation list is only for some reasons of revocation."
        case .attributeList: "The revocation list is for attribute certificates."
        case .wrongScope: "The revocation list is for other certificates of the issuer."
        case .listNumber: "The revocation list has no proper number."
        case .unknownCriticalExtension(let name):
            "The revocation information has a critical extension that is not understood: \(name)."
        case .nonceMismatch: "The OCSP response is the answer to another request."
        case .unknownToResponder: "The OCSP responder does not know the certificate."
        case .responderRefused(let refusal): "The OCSP responder gave no answer: \(refusal.rawValue)."
        case .budgetExhausted: "The revocation information takes too many signature checks."
        }
    }
}

extension Date {
    /// Day and time in UTC, without a formatter and the locale data that it would load.
    var dayText: String {
        let text = self.formatted(.iso8601)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(5) + " UTC"
    }
}
