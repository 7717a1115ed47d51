// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
import EssentialFoundation
import X509

extension TrustFailure: CataloguedError {
    /// The explanation: the certificate and its defect, the reason why the defect matters, and what to try.
    public var explanation: ErrorExplanation { parts(CertificateNaming()).explanation(.notTrusted) }

    /// Returns the explanation with its message also as a clause, which a verdict puts after the peer's name.
    func parts(_ naming: CertificateNaming) -> ClausedExplanation {
        let (name, peer, owner) = (naming.certificate, naming.peer, naming.owner)
        return switch self {
        case .unreadable(let leaf):
            ClausedExplanation(
                "trust.unreadable",
                "\(name(leaf)) cannot be read: \(leaf.problem?.clause ?? "it is malformed")",
                reason: leaf.problem?.explanation.reason ?? "", advice: leaf.problem?.explanation.advice ?? "")
        case .selfSigned(let leaf):
            ClausedExplanation(
                "trust.self-signed", "\(name(leaf)) is signed with its own key, and is not among the anchors",
                reason: "No authority confirms who made a self-signed certificate.",
                advice: """
                    If you know the \(peer), compare the certificate's fingerprint with its owner, and add the certificate \
                    to the anchors.
                    """)
        case .unknownRoot(let root):
            ClausedExplanation(
                "trust.unknown-root",
                "\(naming.possessive) certificate was issued under the root \(root.title), which is not among the anchors",
                reason: "Every authority can issue certificates for every name, so only known roots count.",
                advice: """
                    If you know the root, compare its fingerprint with its owner, and add it to the anchors.
                    """)
        case .issuerNotFound(let certificate):
            ClausedExplanation(
                "trust.issuer-not-found",
                """
                \(name(certificate)) was issued by \(certificate.issuerTitle), whose certificate the \(peer) did not send and \
                which is not among the anchors
                """,
                reason: "The issuer is an intermediate authority that the \(peer) has to send, or an unknown root.",
                advice: """
                    Ask the \(owner) to send the whole chain. If the issuer is a root that you know, compare its \
                    fingerprint with its owner, and add it to the anchors.
                    """)
        case .expired(let certificate, let time):
            ClausedExplanation(
                "trust.expired",
                "\(name(certificate)) expired on \(certificate.notAfter.dayText(seenFrom: time))",
                reason: "Issuers may stop publishing the revocation of a certificate once it has expired.",
                advice: certificate == naming.leaf || naming.leaf == nil
                    ? "Ask the \(owner) to renew the certificate, and check this device's clock."
                    : "Ask the \(owner) to send a chain that is valid, and check this device's clock.")
        case .notYetValid(let certificate, let time):
            ClausedExplanation(
                "trust.not-yet-valid",
                "\(name(certificate)) is valid only from \(certificate.notBefore.dayText(seenFrom: time))",
                reason: "The check was made at \(time.dayText); a clock that is slow has the same effect.",
                advice: "Check this device's clock. If it is right, ask the \(owner) for a valid certificate.")
        case .hostMismatch(let host, let presented):
            ClausedExplanation(
                "trust.host-mismatch",
                presented.isEmpty
                    ? "\(naming.possessive) certificate contains no \(host.contains("@") ? "mailbox" : "host name"), so it is not valid for \(host)"
                    : "\(naming.possessive) certificate is for \(Self.list(presented)), not for \(host)",
                reason: "\(naming.mistakenPeer), or the certificate lacks this name.",
                advice: """
                    Use a name that the certificate is for, or ask the \(owner) for a certificate for \(host).
                    """)
        case .noSubjectAlternativeNames(let leaf):
            ClausedExplanation(
                "trust.no-subject-alternative-names",
                "\(name(leaf)) has no subject alternative names, so it is for no \(naming.kindOfName)",
                reason: naming.purpose == .email
                    ? "The subject is not compared with a mailbox (RFC 9598 section 3)."
                    : "A common name is not compared with the host (RFC 9525 section 2).",
                advice: """
                    Ask the \(owner) for a certificate with the \(naming.kindOfName) among its subject alternative names.
                    """)
        case .pinMismatch(let pins, let presented):
            ClausedExplanation(
                "trust.pin-mismatch",
                """
                \(naming.possessive) chain satisfies none of the pins \(Self.list(pins.map(\.description))); its keys are \
                \(Self.list(presented.map(\.description)))
                """,
                reason: "The owner has changed the keys, or another \(peer) has taken its place.",
                advice: """
                    Do not go on unless the owner confirms the new key through another channel. Then replace the pin.
                    """)
        case .changed(let remembered, let presented):
            ClausedExplanation(
                "trust.changed",
                """
                \(naming.possessive) key has changed from \(remembered.key), first seen on \(remembered.since.dayText), to \
                \(presented)
                """,
                reason: "The owner has changed the key, or another \(peer) has taken its place.",
                advice: """
                    Do not go on unless the owner confirms the new key through another channel. Then forget the remembered key.
                    """)
        case .badSignature(let certificate, let issuer):
            ClausedExplanation(
                "trust.bad-signature",
                "\(name(certificate)) has a signature that was not made with the key of \(issuer.title)",
                reason: "The certificate was altered or forged, or it is from another authority of the same name.",
                advice: "Do not go on. Ask the \(owner) to check the chain that the \(peer) sends.")
        case .notAnAuthority(let certificate):
            ClausedExplanation(
                "trust.not-an-authority",
                "\(name(certificate)) is the issuer of another one, but is not an authority's",
                reason: "The basic constraints of an authority's certificate say CA:TRUE (RFC 5280 section 4.2.1.9).",
                advice: "Do not go on. Ask the \(owner) for a certificate that an authority issued.")
        case .pathTooLong(let authority, let allowed, let found):
            ClausedExplanation(
                "trust.path-too-long",
                """
                \(name(authority)) allows \(allowed) \(allowed == 1 ? "authority" : "authorities") below it, and the path has \
                \(found)
                """,
                reason: "An authority can limit how many others follow it (RFC 5280 section 4.2.1.9).",
                advice: "Ask the \(owner) for a certificate from an authority that was allowed to issue it.")
        case .keyUsage(let certificate, let needed, let found):
            ClausedExplanation(
                "trust.key-usage",
                """
                \(name(certificate)) has the key usage \(Self.list(found)), but needs \
                \(needed.joined(separator: " or "))
                """,
                reason: needed == ["keyCertSign"]
                    ? "The key of an authority has to be for signing certificates (RFC 5280 section 4.2.1.3)."
                    : "A key may be used only for what its certificate lists (RFC 5280 section 4.2.1.3).",
                advice: "Ask the \(owner) for a certificate with this key usage.")
        case .extendedKeyUsage(let certificate, let needed, let found):
            ClausedExplanation(
                "trust.extended-key-usage",
                """
                \(name(certificate)) \(found.isEmpty ? "lists no purpose" : "is for " + Self.list(found.map(Self.usage))), \
                but has to be for \(needed.map(Self.usage).joined(separator: " and "))
                """,
                reason: certificate == naming.leaf || naming.leaf == nil
                    ? "A certificate may be used only for the purposes that it lists (RFC 5280 section 4.2.1.12)."
                        + Self.fittingPurposes(found)
                    : "An authority that lists purposes may issue certificates for these only.",
                advice: "Ask the \(owner) for a certificate for \(needed.map(Self.usage).joined(separator: " and ")).")
        case .nameConstraints(let certificate, let text, let authority, let constraint):
            ClausedExplanation(
                "trust.name-constraints",
                """
                \(name(certificate)) has the name \(text), which \(authority.title) must not issue for (\(constraint))
                """,
                reason: "The name constraints of an authority limit the names below it (RFC 5280 section 4.2.1.10).",
                advice: "Ask the \(owner) for a certificate from an authority that may issue for this name.")
        case .noValidPolicy(let certificate, let problem, let authority):
            ClausedExplanation(
                "trust.no-valid-policy", "\(name(certificate)) \(Self.clause(problem))",
                reason: authority.map {
                    "\($0 == certificate ? "It" : $0.title) requires a policy that its authorities allow (RFC 5280 section 4.2.1.11)."
                }
                    ?? "The trust policy requires a certificate policy that it accepts and that every authority of the path allows.",
                advice: "Ask the \(owner) for a certificate that is issued under such a policy.")
        case .unknownCriticalExtension(let certificate, let identifier):
            ClausedExplanation(
                "trust.unknown-critical-extension",
                "\(name(certificate)) has a critical extension that is not supported: \(Self.extensionName(identifier))",
                reason: "A certificate with an unsupported critical extension is refused (RFC 5280 section 4.2).",
                advice: "Ask the \(owner) for a certificate without this extension.")
        case .malformedExtension(let certificate, let identifier):
            ClausedExplanation(
                "trust.malformed-extension",
                "\(name(certificate)) has a malformed extension: \(Self.extensionName(identifier))",
                reason: "The restrictions in a malformed extension are unknown, so the certificate is refused.",
                advice: "Do not go on. Ask the \(owner) for a certificate that follows RFC 5280.")
        case .distrusted(let certificate):
            ClausedExplanation(
                "trust.distrusted", "\(name(certificate)) is distrusted here",
                reason: "It was marked as distrusted on this machine or by this program, regardless of its issuer.",
                advice: "Do not go on. If the mark is a mistake, remove it from the policy or the keychain.")
        case .weakSignature(let certificate, let algorithm):
            ClausedExplanation(
                "trust.weak-signature",
                "\(name(certificate)) is signed with \(algorithm), which is not accepted",
                reason: "Signatures with a broken hash such as SHA-1 can be forged.",
                advice: """
                    Ask the \(owner) for a certificate that is signed with SHA-256 or better.\
                    \(algorithm == "SHA-1" ? Self.exception : "")
                    """)
        case .weakKey(let certificate, let bits):
            ClausedExplanation(
                "trust.weak-key",
                "\(name(certificate)) has an RSA key of \(bits) bits, and the smallest size accepted is 2048 bits",
                reason: bits < RSAKeySize.smallestAcceptable
                    ? "RSA keys of less than 1024 bits can be broken, and are refused under every policy."
                    : "RSA keys of less than 2048 bits are too weak.",
                advice: (certificate == naming.leaf || naming.leaf == nil
                    ? "Ask the \(owner) for a certificate with a larger key."
                    : "Ask the \(owner) for a certificate from an authority with a larger key.")
                    + (bits < RSAKeySize.smallestAcceptable ? "" : Self.exception))
        case .unsupportedKey(let certificate, let algorithm):
            ClausedExplanation(
                "trust.unsupported-key",
                "\(name(certificate)) has a key of the type \(algorithm.name), which \(algorithm.clause)",
                reason: algorithm.isMissing ? algorithm.missingReason : "No signature of such a key can be verified.",
                advice: algorithm.advice("Ask the \(owner) for a certificate with another type of key."))
        case .unsupportedSignatureAlgorithm(let certificate, let algorithm):
            ClausedExplanation(
                "trust.unsupported-signature-algorithm",
                "\(name(certificate)) is signed with \(algorithm.name), which \(algorithm.clause)",
                reason: algorithm.isMissing ? algorithm.missingReason : "Its signature cannot be verified.",
                advice: algorithm.advice("Ask the \(owner) for a certificate with another signature algorithm."))
        case .nonconforming(let certificate, let rule):
            ClausedExplanation(
                "trust.nonconforming", rule.violation(of: certificate, called: name(certificate)),
                reason: "The rules for the anchor of this path do not allow that.",
                advice: """
                    Ask the \(owner) for a certificate that follows the rules. The profile for private authorities has \
                    fewer of them, and a policy can tolerate the rule \(rule.rawValue) alone.
                    """)
        case .revoked(let certificate, let time, let reason):
            ClausedExplanation(
                "trust.revoked", "\(name(certificate)) was revoked on \(time.dayText) (\(reason.text))",
                reason: reason.meaning,
                advice: "Do not go on. Ask the \(owner) for a new certificate.")
        case .revocationUnknown(let certificate, let problem):
            ClausedExplanation(
                "trust.revocation-unknown",
                """
                it is not known whether \(name(certificate)) is revoked: \
                \(problem?.parts.clause ?? "no responder and no revocation list answered")
                """,
                reason: "The policy, or the certificate, demands a proof that it is not revoked.",
                advice: problem?.explanation.advice ?? """
                    Try again later. If it fails again, check that the issuer's responders and lists can be reached from here.
                    """)
        case .badStaple(let certificate, let problem):
            ClausedExplanation(
                "trust.bad-staple",
                "the OCSP response that the \(peer) sent for \(name(certificate)) cannot be used: \(problem.parts.clause)",
                reason: """
                    The certificate demands a response with every handshake (RFC 7633), which has to show that it is not \
                    revoked (RFC 6066 section 8).
                    """,
                advice: """
                    Ask the \(owner) to check how the \(peer) gets and renews the response, and check this device's \
                    clock.
                    """)
        case .transparencyInsufficient(let certificate, let shortfall):
            ClausedExplanation(
                "trust.transparency-insufficient", "\(name(certificate)) \(shortfall.clause)",
                reason: """
                    Logs make certificates public, so that the owner of a domain sees those that were issued wrongly (RFC \
                    6962).
                    """,
                advice: """
                    Check that the list of logs is up to date. If it is, ask the \(owner) for a certificate with enough \
                    timestamps; a private authority has none, and needs a policy without this check.
                    """)
        case .budgetExhausted(let bound, let allowed, let met):
            ClausedExplanation(
                "trust.budget-exhausted", bound.clause(allowed: allowed, met: met, naming.possessive),
                reason: "The work on a chain is limited, so that a hostile peer cannot keep this device busy.",
                advice: bound.advice(owner))
        }
    }

    /// The sentence that names the exception for a weakness.
    private static let exception = " A policy can make an exception (TrustPolicy.acceptedWeaknesses)."

    /// Returns an extended key usage in words, with its name in RFC 5280.
    private static func usage(_ name: String) -> String {
        if name == "\(ExtendedKeyUsage.Usage.any)" { return "any purpose (anyExtendedKeyUsage)" }
        if name == "\(ExtendedKeyUsage.Usage.ocspSigning)" { return "OCSP signing (OCSPSigning)" }
        let purpose = TrustPolicy.Purpose.allCases.first { purpose in purpose.usage.map { "\($0)" } == name }
        return purpose.map { "\($0.title) (\(name))" } ?? name
    }

    /// Returns a sentence with the purposes that a certificate's extended key usages allow; empty if there are none.
    private static func fittingPurposes(_ found: [String]) -> String {
        let fitting = TrustPolicy.Purpose.allCases.filter { purpose in
            purpose.usage.map { found.contains("\($0)") } ?? false
        }
        guard !fitting.isEmpty else { return "" }
        return " It would fit the purpose \(fitting.map(\.word).joined(separator: " or "))."
    }

    /// Returns a predicate that describes the problem of a certificate's policies.
    private static func clause(_ problem: PolicyProblem) -> String {
        switch problem {
        case .notAllowed(found: [], let allowed):
            return "names no certificate policy; its authorities allow \(list(allowed.map(\.title)))"
        case .notAllowed(let found, let allowed):
            return
                "is for the certificate policy \(list(found.map(\.title))), and its authorities allow \(list(allowed.map(\.title)))"
        case .notAccepted(found: [], let acceptable):
            return "is good for no certificate policy; the trust policy accepts \(list(acceptable.map(\.title)))"
        case .notAccepted(let found, let acceptable):
            return """
                is good for the certificate policy \(list(found.map(\.title))), and the trust policy accepts \
                \(list(acceptable.map(\.title)))
                """
        }
    }

    /// Returns the first five texts as a list.
    private static func list(_ texts: [String], none: String = "none") -> String {
        guard !texts.isEmpty else { return none }
        let rest = texts.count > 5 ? " and \(texts.count - 5) more" : ""
        return texts.prefix(5).joined(separator: ", ") + rest
    }

    /// Returns the name of an extension in RFC 5280 or RFC 7633, with its object identifier.
    private static func extensionName(_ identifier: String) -> String {
        extensionNames[identifier].map { "\($0) (\(identifier))" } ?? identifier
    }

    private static let extensionNames = [
        "1.3.6.1.5.5.7.1.1": "authorityInfoAccess", "1.3.6.1.5.5.7.1.24": "tlsfeature",
        "2.5.29.14": "subjectKeyIdentifier",
        "2.5.29.15": "keyUsage", "2.5.29.17": "subjectAltName", "2.5.29.19": "basicConstraints",
        "2.5.29.30": "nameConstraints", "2.5.29.31": "cRLDistributionPoints", "2.5.29.32": "certificatePolicies",
        "2.5.29.33": "policyMappings", "2.5.29.35": "authorityKeyIdentifier", "2.5.29.36": "policyConstraints",
        "2.5.29.37": "extKeyUsage", "2.5.29.54": "inhibitAnyPolicy",
    ]
}

extension UnsupportedAlgorithm {
    /// A predicate with the reason.
    fileprivate var clause: String {
        switch reason {
        case .unknown: "is not supported"
        case .malformed: "does not have the form that its standard requires"
        case .trait: "needs the trait OpenSSL"
        case .library: "needs OpenSSL 3.0.2 or later"
        }
    }

    /// Whether the algorithm is supported with OpenSSL.
    fileprivate var isMissing: Bool { reason == .trait || reason == .library }

    fileprivate var missingReason: String {
        reason == .trait
            ? "This program was built without the trait OpenSSL, whose library has this algorithm."
            : "OpenSSL, whose library has this algorithm, is not installed, or is an older version."
    }

    fileprivate func advice(_ other: String) -> String {
        switch reason {
        case .unknown, .malformed: other
        case .trait: "Build the program with the trait OpenSSL. " + other
        case .library: "Install OpenSSL 3 (libssl3). " + other
        }
    }
}

extension TrustFailure.Bound {
    fileprivate func clause(allowed: Int, met: Int, _ possessive: String) -> String {
        switch self {
        case .signatureChecks:
            """
            \(possessive) certificates can be combined in too many ways: the search stopped at \(allowed) signature checks, its \
            bound for this number of certificates
            """
        case .candidates:
            """
            \(possessive) certificates can be combined in too many ways: the search stopped after it had tried \(allowed) \
            issuers, its bound for this number of certificates
            """
        case .pathLength: "\(possessive) certificates form a path of more than \(allowed) certificates, its bound"
        case .nameComparisons:
            """
            \(possessive) certificates have so many names and name constraints that \(met) comparisons are needed, and the \
            bound is \(allowed)
            """
        case .revocationChecks:
            "the revocation information about \(possessive) certificates needs more than \(allowed) signature checks, the bound"
        case .certificates:
            "\(possessive) chain has \(met) certificates beside the first, and only \(allowed) of them are used"
        }
    }

    fileprivate func advice(_ owner: String) -> String {
        switch self {
        case .signatureChecks, .candidates, .pathLength, .certificates:
            "Do not go on. Ask the \(owner) to send one certificate for each authority."
        case .nameComparisons:
            """
            Do not go on. Ask the \(owner) for a certificate with fewer names, or from an authority with fewer \
            constraints.
            """
        case .revocationChecks: "Do not go on. Ask the \(owner) for revocation information of its issuer alone."
        }
    }
}

extension CertificateSummary {
    /// The issuer's name, for use inside a sentence.
    fileprivate var issuerTitle: String { issuer.isEmpty ? "an authority without a name" : issuer }
}

extension RevocationReason {
    /// The reason as text, spelled as in RFC 5280 section 5.3.1.
    var text: String { rawValue.replacing("-", with: " ") }

    fileprivate var meaning: String {
        switch self {
        case .keyCompromise: "The private key is known or suspected to be compromised."
        case .authorityCompromise, .attributeAuthorityCompromise:
            "The private key of this authority is known or suspected to be compromised."
        case .affiliationChanged: "The names in the certificate are no longer correct."
        case .superseded: "The certificate was replaced by another one."
        case .cessationOfOperation: "The certificate is no longer needed for its purpose."
        case .certificateHold: "The issuer has suspended the certificate, and may reinstate it."
        case .privilegeWithdrawn: "A privilege that the certificate states was withdrawn."
        case .unspecified: "The issuer has declared the certificate invalid without a reason."
        }
    }
}
