// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import EssentialFoundation

/// The JSON form of a failure: its code and associated values.
package struct FailureRecord: Codable {
    /// The code of the failure, such as `trust.expired`.
    let code: String
    /// The explanation for the user; ignored when decoding.
    let explanation: String
    /// The fingerprint of the certificate that the check failed on.
    var certificate: String?
    /// The fingerprint of the authority's certificate, if the failure is about an authority too.
    var authority: String?
    var at: Date?
    var host: String?
    /// The names or keys that the server presented.
    var presented: [String]?
    var pins: [Pin]?
    var server: RememberedServer?
    var needed: [String]?
    var found: [String]?
    var name: String?
    var constraint: String?
    var identifier: String?
    var algorithm: String?
    /// The reason why the algorithm is not supported.
    var limitation: UnsupportedAlgorithm.Reason?
    var rule: TrustFailure.Rule?
    var reason: RevocationReason?
    var problem: ProblemRecord?
    var policies: PolicyProblem?
    var shortfall: TransparencyShortfall?
    /// The bound that was met; missing in records of older versions.
    var bound: TrustFailure.Bound?
    /// The maximum number allowed.
    var allowed: Int?
    /// The number found: authorities, bits of a key, or the number that met a bound.
    var count: Int?

    package init(_ failure: TrustFailure) {
        let explanation = failure.explanation
        (code, self.explanation) = (explanation.code, explanation.message)
        certificate = failure.certificates.first?.fingerprint
        authority = failure.certificates.dropFirst().first?.fingerprint
        switch failure {
        case .unreadable, .selfSigned, .unknownRoot, .issuerNotFound, .noSubjectAlternativeNames, .badSignature,
            .notAnAuthority, .distrusted:
            break
        case .noValidPolicy(_, let problem, _): policies = problem
        case .expired(_, let time), .notYetValid(_, let time): at = time
        case .hostMismatch(let host, let presented): (self.host, self.presented) = (host, presented)
        case .pinMismatch(let pins, let presented):
            (self.pins, self.presented) = (pins, presented.map(\.description))
        case .changed(let server, let presented): (self.server, self.presented) = (server, [presented.description])
        case .pathTooLong(_, let allowed, let found): (self.allowed, count) = (allowed, found)
        case .keyUsage(_, let needed, let found), .extendedKeyUsage(_, let needed, let found):
            (self.needed, self.found) = (needed, found)
        case .nameConstraints(_, let name, _, let constraint): (self.name, self.constraint) = (name, constraint)
        case .unknownCriticalExtension(_, let identifier), .malformedExtension(_, let identifier):
            self.identifier = identifier
        case .weakSignature(_, let algorithm): self.algorithm = algorithm
        case .weakKey(_, let bits): count = bits
        case .unsupportedKey(_, let algorithm), .unsupportedSignatureAlgorithm(_, let algorithm):
            (self.algorithm, limitation) = (algorithm.name, algorithm.reason)
        case .nonconforming(_, let rule): self.rule = rule
        case .revoked(_, let time, let reason): (at, self.reason) = (time, reason)
        case .revocationUnknown(_, let problem): self.problem = problem.map(ProblemRecord.init)
        case .badStaple(_, let problem): self.problem = ProblemRecord(problem)
        case .transparencyInsufficient(_, let shortfall): self.shortfall = shortfall
        case .budgetExhausted(let bound, let allowed, let met):
            (self.bound, self.allowed, count) = (bound, allowed, met)
        }
    }

    /// Returns the failure, with the certificates from the record's list.
    ///
    /// - Throws: ``RecordError``.
    func failure(with certificates: CertificateList) throws -> TrustFailure {
        let subject = { try certificates.certificate(try required(certificate)) }
        let authority = { try certificates.certificate(try required(self.authority)) }
        switch code {
        case "trust.unreadable": return .unreadable(try subject())
        case "trust.self-signed": return .selfSigned(try subject())
        case "trust.unknown-root": return .unknownRoot(try subject())
        case "trust.issuer-not-found": return .issuerNotFound(of: try subject())
        case "trust.expired": return .expired(try subject(), at: try required(at))
        case "trust.not-yet-valid": return .notYetValid(try subject(), at: try required(at))
        case "trust.host-mismatch": return .hostMismatch(host: try required(host), presented: try required(presented))
        case "trust.no-subject-alternative-names": return .noSubjectAlternativeNames(try subject())
        case "trust.pin-mismatch":
            return .pinMismatch(pins: try required(pins), presented: try required(presented).map { try Pin($0) })
        case "trust.changed":
            return .changed(try required(server), presented: try Pin(try required(presented?.first)))
        case "trust.distrusted": return .distrusted(try subject())
        case "trust.bad-signature": return .badSignature(try subject(), issuer: try authority())
        case "trust.not-an-authority": return .notAnAuthority(try subject())
        case "trust.path-too-long":
            return .pathTooLong(try subject(), allowed: try required(allowed), found: try required(count))
        case "trust.key-usage":
            return .keyUsage(try subject(), needed: try required(needed), found: try required(found))
        case "trust.extended-key-usage":
            return .extendedKeyUsage(try subject(), needed: try required(needed), found: try required(found))
        case "trust.name-constraints":
            return .nameConstraints(
                try subject(), name: try required(name), authority: try authority(),
                constraint: try required(constraint))
        case "trust.no-valid-policy":
            return .noValidPolicy(
                try subject(), try required(policies), requiredBy: try self.authority.map(certificates.certificate))
        case "trust.unknown-critical-extension":
            return .unknownCriticalExtension(try subject(), try required(identifier))
        case "trust.malformed-extension": return .malformedExtension(try subject(), try required(identifier))
        case "trust.weak-signature": return .weakSignature(try subject(), try required(algorithm))
        case "trust.weak-key": return .weakKey(try subject(), bits: try required(count))
        case "trust.unsupported-key": return .unsupportedKey(try subject(), try unsupportedAlgorithm())
        case "trust.unsupported-signature-algorithm":
            return .unsupportedSignatureAlgorithm(try subject(), try unsupportedAlgorithm())
        case "trust.nonconforming": return .nonconforming(try subject(), try required(rule))
        case "trust.revoked": return .revoked(try subject(), at: try required(at), reason: try required(reason))
        case "trust.revocation-unknown": return .revocationUnknown(try subject(), try problem?.problem())
        case "trust.bad-staple": return .badStaple(try subject(), try required(problem).problem())
        case "trust.transparency-insufficient":
            return .transparencyInsufficient(try subject(), try required(shortfall))
        case "trust.budget-exhausted":
            let count = try required(count)
            return .budgetExhausted(bound ?? .signatureChecks, allowed: allowed ?? count, met: count)
        default: throw RecordError.unknownCode(code)
        }
    }

    private func unsupportedAlgorithm() throws -> UnsupportedAlgorithm {
        UnsupportedAlgorithm(try required(algorithm), try required(limitation))
    }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw RecordError.missingValue(code: code) }
        return value
    }
}

extension TrustFailure {
    /// The certificate that the check failed on, followed by the authority if the failure is about an authority too.
    package var certificates: [CertificateSummary] {
        switch self {
        case .unreadable(let certificate), .selfSigned(let certificate), .unknownRoot(let certificate),
            .issuerNotFound(let certificate),
            .expired(let certificate, _), .notYetValid(let certificate, _), .noSubjectAlternativeNames(let certificate),
            .notAnAuthority(let certificate), .pathTooLong(let certificate, _, _), .keyUsage(let certificate, _, _),
            .extendedKeyUsage(let certificate, _, _),
            .unknownCriticalExtension(let certificate, _), .malformedExtension(let certificate, _),
            .weakSignature(let certificate, _), .weakKey(let certificate, _), .unsupportedKey(let certificate, _),
            .unsupportedSignatureAlgorithm(let certificate, _), .nonconforming(let certificate, _),
            .revoked(let certificate, _, _), .revocationUnknown(let certificate, _), .distrusted(let certificate),
            .badStaple(let certificate, _), .transparencyInsufficient(let certificate, _):
            [certificate]
        case .badSignature(let certificate, let authority), .nameConstraints(let certificate, _, let authority, _):
            [certificate, authority]
        case .noValidPolicy(let certificate, _, let authority): [certificate] + (authority.map { [$0] } ?? [])
        case .hostMismatch, .pinMismatch, .changed, .budgetExhausted: []
        }
    }
}
