// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
