// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation
package import X509

/// Whether a certificate is revoked, by what was handed over (RFC 5280 section 6.3, RFC 6960).
package enum RevocationCheck {
    /// Asks every list and response: any that shows it revoked decides.
    ///
    /// - Parameters:
    ///   - certificate: The certificate that is asked about.
    ///   - issuer: The certificate above it in a path that is otherwise good.
    ///   - evidence: What may be about it, and about others.
    ///   - time: The instant at which the evidence has to hold.
    /// - Returns: Revoked before good before unusable; of several problems the first.
    package static func status(
        of certificate: Certificate, issuedBy issuer: Certificate, evidence: RevocationEvidence, at time: Date
    ) -> RevocationStatus {
        var signers = IssuerAlone()
        return result(
            for: ParsedCertificate(certificate), issuedBy: ParsedCertificate(issuer), signers: &signers,
            evidence: evidence, at: time, within: EvaluationBudget()
        ).status
    }

    /// Asks every list and response; lists may be signed by others than the issuer.
    ///
    /// - Returns: The status, and the use of each list, and then of each response.
    static func result(
        for certificate: ParsedCertificate, issuedBy issuer: ParsedCertificate,
        signers: inout some RevocationListSigners,
        evidence: RevocationEvidence, at time: Date, distrusted: Distrust = Distrust(),
        within evaluation: EvaluationBudget
    ) -> (status: RevocationStatus, uses: [EvidenceUse]) {
        guard !evidence.lists.isEmpty || !evidence.responses.isEmpty else { return (.absent, []) }
        guard let subject = try? RevocationSubject(certificate, issuer: issuer) else {
            let count = evidence.lists.count + evidence.responses.count
            return (.unusable(.malformed), .init(repeating: .unrelated, count: count))
        }
        var (statements, uses) = ListedStatus(subject: subject, time: time, evaluation: evaluation).statements(
            in: evidence.lists, signers: &signers)
        // A server chooses which responses it staples, so their signatures are counted apart from those of the lists.
        var budget = SignatureBudget(within: evaluation)
        let responders = DelegatedResponders(
            issuer: issuer, time: time, lists: evidence.lists, distrusted: distrusted, evaluation: evaluation)
        for one in evidence.responses {
            do throws(RevocationProblem) {
                let found = try one.response.statements(
                    about: subject, nonce: one.nonce, responders: responders, at: time, budget: &budget)
                statements += found?.statements ?? []
                uses.append(found.map { .read($0.fault) } ?? .unrelated)
            } catch {
                statements.append(.init(status: .unusable(error)))
                uses.append(.unusable(error))
            }
        }
        return (statements.status, uses)
    }
}

/// The revocation status of a certificate, from lists and OCSP responses.
package enum RevocationStatus: Hashable, Sendable {
    /// The certificate is not revoked; the statement is valid until the given time.
    case good(until: Date)
    /// The certificate was revoked at the given time.
    case revoked(at: Date, reason: RevocationReason)
    /// There are lists or responses about the certificate, and none of them can be used. Holds a problem of one of them.
    case unusable(RevocationProblem)
    /// None of the given lists and responses is about this certificate.
    case absent

    /// Revoked outdoes good, which outdoes what is unusable; of two good ones the longer counts.
    ///
    /// Where the checks were given up, good is not known to be all.
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

/// The status of a certificate by one list, or by one answer of a responder, and when it was issued.
struct RevocationStatement {
    let status: RevocationStatus
    var issued = Date.distantPast
}

extension [RevocationStatement] {
    /// All of them together: any that shows the certificate revoked decides.
    ///
    /// The exception is a hold, the one revocation that ends (RFC 5280 section 5.3.1): a later statement that the certificate is good has
    /// released it.
    var status: RevocationStatus {
        let good = filter { if case .good = $0.status { true } else { false } }.map(\.issued).max()
        return reduce(.absent) { status, one in
            if case .revoked(_, .certificateHold) = one.status, let good, one.issued < good { return status }
            return status.combined(with: one.status)
        }
    }
}

/// The certificate that is asked about, and what lists and responses know it by.
struct RevocationSubject {
    let certificate: ParsedCertificate
    let issuer: ParsedCertificate
    /// As it was encoded.
    let serialNumber: ArraySlice<UInt8>
    /// The name of the issuer as the certificate has it, with tag and length.
    let issuerName: ArraySlice<UInt8>
    /// The bits of the issuer's key, which identifiers are the hash of.
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
    /// The subjectPublicKey without tag, length and count of unused bits (RFC 6960 section 4.1.1).
    func keyBits() throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        var outer = DERReader(fields.publicKeyInfo)
        var parts = try outer.open(DERTag.sequence, .certificate)
        _ = try parts.take(DERTag.sequence, .certificate)
        let bits = try parts.take(DERTag.bitString, .certificate).content
        guard bits.first == 0 else { throw .malformed(.certificate) }
        return bits.dropFirst()
    }
}

/// When lists and responses may be believed.
enum RevocationDates {
    /// How far clocks may be apart, in seconds.
    private static let skew: TimeInterval = 300
    /// How long a response holds that does not say, in seconds.
    ///
    /// RFC 6960 section 4.2.2.1 then promises newer information at any time, and RFC 5019 section 4 refuses it; private
    /// responders send such ones (OpenSSL 3.0 without `-ndays`), and a day bounds for how long one can be replayed.
    private static let unlimited: TimeInterval = 86400

    /// Whether an instant has come, as far as clocks agree.
    static func isPast(_ instant: Date, at time: Date) -> Bool { instant <= time + skew }

    static func end(thisUpdate: Date, nextUpdate: Date?) -> Date {
        nextUpdate ?? thisUpdate + unlimited
    }
}
