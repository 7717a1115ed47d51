// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport

/// One question that an evaluation answers, and what it found.
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
        /// The policy, or the command line, does not ask.
        case notAsked = "not-asked"
        /// Something failed before.
        case notReached = "not-reached"
        /// Asked, and not found out; the policy does not insist.
        case unknown
        /// Whatever was found, the key that was seen first decides.
        case waived
    }

    let kind: Kind
    let outcome: Outcome
    /// Of this kind, the most telling first.
    let failures: [TrustFailure]
    /// What else there is to say, in sentences.
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
        case _ where inspection.verdict.isTrustedForItsKey: return kind == .pins ? .passed : .waived
        case .pins:
            guard inspection.isPinned else { return .notAsked }
            return isComplete || verdict.isTrusted ? .passed : .notReached
        case .name where inspection.host == nil: return .notAsked
        case _ where verdict.validation == .dangerouslyDisabled: return .notAsked
        // Compared with the leaf alone, whatever is above it.
        case .name: return .passed
        case .revocation: return revocation(verdict.mainPath?.revocation)
        case .transparency where !inspection.asksForLogs: return .notAsked
        case .transparency: return isComplete ? .passed : .notReached
        case .time, .path, .authorities, .usage, .form:
            return verdict.mainPath?.hasPassed(kind) == true ? .passed : .notReached
        }
    }

    /// The weakest of the answers about the certificates below the anchor.
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
        case .name where inspection.host == nil: ["No host name was compared; --host NAME does."]
        case .time, .usage:
            inspection.verdict.mainPath?.hasPassed(kind) == true || inspection.verdict.validation != .full
                ? [] : ["What is above the server's own certificate is left to check."]
        case .form:
            inspection.verdict.leniencies.map { "Let through, against the rules of the Web: \($0.explanation)" }
        case .revocation:
            // Where nothing was asked, the outcome says so of all certificates.
            inspection.verdict.answers.contains { $0.answer != .notAsked }
                ? inspection.verdict.answers.map(\.explanation) + inspection.verdict.staples : []
        case .transparency:
            inspection.verdict.timestamps.map(\.explanation)
                + inspection.verdict.remarks.filter { $0.kind == kind }.map(\.explanation)
        default: inspection.verdict.remarks.filter { $0.kind == kind }.map(\.explanation)
        }
    }
}

extension Verdict {
    /// The answers about the revocation of the certificates of the path that tells most.
    fileprivate var answers: [RevocationFinding] { mainPath?.revocation ?? [] }

    /// The sentences about a response that a certificate demands with the handshake.
    fileprivate var staples: [String] {
        remarks.filter { if case .stapleFetched = $0 { true } else { false } }.map(\.explanation)
    }
}

extension Verdict.Path {
    /// Whether a check before revocation has passed, in the order of an evaluation: the signatures and the authorities' usages up to an
    /// anchor, their times, what they may issue, and the form of all.
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
    /// The question to which this is the answer.
    var kind: InspectionCheck.Kind {
        switch self {
        case .expired, .notYetValid: .time
        case .hostMismatch, .noSubjectAlternativeNames: .name
        case .selfSigned, .unknownRoot, .issuerNotFound, .badSignature, .weakSignature, .weakKey, .budgetExhausted,
            .distrusted:
            .path
        case .notAnAuthority, .pathTooLong, .nameConstraints, .noValidPolicy: .authorities
        case .keyUsage, .extendedKeyUsage: .usage
        case .unknownCriticalExtension, .malformedExtension, .nonconforming: .form
        case .revoked, .revocationUnknown: .revocation
        case .transparencyInsufficient: .transparency
        case .pinMismatch, .changed: .pins
        }
    }
}

extension Verdict.Remark {
    /// The question that it belongs to.
    var kind: InspectionCheck.Kind {
        switch self {
        case .pinsExpired, .backupPinInUse, .pinMismatchReported, .seenFirst, .firstUse, .knownSince: .pins
        case .notRevoked, .revocationUnknown, .stapleFetched: .revocation
        case .logListOutdated: .transparency
        }
    }
}
