// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The check that a path failed, the certificate that it failed on, and the values that disagreed.
@nonexhaustive
public enum TrustFailure: Error, Hashable, Sendable {
    /// The leaf is signed by its own key and is not among the anchors.
    case selfSigned(CertificateSummary)
    /// The path ends in a root that is not among the anchors.
    case unknownRoot(CertificateSummary)
    /// Neither the server nor the anchors have the certificate that issued this one.
    case issuerNotFound(of: CertificateSummary)
    case expired(CertificateSummary, at: Date)
    case notYetValid(CertificateSummary, at: Date)
    /// None of the names that the leaf is for is the host.
    case hostMismatch(host: String, presented: [String])
    /// The leaf names no host at all; a common name is none (RFC 9525 section 2).
    case noSubjectAlternativeNames(CertificateSummary)
    /// No certificate of the path satisfies a pin. Holds the pins of the policy, and those that the path would satisfy.
    case pinMismatch(pins: [Pin], presented: [Pin])
    /// The server's key is not the one that was remembered at its first use.
    case changed(RememberedServer, presented: Pin)
    /// The certificate is among ``TrustPolicy/distrusted``.
    case distrusted(CertificateSummary)
    case badSignature(CertificateSummary, issuer: CertificateSummary)
    /// The issuer may not issue (RFC 5280 section 4.2.1.9).
    case notAnAuthority(CertificateSummary)
    /// More authorities stand below this one than it allows.
    case pathTooLong(CertificateSummary, allowed: Int, found: Int)
    /// The key may not be used for this (RFC 5280 section 4.2.1.3).
    ///
    /// One of the usages needed would do, by the names of RFC 5280.
    case keyUsage(CertificateSummary, needed: [String], found: [String])
    /// The certificate is not for servers (RFC 5280 section 4.2.1.12).
    ///
    /// Purposes by the names of RFC 5280, or as object identifiers.
    case extendedKeyUsage(CertificateSummary, needed: [String], found: [String])
    /// A name lies outside what an authority above it may issue for (RFC 5280 section 4.2.1.10).
    case nameConstraints(CertificateSummary, name: String, authority: CertificateSummary, constraint: String)
    /// The path is good for no certificate policy, and one is required (RFC 5280 section 6.1.3).
    ///
    /// `requiredBy` is the certificate whose policy constraints require one; `nil` where ``TrustPolicy/certificatePolicies`` do.
    case noValidPolicy(CertificateSummary, PolicyProblem, requiredBy: CertificateSummary?)
    /// A critical extension is not understood. Holds its object identifier.
    case unknownCriticalExtension(CertificateSummary, String)
    /// An extension cannot be read, or contradicts the standard. Holds its object identifier.
    case malformedExtension(CertificateSummary, String)
    /// The signature uses a hash that can be forged.
    case weakSignature(CertificateSummary, String)
    /// The key is too small.
    case weakKey(CertificateSummary, bits: Int)
    /// The certificate breaks a rule of the path's profile on the form of certificates.
    case nonconforming(CertificateSummary, Rule)
    /// The issuer has revoked the certificate.
    case revoked(CertificateSummary, at: Date, reason: RevocationReason)
    /// Whether it is revoked could not be found out, which the policy or the certificate insists on; `nil` where there was
    /// no answer.
    case revocationUnknown(CertificateSummary, RevocationProblem?)
    /// Too few logs have promised to include it (RFC 6962), by the rule of ``TrustPolicy/transparency``.
    case transparencyInsufficient(CertificateSummary, TransparencyShortfall)
    /// The search for a path ended at its limit of signature checks, which no honest chain reaches.
    case budgetExhausted(signatureChecks: Int)

    /// Whether a person who knows better may go on: the chain is what it says it is, but not from someone known, for
    /// now, or for this host.
    ///
    /// Everything else is a sign of a fault or an attack.
    public var isRecoverable: Bool {
        switch self {
        case .selfSigned, .unknownRoot, .issuerNotFound, .expired, .notYetValid, .hostMismatch,
            .noSubjectAlternativeNames:
            true
        default: false
        }
    }

    /// Whether it means that no anchor was reached.
    var isDeadEnd: Bool {
        switch self {
        case .selfSigned, .unknownRoot, .issuerNotFound: true
        default: false
        }
    }

    /// Whether an authority did not make the signature that names it.
    var isForgery: Bool { if case .badSignature = self { true } else { false } }

    /// How much it says beside other failures: the lowest is the headline.
    var rank: Int {
        switch self {
        case .pinMismatch, .changed, .revoked, .distrusted: 0
        case .budgetExhausted: 1
        case .badSignature, .malformedExtension: 2
        case .weakSignature, .weakKey: 3
        case .notAnAuthority, .pathTooLong, .keyUsage, .extendedKeyUsage, .nameConstraints, .noValidPolicy,
            .unknownCriticalExtension, .nonconforming:
            4
        // Who it is says more than when it was.
        case .selfSigned: 5
        case .unknownRoot: 6
        case .issuerNotFound: 7
        case .revocationUnknown, .transparencyInsufficient, .expired, .notYetValid: 8
        case .hostMismatch, .noSubjectAlternativeNames: 9
        }
    }
}
