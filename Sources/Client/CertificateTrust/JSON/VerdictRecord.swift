// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// The JSON form of a verdict, with certificates as fingerprints, and a stable code for every failure and remark.
///
/// The certificates themselves are in a list next to the record, each once.
package struct VerdictRecord: Codable {
    package struct Path: Codable {
        /// The fingerprints, leaf first.
        let certificates: [String]
        let failure: FailureRecord?
        /// Whether the path ends in an anchor; this key and the next one are missing in records of older versions.
        let endsInAnchor: Bool?
        /// The revocation answers for the certificates below the
        /// anchor, leaf first; `nil` if another check failed before.
        let revocation: [RevocationRecord]?
    }

    package struct Leniency: Codable {
        let certificate: String
        let rule: TrustFailure.Rule
    }

    /// The purpose; missing in records of older versions.
    let purpose: TrustPolicy.Purpose?
    /// The purpose in records of older versions, in which it is missing for servers.
    let peer: TrustPolicy.Purpose?
    let host: String
    let isTrusted: Bool
    let explanation: String
    let validation: TrustPolicy.Validation
    let profile: TrustPolicy.Profile?
    /// The certificate policies, sorted; missing in records of older versions.
    let certificatePolicies: [CertificatePolicyIdentifier]?
    let paths: [Path]
    let failures: [FailureRecord]
    /// The failures that a key overrides; missing if there are none, and in records of older versions.
    let overriddenFailures: [FailureRecord]?
    let remarks: [RemarkRecord]
    let leniencies: [Leniency]
    /// The results for the timestamps; missing in records of older versions.
    let timestamps: [TimestampFinding]?
    let wanted: [RequestRecord]
    /// The certificates that were not read; missing if there are none, and in records of older versions.
    let unread: [UnreadRecord]?
    /// The use of each revocation list, and then of each OCSP response; missing in records of older versions.
    let evidence: [EvidenceRecord]?

    package init(_ verdict: Verdict) {
        (purpose, peer) = (verdict.purpose, nil)
        (host, isTrusted, explanation) = (verdict.host, verdict.isTrusted, verdict.explanation)
        (validation, profile) = (verdict.validation, verdict.profile)
        certificatePolicies = verdict.certificatePolicies.sorted { $0.description < $1.description }
        paths = verdict.paths.map { path in
            Path(
                certificates: path.certificates.map(\.fingerprint), failure: path.failure.map(FailureRecord.init),
                endsInAnchor: path.endsInAnchor, revocation: path.revocation?.map(RevocationRecord.init))
        }
        failures = verdict.failures.map(FailureRecord.init)
        overriddenFailures =
            verdict.overriddenFailures.isEmpty ? nil : verdict.overriddenFailures.map(FailureRecord.init)
        remarks = verdict.remarks.map(RemarkRecord.init)
        leniencies = verdict.leniencies.map { Leniency(certificate: $0.certificate.fingerprint, rule: $0.rule) }
        timestamps = verdict.timestamps
        wanted = verdict.wanted.map(RequestRecord.init)
        unread = verdict.unread.isEmpty ? nil : verdict.unread.map(UnreadRecord.init)
        evidence = verdict.evidence.map(EvidenceRecord.init)
    }

    /// Returns the verdict, with the certificates from the record's list.
    func verdict(with certificates: CertificateList) throws -> Verdict {
        var verdict = Verdict(host: host, validation: validation, purpose: purpose ?? peer ?? .server)
        verdict.profile = profile
        verdict.certificatePolicies = Set(certificatePolicies ?? [])
        verdict.paths = try paths.map { path in
            Verdict.Path(
                parsed: try path.certificates.map { try certificates.certificate($0).parsed },
                failure: try path.failure?.failure(with: certificates), endsInAnchor: path.endsInAnchor ?? false,
                findings: try path.revocation?.map { try $0.finding(with: certificates) })
        }
        verdict.failures = try failures.map { try $0.failure(with: certificates) }
        verdict.overriddenFailures = try (overriddenFailures ?? []).map { try $0.failure(with: certificates) }
        verdict.remarks = try remarks.map { try $0.remark(with: certificates) }
        verdict.leniencies = try leniencies.map {
            Verdict.Leniency(certificate: try certificates.certificate($0.certificate), rule: $0.rule)
        }
        verdict.timestamps = timestamps ?? []
        verdict.evidence = try (evidence ?? []).map { try $0.evidenceUse() }
        verdict.unread = try (unread ?? []).map { try $0.unread(with: certificates) }
        verdict.wanted = try wanted.map { try $0.request(with: certificates) }
        return verdict
    }
}

/// The certificates that a record refers to, without duplicates.
package struct CertificateList {
    /// The certificates in the order of their first mention.
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

extension Verdict {
    /// The certificates that the verdict mentions, without duplicates.
    package var certificates: CertificateList {
        var list = CertificateList(paths.flatMap(\.certificates))
        list.add(paths.compactMap(\.failure).flatMap(\.certificates))
        list.add((failures + overriddenFailures).flatMap(\.certificates))
        list.add(remarks.flatMap(\.certificates))
        list.add(leniencies.map(\.certificate))
        list.add(wanted.flatMap(\.certificates))
        list.add(paths.compactMap(\.findings).joined().flatMap(\.sources).compactMap(\.origin.certificate))
        list.add(unread.compactMap(\.certificate))
        return list
    }
}

extension Verdict: Codable {
    private enum Key: String, CodingKey {
        case certificates
    }

    /// Decodes a verdict written by ``encode(to:)``.
    ///
    /// - Throws: The decoder's errors, and an error if a code is unknown, or a value or certificate is missing.
    public init(from decoder: any Decoder) throws {
        let certificates = try decoder.container(keyedBy: Key.self).decode(
            [CertificateSummary].self, forKey: .certificates)
        self = try VerdictRecord(from: decoder).verdict(with: CertificateList(certificates))
    }

    /// Encodes every certificate once, and fingerprints that refer to it; each failure and remark has its stable code.
    ///
    /// - Throws: The encoder's errors.
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

    /// Decodes a failure written by ``encode(to:)``.
    ///
    /// - Throws: The decoder's errors, and an error if a code is unknown, or a value or certificate is missing.
    public init(from decoder: any Decoder) throws {
        let certificates = try decoder.container(keyedBy: Key.self).decode(
            [CertificateSummary].self, forKey: .certificates)
        self = try FailureRecord(from: decoder).failure(with: CertificateList(certificates))
    }

    /// Encodes the `code`, the values by name, and the certificates, to which the values refer by fingerprint.
    ///
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        try FailureRecord(self).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(CertificateList(certificates).all, forKey: .certificates)
    }
}

/// The JSON form of a remark: its code and associated values.
package struct RemarkRecord: Codable {
    /// The code of the remark, ``Verdict/Remark/code``.
    let code: String
    /// The explanation for the user; ignored when decoding.
    let explanation: String
    /// The certificate's fingerprint.
    var certificate: String?
    var at: Date?
    var pins: [Pin]?
    var presented: [Pin]?
    var server: RememberedServer?
    var problem: ProblemRecord?
    /// The broken hash of a signature.
    var algorithm: String?
    /// The size of a key in bits.
    var count: Int?

    init(_ remark: Verdict.Remark) {
        (code, explanation) = (remark.code, remark.explanation)
        certificate = remark.certificates.first?.fingerprint
        switch remark {
        case .pinsExpired(let day): at = day
        case .backupPinInUse(let pin): pins = [pin]
        case .pinMismatchReported(let pins, let presented): (self.pins, self.presented) = (pins, presented)
        case .notRevoked(_, let until): at = until
        case .revocationUnknown(_, let problem): self.problem = problem.map(ProblemRecord.init)
        case .stapled, .stapleFetched, .weakEvidenceAccepted: break
        case .weakSignatureAccepted(_, let algorithm): self.algorithm = algorithm
        case .weakKeyAccepted(_, let bits): count = bits
        case .logListOutdated(let time): at = time
        case .seenFirst(let server), .firstUse(let server), .knownSince(let server): self.server = server
        }
    }

    /// Returns the remark, with the certificates from the record's list.
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
        case "stapled": return .stapled(try subject())
        case "staple-fetched": return .stapleFetched(try subject())
        case "weak-signature-accepted": return .weakSignatureAccepted(try subject(), try required(algorithm))
        case "weak-key-accepted": return .weakKeyAccepted(try subject(), bits: try required(count))
        case "weak-evidence-accepted": return .weakEvidenceAccepted(try subject())
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
    /// The stable code of the remark for programs, such as `pins-expired`.
    public var code: String {
        switch self {
        case .pinsExpired: "pins-expired"
        case .backupPinInUse: "backup-pin-in-use"
        case .pinMismatchReported: "pin-mismatch-reported"
        case .notRevoked: "not-revoked"
        case .revocationUnknown: "revocation-unknown"
        case .stapled: "stapled"
        case .stapleFetched: "staple-fetched"
        case .weakSignatureAccepted: "weak-signature-accepted"
        case .weakKeyAccepted: "weak-key-accepted"
        case .weakEvidenceAccepted: "weak-evidence-accepted"
        case .logListOutdated: "log-list-outdated"
        case .seenFirst: "seen-first"
        case .firstUse: "first-use"
        case .knownSince: "known-since"
        }
    }

    var certificates: [CertificateSummary] {
        switch self {
        case .notRevoked(let certificate, _), .revocationUnknown(let certificate, _), .stapled(let certificate),
            .stapleFetched(let certificate), .weakSignatureAccepted(let certificate, _),
            .weakKeyAccepted(let certificate, _), .weakEvidenceAccepted(let certificate):
            [certificate]
        case .pinsExpired, .backupPinInUse, .pinMismatchReported, .logListOutdated, .seenFirst, .firstUse, .knownSince:
            []
        }
    }
}

/// The JSON form of a request for missing evidence.
package struct RequestRecord: Codable {
    enum Kind: String, Codable {
        case issuer
        case revocation
    }

    let kind: Kind
    /// The fingerprint of the certificate that the evidence is about.
    let certificate: String
    /// The fingerprint of the issuer's certificate.
    var issuer: String?
    /// The URLs of issuer certificates.
    var places: [String]?
    /// The URLs of OCSP responders.
    var responders: [String]?
    /// The URLs of revocation lists.
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
