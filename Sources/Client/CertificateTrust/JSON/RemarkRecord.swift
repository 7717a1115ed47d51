// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A remark as JSON has it: its code, and the values that belong to it.
package struct RemarkRecord: Codable {
    /// ``Verdict/Remark/code``.
    let code: String
    /// For a person; it is not read back.
    let explanation: String
    /// A fingerprint.
    var certificate: String?
    var at: Date?
    var pins: [Pin]?
    var presented: [Pin]?
    var server: RememberedServer?
    var problem: ProblemRecord?

    init(_ remark: Verdict.Remark) {
        (code, explanation) = (remark.code, remark.explanation)
        certificate = remark.certificates.first?.fingerprint
        switch remark {
        case .pinsExpired(let day): at = day
        case .backupPinInUse(let pin): pins = [pin]
        case .pinMismatchReported(let pins, let presented): (self.pins, self.presented) = (pins, presented)
        case .notRevoked(_, let until): at = until
        case .revocationUnknown(_, let problem): self.problem = problem.map(ProblemRecord.init)
        case .stapleFetched: break
        case .logListOutdated(let time): at = time
        case .seenFirst(let server), .firstUse(let server), .knownSince(let server): self.server = server
        }
    }

    /// The remark, with certificates from the list beside the record.
    ///
    /// - Throws: ``RecordError``.
    func remark(with certificates: CertificateList) throws -> Verdict.Remark {
        let subject = { try certificates.certificate(try required(certificate)) }
        switch code {
        case "pins-expired": return .pinsExpired(on: try required(at))
        case "backup-pin-in-use": return .backupPinInUse(try required(pins?.first))
        case "pin-mismatch-reported":
            return .pinMismatchReported(pins: try required(pins), presented: try required(presented))
        case "not-revoked": return .notRevoked(try subject(), until: try required(at))
        case "revocation-unknown": return .revocationUnknown(try subject(), try problem?.problem())
        case "staple-fetched": return .stapleFetched(try subject())
        case "log-list-outdated": return .logListOutdated(try required(at))
        case "seen-first": return .seenFirst(try required(server))
        case "first-use": return .firstUse(try required(server))
        case "known-since": return .knownSince(try required(server))
        default: throw RecordError.unknownCode(code)
        }
    }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw RecordError.missingValue(code: code) }
        return value
    }
}

extension Verdict.Remark {
    /// The name of the remark for programs, such as `pins-expired`, which never changes.
    public var code: String {
        switch self {
        case .pinsExpired: "pins-expired"
        case .backupPinInUse: "backup-pin-in-use"
        case .pinMismatchReported: "pin-mismatch-reported"
        case .notRevoked: "not-revoked"
        case .revocationUnknown: "revocation-unknown"
        case .stapleFetched: "staple-fetched"
        case .logListOutdated: "log-list-outdated"
        case .seenFirst: "seen-first"
        case .firstUse: "first-use"
        case .knownSince: "known-since"
        }
    }

    var certificates: [CertificateSummary] {
        switch self {
        case .notRevoked(let certificate, _), .revocationUnknown(let certificate, _), .stapleFetched(let certificate):
            [certificate]
        case .pinsExpired, .backupPinInUse, .pinMismatchReported, .logListOutdated, .seenFirst, .firstUse, .knownSince:
            []
        }
    }
}

/// A piece of evidence that was not handed over, as JSON has it.
package struct RequestRecord: Codable {
    enum Kind: String, Codable {
        case issuer
        case revocation
    }

    let kind: Kind
    /// The fingerprint of the certificate that the evidence is about.
    let certificate: String
    /// The fingerprint of its issuer's certificate.
    var issuer: String?
    /// URLs of issuers' certificates.
    var places: [String]?
    /// URLs of OCSP responders.
    var responders: [String]?
    /// URLs of revocation lists.
    var lists: [String]?

    init(_ request: EvidenceRequest) {
        switch request {
        case .issuer(let certificate, let places):
            (kind, self.certificate, self.places) = (.issuer, certificate.fingerprint, places)
        case .revocation(let certificate, let issuer, let responders, let lists):
            (kind, self.certificate, self.issuer) = (.revocation, certificate.fingerprint, issuer.fingerprint)
            (self.responders, self.lists) = (responders, lists)
        }
    }

    func request(with certificates: CertificateList) throws -> EvidenceRequest {
        let subject = try certificates.certificate(certificate)
        switch kind {
        case .issuer: return .issuer(of: subject, at: places ?? [])
        case .revocation:
            guard let issuer else { throw RecordError.missingValue(code: kind.rawValue) }
            return .revocation(
                of: subject, issuer: try certificates.certificate(issuer), responders: responders ?? [],
                lists: lists ?? [])
        }
    }
}

extension EvidenceRequest {
    var certificates: [CertificateSummary] {
        switch self {
        case .issuer(let certificate, _): [certificate]
        case .revocation(let certificate, let issuer, _, _): [certificate, issuer]
        }
    }
}
