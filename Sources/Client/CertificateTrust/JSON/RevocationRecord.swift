// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import EssentialFoundation

/// The JSON form of the revocation answer for one certificate.
package struct RevocationRecord: Codable {
    enum Status: String, Codable {
        case good
        case revoked
        case unknown
        case notAsked = "not-asked"
    }

    /// The certificate's fingerprint.
    let certificate: String
    let status: Status
    /// The time until which the good status is valid.
    var until: Date?
    /// The time of the revocation.
    var at: Date?
    var reason: RevocationReason?
    var problem: ProblemRecord?

    init(_ finding: Verdict.RevocationFinding) {
        certificate = finding.certificate.fingerprint
        switch finding.answer {
        case .good(let until): (status, self.until) = (.good, until)
        case .revoked(let time, let reason): (status, at, self.reason) = (.revoked, time, reason)
        case .unknown(let problem): (status, self.problem) = (.unknown, problem.map(ProblemRecord.init))
        case .notAsked: status = .notAsked
        }
    }

    /// Returns the answer.
    ///
    /// - Throws: ``RecordError``.
    func answer() throws -> RevocationAnswer {
        switch status {
        case .good:
            guard let until else { throw RecordError.missingValue(code: status.rawValue) }
            return .good(until: until)
        case .revoked:
            guard let at, let reason else { throw RecordError.missingValue(code: status.rawValue) }
            return .revoked(at: at, reason: reason)
        case .unknown: return .unknown(try problem?.problem())
        case .notAsked: return .notAsked
        }
    }
}

/// The JSON form of the use of a revocation list or OCSP response.
package struct EvidenceRecord: Codable {
    package enum Use: String, Codable {
        case notReached = "not-reached"
        case unrelated
        case unusable
        case read
    }

    package let use: Use
    package private(set) var problem: ProblemRecord?

    package init(_ use: EvidenceUse) {
        switch use {
        case .notReached: self.use = .notReached
        case .unrelated: self.use = .unrelated
        case .unusable(let problem): (self.use, self.problem) = (.unusable, ProblemRecord(problem))
        case .read(let problem): (self.use, self.problem) = (.read, problem.map(ProblemRecord.init))
        }
    }

    /// Returns the use.
    ///
    /// - Throws: ``RecordError``.
    func evidenceUse() throws -> EvidenceUse {
        let problem = try problem?.problem()
        switch use {
        case .notReached: return .notReached
        case .unrelated: return .unrelated
        case .unusable:
            guard let problem else { throw RecordError.missingValue(code: use.rawValue) }
            return .unusable(problem)
        case .read: return .read(problem)
        }
    }
}

/// The JSON form of the reason why revocation evidence could not be used.
package struct ProblemRecord: Codable {
    /// The code of the problem, such as `revocation.outdated`.
    let code: String
    /// The object identifier of an extension.
    var identifier: String?
    var refusal: OCSPResponse.Refusal?

    init(_ problem: RevocationProblem) {
        code = problem.code
        switch problem {
        case .unknownCriticalExtension(let identifier): self.identifier = identifier
        case .responderRefused(let refusal): self.refusal = refusal
        default: break
        }
    }

    private static let plain: [RevocationProblem] = [
        .malformed, .badSignature, .weakSignature, .unsupportedAlgorithm, .signerNotAuthorized, .notYetValid,
        .outdated, .noNextUpdate, .deltaList, .partialList, .attributeList, .wrongScope, .listNumber,
        .nonceMismatch, .otherCertificate, .unknownToResponder, .budgetExhausted,
    ]

    /// Returns the problem.
    ///
    /// - Throws: ``RecordError``.
    func problem() throws -> RevocationProblem {
        if let problem = Self.plain.first(where: { $0.code == code }) { return problem }
        if let identifier { return .unknownCriticalExtension(identifier) }
        if let refusal { return .responderRefused(refusal) }
        throw RecordError.unknownCode(code)
    }
}
