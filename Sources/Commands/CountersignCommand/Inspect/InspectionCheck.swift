// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport

/// A check of an evaluation, with its outcome.
struct InspectionCheck {
    enum Kind: String, CaseIterable, Codable {
        case time
        case name
        case path
        case authorities
        case usage
        case form
        case revocation
        case transparency
        case pins
    }

    enum Outcome: String, Codable {
        case passed
        case failed
        /// The policy, or the command line, does not require the check.
        case notAsked = "not-asked"
        /// An earlier check failed.
        case notReached = "not-reached"
        /// The check had no result, and the policy does not require one.
        case unknown
        /// The check does not matter, because the server's remembered key decides.
        case waived
    }

    let kind: Kind
    let outcome: Outcome
    /// The failures of this check, the most informative first.
    let failures: [TrustFailure]
    /// Further remarks, in sentences.
    let notes: [String]

    static func all(of inspection: Inspection) -> [InspectionCheck] {
        Kind.allCases.map { InspectionCheck($0, of: inspection) }
    }

    private init(_ kind: Kind, of inspection: Inspection) {
        let verdict = inspection.verdict
        self.kind = kind
        failures = verdict.failures.filter { $0.kind == kind }
        notes = Self.notes(kind, inspection)
        outcome = failures.isEmpty ? Self.outcome(kind, inspection) : .failed
    }

    private static func outcome(_ kind: Kind, _ inspection: Inspection) -> Outcome {
        let verdict = inspection.verdict
        let isComplete = verdict.paths.contains { $0.failure == nil }
        switch kind {
        case _ where inspection.verdict.isTrustedByKey: return kind == .pins ? .passed : .waived
        case .pins:
            guard inspection.isPinned else { return .notAsked }
            return isComplete || verdict.isTrusted ? .passed : .notReached
        case .name where inspection.host == nil: return .notAsked
        case .name where inspection.chain.leaf.problem != nil: return .notReached
        case _ where verdict.validation == .dangerouslyDisabled: return .notAsked
        // The name is compared only with the leaf, regardless of the rest of the path.
        case .name: return .passed
        case .revocation: return revocation(verdict.mainPath?.revocation)
        case .transparency where !inspection.requiresTransparency: return .notAsked
        case .transparency: return isComplete ? .passed : .notReached
        case .time, .path, .authorities, .usage, .form:
            return verdict.mainPath?.hasPassed(kind) == true ? .passed : .notReached
        }
    }

    /// Returns the weakest of the outcomes for the certificates below the anchor.
    private static func revocation(_ findings: [Verdict.RevocationFinding]?) -> Outcome {
        guard let findings else { return .notReached }
        var outcome = findings.isEmpty ? Outcome.notAsked : .passed
        for finding in findings {
            switch finding.answer {
            case .unknown: return .unknown
            case .notAsked: outcome = .notAsked
            default: break
            }
        }
        return outcome
    }

    private static func notes(_ kind: Kind, _ inspection: Inspection) -> [String] {
        switch kind {
        case .name where inspection.host == nil: ["No host name was compared; use --host NAME."]
        case .time, .usage:
            inspection.verdict.mainPath?.hasPassed(kind) == true || inspection.verdict.validation != .full
                ? [] : ["The certificates above the server's own were not checked."]
        case .form:
            inspection.verdict.leniencies.map { "Tolerated, against the rules of the Web: \($0.explanation)" }
        case .revocation:
            inspection.verdict.revocationLines + inspection.verdict.remarksOnEvidence
        case .transparency:
            inspection.verdict.timestamps.map(\.explanation)
                + inspection.verdict.remarks.filter { $0.kind == kind }.map(\.explanation)
        default: inspection.verdict.remarks.filter { $0.kind == kind }.map(\.explanation)
        }
    }
}

extension Verdict {
    /// The remarks about stapled responses, and about revocation information with an accepted weakness.
    fileprivate var remarksOnEvidence: [String] {
        remarks.filter { remark in
            switch remark {
            case .stapled, .stapleFetched, .weakEvidenceAccepted: true
            default: false
            }
        }.map(\.explanation)
    }
}

extension Verdict.Path {
    /// Returns whether a check before revocation has passed.
    ///
    /// An evaluation checks in this order: the signatures and the usages of the authorities up to an anchor, their
    /// times, their constraints, and the form of all certificates.
    fileprivate func hasPassed(_ kind: InspectionCheck.Kind) -> Bool {
        guard let failure, revocation == nil else { return true }
        guard endsInAnchor else { return false }
        switch failure.kind {
        case .time: return [.path, .usage].contains(kind)
        case .authorities: return [.path, .usage, .time].contains(kind)
        case .form:
            if case .nonconforming = failure, kind == .authorities { return true }
            return [.path, .usage, .time].contains(kind)
        default: return false
        }
    }
}

extension TrustFailure {
    /// The check to which the failure belongs.
    var kind: InspectionCheck.Kind {
        switch self {
        case .expired, .notYetValid: .time
        case .hostMismatch, .noSubjectAlternativeNames: .name
        case .selfSigned, .unknownRoot, .issuerNotFound, .badSignature, .weakSignature, .weakKey, .unsupportedKey,
            .unsupportedSignatureAlgorithm, .budgetExhausted, .distrusted:
            .path
        case .notAnAuthority, .pathTooLong, .nameConstraints, .noValidPolicy: .authorities
        case .keyUsage, .extendedKeyUsage: .usage
        case .unreadable, .unknownCriticalExtension, .malformedExtension, .nonconforming: .form
        case .revoked, .revocationUnknown, .badStaple: .revocation
        case .transparencyInsufficient: .transparency
        case .pinMismatch, .changed: .pins
        }
    }
}

extension Verdict.Remark {
    /// The check to which the remark belongs.
    var kind: InspectionCheck.Kind {
        switch self {
        case .pinsExpired, .backupPinInUse, .pinMismatchReported, .seenFirst, .firstUse, .knownSince: .pins
        case .notRevoked, .revocationUnknown, .stapled, .stapleFetched: .revocation
        case .weakEvidenceAccepted: .revocation
        case .weakSignatureAccepted, .weakKeyAccepted: .path
        case .logListOutdated: .transparency
        }
    }
}
