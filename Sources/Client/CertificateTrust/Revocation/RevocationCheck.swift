// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation
package import X509

/// The check of a certificate's revocation status with lists and OCSP responses (RFC 5280 section 6.3, RFC 6960).
package enum RevocationCheck {
    /// Returns the status from all lists and responses; one that shows a revocation outweighs the others.
    ///
    /// - Parameters:
    ///   - certificate: The certificate to check.
    ///   - issuer: The certificate above it in a path that passed all other checks.
    ///   - evidence: The lists and responses, possibly about other certificates too.
    ///   - time: The instant at which the evidence must be valid.
    /// - Returns: Revoked, unless a hold was released; else unusable if the budget is exhausted; else good; else
    ///   unusable with the first of several problems; else absent.
    package static func status(
        of certificate: Certificate, issuedBy issuer: Certificate, evidence: RevocationEvidence, at time: Date
    ) -> RevocationStatus {
        var signers = NoFurtherSigners()
        return result(
            for: ParsedCertificate(certificate), issuedBy: ParsedCertificate(issuer), signers: &signers,
            evidence: evidence, at: time, within: EvaluationBudget()
        ).status
    }

    /// Returns the status from all lists and responses; signers other than the issuer may have signed the lists.
    ///
    /// Staples are used only for the server's certificate.
    ///
    /// - Returns: The status, that of the stapled responses alone, and the use of each list and then of each response.
    static func result(
        for certificate: ParsedCertificate, issuedBy issuer: ParsedCertificate,
        signers: inout some RevocationListSigners,
        evidence: RevocationEvidence, usesStaples: Bool = true, at time: Date, distrusted: Distrust = Distrust(),
        within evaluation: EvaluationBudget
    ) -> RevocationResult {
        guard evidence != RevocationEvidence() else { return RevocationResult() }
        guard let subject = try? RevocationSubject(certificate, issuer: issuer) else {
            let count = evidence.lists.count + evidence.responses.count
            return RevocationResult(
                status: .unusable(.malformed), uses: .init(repeating: .unrelated, count: count))
        }
        let listed = ListedStatus(subject: subject, time: time, evaluation: evaluation).statements(
            in: evidence.lists, signers: &signers)
        var (statements, uses, answers) = (listed.statements, listed.uses, listed.answers)
        // The server chooses the stapled responses, so their signatures are counted separately from those of the lists.
        var budget = SignatureBudget(within: evaluation)
        let responders = DelegatedResponders(
            issuer: issuer, time: time, lists: evidence.lists, distrusted: distrusted, evaluation: evaluation)
        var stapled: [RevocationStatement]?
        for one in evidence.responses {
            let isRequested = one.isStapled || one.origin.certificate?.parsed == certificate
            guard usesStaples || !one.isStapled else {
                uses.append(.unrelated)
                answers.append(nil)
                continue
            }
            var own: [RevocationStatement]
            do throws(RevocationProblem) {
                let found = try one.response.statements(
                    about: subject, nonce: one.nonce, responders: responders, at: time, budget: &budget)
                // A given response may be about any certificate of the path, and a staple only about the server's.
                let other = RevocationStatus.unusable(one.response.mismatch(with: subject))
                own = found?.statements ?? (isRequested ? [.init(status: other)] : [])
                uses.append(found.map { .read($0.fault) } ?? .unrelated)
            } catch {
                own = [.init(status: .unusable(error))]
                uses.append(.unusable(error))
            }
            statements += own
            answers.append(RevocationAnswer(own.status))
            if one.isStapled { stapled = (stapled ?? []) + own }
        }
        for silence in evidence.silent {
            let isRequested = silence.origin.certificate.map { $0.parsed == certificate } ?? true
            if isRequested { statements.append(.init(status: .unusable(silence.problem))) }
            answers.append(isRequested ? .unknown(silence.problem) : nil)
        }
        let sources = zip(evidence.origins, answers).compactMap { origin, answer in
            answer.map { RevocationSourceAnswer(origin: origin, answer: $0) }
        }
        return RevocationResult(status: statements.status, stapled: stapled?.status, uses: uses, sources: sources)
    }
}

extension RevocationAnswer {
    /// Makes the answer that a status is; `nil` without a status.
    init?(_ status: RevocationStatus) {
        switch status {
        case .good(let until): self = .good(until: until)
        case .revoked(let time, let reason): self = .revoked(at: time, reason: reason)
        case .unusable(let problem): self = .unknown(problem)
        case .absent: return nil
        }
    }
}

/// The result of the check of one certificate.
struct RevocationResult {
    var status = RevocationStatus.absent
    /// The status in the stapled responses alone; `nil` if there are none.
    var stapled: RevocationStatus?
    /// The use of each list, and then of each response.
    var uses: [EvidenceUse] = []
    /// The answers of the sources that are about the certificate, or were asked about it.
    var sources: [RevocationSourceAnswer] = []
}

/// The revocation status of a certificate, from lists and OCSP responses.
package enum RevocationStatus: Hashable, Sendable {
    /// The certificate is not revoked; the statement is valid until the given time.
    case good(until: Date)
    /// The certificate was revoked at the given time.
    case revoked(at: Date, reason: RevocationReason)
    /// There are lists or responses about the certificate, but none is usable. Holds the problem of one of them.
    case unusable(RevocationProblem)
    /// No list or response is about this certificate.
    case absent

    /// Returns the combination of two statuses: revoked has priority over good, good over unusable, and the later of
    /// two good ones counts.
    ///
    /// An exhausted budget has priority over good, because evidence left unread may show a revocation.
    func combined(with other: RevocationStatus) -> RevocationStatus {
        switch (self, other) {
        case (.good(let one), .good(let two)): .good(until: max(one, two))
        default: other.weight > weight ? other : self
        }
    }

    private var weight: Int {
        switch self {
        case .absent: 0
        case .unusable(.budgetExhausted): 3
        case .unusable: 1
        case .good: 2
        case .revoked: 4
        }
    }
}

/// The status of a certificate in one list or response, and the issuing time of that list or response.
struct RevocationStatement {
    let status: RevocationStatus
    var issued = Date.distantPast
}

extension [RevocationStatement] {
    /// The combined status: any statement that shows that the certificate is revoked has priority.
    ///
    /// The exception is a hold, the only temporary revocation (RFC 5280 section 5.3.1): a later statement that the
    /// certificate is good has released it.
    var status: RevocationStatus {
        let good = filter { if case .good = $0.status { true } else { false } }.map(\.issued).max()
        return reduce(.absent) { status, one in
            if case .revoked(_, .certificateHold) = one.status, let good, one.issued < good { return status }
            return status.combined(with: one.status)
        }
    }
}

/// The certificate to check, and its identifiers in lists and responses.
struct RevocationSubject {
    let certificate: ParsedCertificate
    let issuer: ParsedCertificate
    /// The content octets of the serial number.
    let serialNumber: ArraySlice<UInt8>
    /// The issuer's name in the certificate, with tag and length.
    let issuerName: ArraySlice<UInt8>
    /// The bits of the issuer's key, from which key hashes are computed.
    let issuerKey: ArraySlice<UInt8>
    let isAuthority: Bool
    let distributionPoints: [DistributionPoint]

    init(_ certificate: ParsedCertificate, issuer: ParsedCertificate) throws(RevocationEncodingError) {
        (self.certificate, self.issuer) = (certificate, issuer)
        serialNumber = certificate.fields.serialNumber
        issuerName = certificate.fields.issuer
        issuerKey = try issuer.keyBits()
        isAuthority = certificate.isAuthority
        let points = certificate.encoded.found(ExtensionNumber.distributionPoints)?.value
        distributionPoints = points.flatMap { try? DistributionPoint.all($0) } ?? []
    }
}

extension ParsedCertificate {
    /// Returns the subjectPublicKey without tag, length and the octet of unused bits (RFC 6960 section 4.1.1).
    func keyBits() throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        var outer = DERReader(fields.publicKeyInfo)
        var parts = try outer.open(DERTag.sequence, .certificate)
        _ = try parts.take(DERTag.sequence, .certificate)
        let bits = try parts.take(DERTag.bitString, .certificate).content
        guard bits.first == 0 else { throw .malformed(.certificate) }
        return bits.dropFirst()
    }

    /// Returns whether the certificate has the same key as another one, even if only one of the keys is restricted to
    /// RSASSA-PSS.
    func hasSameKey(as other: ParsedCertificate) -> Bool {
        guard let bits = try? keyBits(), let others = try? other.keyBits() else { return true }
        return bits == others
    }
}

/// The validity periods of lists and responses.
enum RevocationDates {
    /// The tolerated clock skew, in seconds.
    private static let skew: TimeInterval = 300
    /// The validity of a response without nextUpdate, in seconds.
    ///
    /// Without nextUpdate, newer information is always available (RFC 6960 section 4.2.2.1), and RFC 5019 section 4
    /// rejects such a response; private responders send them (OpenSSL 3.0 without `-ndays`), and a limit of one day
    /// bounds replays.
    private static let unlimited: TimeInterval = 86400

    /// Returns whether an instant is in the past, with the tolerated clock skew.
    static func isPast(_ instant: Date, at time: Date) -> Bool { instant <= time + skew }

    static func end(thisUpdate: Date, nextUpdate: Date?) -> Date {
        nextUpdate ?? thisUpdate + unlimited
    }
}
