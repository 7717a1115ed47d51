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
        case outOfScope = "out-of-scope"
    }

    /// The answer of one source.
    struct Source: Codable {
        let kind: EvidenceOrigin.Kind
        /// The URL or the path.
        let place: String?
        /// The fingerprint of the certificate about which the source was asked.
        let asked: String?
        let status: Status
        var until: Date?
        var at: Date?
        var reason: RevocationReason?
        var problem: ProblemRecord?
        /// The explanation for the user; ignored when decoding.
        let explanation: String
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
    /// The explanation for the user; ignored when decoding, and missing in records of older versions.
    let explanation: String?
    /// The answers of the single sources; missing in records of older versions.
    let sources: [Source]?

    init(_ finding: Verdict.RevocationFinding) {
        certificate = finding.certificate.fingerprint
        (status, until, at, reason, problem) = finding.answer.values
        explanation = finding.explanation
        sources = finding.sources.map { source in
            let (status, until, at, reason, problem) = source.answer.values
            return Source(
                kind: source.origin.kind, place: source.origin.place?.printable,
                asked: source.origin.certificate?.fingerprint, status: status, until: until, at: at, reason: reason,
                problem: problem, explanation: source.explanation)
        }
    }

    /// Returns the finding.
    ///
    /// - Throws: ``RecordError``.
    func finding(with certificates: CertificateList) throws -> CertificateAnswers {
        CertificateAnswers(
            answer: try RevocationAnswer(status, until, at, reason, problem),
            sources: try (sources ?? []).map { source in
                RevocationSourceAnswer(
                    origin: EvidenceOrigin(
                        source.kind, at: source.place, about: try source.asked.map(certificates.certificate)),
                    answer: try RevocationAnswer(
                        source.status, source.until, source.at, source.reason, source.problem))
            })
    }
}

extension RevocationAnswer {
    fileprivate typealias Values = (
        status: RevocationRecord.Status, until: Date?, at: Date?, reason: RevocationReason?, problem: ProblemRecord?
    )

    fileprivate var values: Values {
        switch self {
        case .good(let until): (.good, until, nil, nil, nil)
        case .revoked(let time, let reason): (.revoked, nil, time, reason, nil)
        case .unknown(let problem): (.unknown, nil, nil, nil, problem.map(ProblemRecord.init))
        case .notAsked: (.notAsked, nil, nil, nil, nil)
        case .outOfScope: (.outOfScope, nil, nil, nil, nil)
        }
    }

    fileprivate init(
        _ status: RevocationRecord.Status, _ until: Date?, _ at: Date?, _ reason: RevocationReason?,
        _ problem: ProblemRecord?
    ) throws {
        switch status {
        case .good:
            guard let until else { throw RecordError.missingValue(code: status.rawValue) }
            self = .good(until: until)
        case .revoked:
            guard let at, let reason else { throw RecordError.missingValue(code: status.rawValue) }
            self = .revoked(at: at, reason: reason)
        case .unknown: self = .unknown(try problem?.problem())
        case .notAsked: self = .notAsked
        case .outOfScope: self = .outOfScope
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
    /// The URL that could not be fetched.
    var place: String?
    /// The HTTP status of the answer.
    var httpStatus: Int?
    /// The media type of the answer.
    var contentType: String?
    /// The maximum size of an answer, in bytes.
    var limit: Int?
    /// The stable code of another error.
    var cause: String?

    init(_ problem: RevocationProblem) {
        code = problem.code
        switch problem {
        case .unknownCriticalExtension(let identifier): self.identifier = identifier
        case .responderRefused(let refusal): self.refusal = refusal
        case .notFetched(let place, let reason):
            self.place = place.printable
            switch reason {
            case .status(let status): httpStatus = status
            case .contentType(let type): contentType = type.printable
            case .tooLarge(let limit): self.limit = limit
            case .failed(let code): cause = code
            default: break
            }
        default: break
        }
    }

    private static let plain: [RevocationProblem] = [
        .malformed, .badSignature, .weakSignature, .unsupportedAlgorithm, .signerNotAuthorized, .notYetValid,
        .outdated, .noNextUpdate, .deltaList, .partialList, .attributeList, .wrongScope, .listNumber,
        .nonceMismatch, .otherCertificate, .unknownToResponder, .budgetExhausted, .responderPurpose,
        .responderIssuer, .responderExpired, .responderRevoked, .otherIssuer, .noSource,
    ]

    private var fetchProblem: EvidenceFetchProblem? {
        if let httpStatus { return .status(httpStatus) }
        if let contentType { return .contentType(contentType) }
        if let limit { return .tooLarge(limit: limit) }
        if let cause { return .failed(code: cause) }
        return EvidenceFetchProblem.examples.first { code == "revocation.\($0.codeSuffix)" }
    }

    /// Returns the problem.
    ///
    /// - Throws: ``RecordError``.
    func problem() throws -> RevocationProblem {
        if let problem = Self.plain.first(where: { $0.code == code }) { return problem }
        if let place, let fetchProblem { return .notFetched(place, fetchProblem) }
        if let identifier { return .unknownCriticalExtension(identifier) }
        if let refusal { return .responderRefused(refusal) }
        throw RecordError.unknownCode(code)
    }
}
