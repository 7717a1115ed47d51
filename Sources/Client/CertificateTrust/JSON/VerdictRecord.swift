// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// A verdict as JSON has it: certificates by their fingerprints, and a stable code for every failure and remark.
///
/// The certificates themselves stand once, in a list beside the record.
package struct VerdictRecord: Codable {
    package struct Path: Codable {
        /// Fingerprints, leaf first.
        let certificates: [String]
        let failure: FailureRecord?
        /// Missing in records of older versions, as the next one.
        let endsInAnchor: Bool?
        /// For the certificates below the anchor, leaf first; left out where another check failed before.
        let revocation: [RevocationRecord]?
    }

    package struct Leniency: Codable {
        let certificate: String
        let rule: TrustFailure.Rule
    }

    let host: String
    let isTrusted: Bool
    let explanation: String
    let validation: TrustPolicy.Validation
    let profile: TrustPolicy.Profile?
    /// Sorted; left out of verdicts that are older than this key.
    let certificatePolicies: [CertificatePolicyIdentifier]?
    let paths: [Path]
    let failures: [FailureRecord]
    let remarks: [RemarkRecord]
    let leniencies: [Leniency]
    /// Missing in records of older versions.
    let timestamps: [TimestampFinding]?
    let wanted: [RequestRecord]
    /// The use of each list, and then of each response; missing in records of older versions.
    let evidence: [EvidenceRecord]?

    package init(_ verdict: Verdict) {
        (host, isTrusted, explanation) = (verdict.host, verdict.isTrusted, verdict.explanation)
        (validation, profile) = (verdict.validation, verdict.profile)
        certificatePolicies = verdict.certificatePolicies.sorted { $0.description < $1.description }
        paths = verdict.paths.map { path in
            Path(
                certificates: path.certificates.map(\.fingerprint), failure: path.failure.map(FailureRecord.init),
                endsInAnchor: path.endsInAnchor, revocation: path.revocation?.map(RevocationRecord.init))
        }
        failures = verdict.failures.map(FailureRecord.init)
        remarks = verdict.remarks.map(RemarkRecord.init)
        leniencies = verdict.leniencies.map { Leniency(certificate: $0.certificate.fingerprint, rule: $0.rule) }
        timestamps = verdict.timestamps
        wanted = verdict.wanted.map(RequestRecord.init)
        evidence = verdict.evidence.map(EvidenceRecord.init)
    }

    /// The verdict, with certificates from the list beside the record.
    func verdict(with certificates: CertificateList) throws -> Verdict {
        var verdict = Verdict(host: host, validation: validation)
        verdict.profile = profile
        verdict.certificatePolicies = Set(certificatePolicies ?? [])
        verdict.paths = try paths.map { path in
            Verdict.Path(
                parsed: try path.certificates.map { try certificates.certificate($0).parsed },
                failure: try path.failure?.failure(with: certificates), endsInAnchor: path.endsInAnchor ?? false,
                answers: try path.revocation?.map { try $0.answer() })
        }
        verdict.failures = try failures.map { try $0.failure(with: certificates) }
        verdict.remarks = try remarks.map { try $0.remark(with: certificates) }
        verdict.leniencies = try leniencies.map {
            Verdict.Leniency(certificate: try certificates.certificate($0.certificate), rule: $0.rule)
        }
        verdict.timestamps = timestamps ?? []
        verdict.evidence = try (evidence ?? []).map { try $0.evidenceUse() }
        verdict.wanted = try wanted.map { try $0.request(with: certificates) }
        return verdict
    }
}

/// Certificates that a record refers to, each of them once.
package struct CertificateList {
    /// In the order of their first mention.
    package private(set) var all: [CertificateSummary] = []
    private var byFingerprint: [String: CertificateSummary] = [:]

    package init(_ certificates: some Sequence<CertificateSummary>) {
        add(certificates)
    }

    package mutating func add(_ certificates: some Sequence<CertificateSummary>) {
        for certificate in certificates
        where byFingerprint.updateValue(certificate, forKey: certificate.fingerprint) == nil {
            all.append(certificate)
        }
    }

    func certificate(_ fingerprint: String) throws -> CertificateSummary {
        guard let certificate = byFingerprint[fingerprint] else {
            throw RecordError.missingCertificate(fingerprint)
        }
        return certificate
    }
}

/// Why a record cannot be read back.
enum RecordError: Error, Hashable {
    /// The list does not hold the certificate of this fingerprint.
    case missingCertificate(String)
    /// No failure, remark or request has this code.
    case unknownCode(String)
    /// What belongs to this code is not there.
    case missingValue(code: String)
}

extension Verdict {
    /// Every certificate that the verdict mentions, each of them once.
    package var certificates: CertificateList {
        var list = CertificateList(paths.flatMap(\.certificates))
        list.add(paths.compactMap(\.failure).flatMap(\.certificates))
        list.add(failures.flatMap(\.certificates))
        list.add(remarks.flatMap(\.certificates))
        list.add(leniencies.map(\.certificate))
        list.add(wanted.flatMap(\.certificates))
        return list
    }
}

extension Verdict: Codable {
    private enum Key: String, CodingKey {
        case certificates
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Throws: What the decoder throws, and an error where a code is unknown, or a value or a certificate is missing.
    public init(from decoder: any Decoder) throws {
        let certificates = try decoder.container(keyedBy: Key.self).decode(
            [CertificateSummary].self, forKey: .certificates)
        self = try VerdictRecord(from: decoder).verdict(with: CertificateList(certificates))
    }

    /// Writes every certificate once, and refers to it by its fingerprint elsewhere; each failure and remark has its stable code.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try VerdictRecord(self).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(certificates.all, forKey: .certificates)
    }
}

extension TrustFailure: Codable {
    private enum Key: String, CodingKey {
        case certificates
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Throws: What the decoder throws, and an error where a code is unknown, or a value or a certificate is missing.
    public init(from decoder: any Decoder) throws {
        let certificates = try decoder.container(keyedBy: Key.self).decode(
            [CertificateSummary].self, forKey: .certificates)
        self = try FailureRecord(from: decoder).failure(with: CertificateList(certificates))
    }

    /// Writes the `code`, the values by their names, and the certificates, to which the values refer by fingerprint.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try FailureRecord(self).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(CertificateList(certificates).all, forKey: .certificates)
    }
}

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
