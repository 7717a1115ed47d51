// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether lists show that a certificate is revoked (RFC 5280 section 6.3.3).
struct ListedStatus {
    /// A list that was checked, and what it says of the certificate.
    private struct Reading {
        let list: CertificateRevocationList
        /// The SubjectPublicKeyInfo of its signer.
        let signer: ArraySlice<UInt8>
        let reasons: RevocationReasons
        let until: Date
        let entry: RevokedEntry?

        /// Whether it changes a list, which the same key has to have signed (step c).
        func isDelta(of base: Reading) -> Bool { signer == base.signer && base.list.isBase(of: list) }

        /// Whether another delta of the same key has all that it has, and is newer.
        func isReplaced(by other: Reading) -> Bool { signer == other.signer && list.isDeltaReplaced(by: other.list) }
    }

    let subject: RevocationSubject
    let time: Date
    let evaluation: EvaluationBudget

    /// Asks every list; several that cover some reasons each are as good as one that covers all.
    ///
    /// The issuer's own lists have a budget of their own, so that other lists and other signers cannot keep them from being read.
    func status(in lists: [CertificateRevocationList], signers: inout some RevocationListSigners) -> RevocationStatus {
        var status = RevocationStatus.absent
        var (readings, deltas) = ([Reading](), [Reading]())
        var (own, others) = (SignatureBudget(within: evaluation), SignatureBudget(within: evaluation))
        var left: [(list: CertificateRevocationList, problem: RevocationProblem)] = []
        func note(_ list: CertificateRevocationList, _ reading: Reading?) {
            guard let reading else { return }
            if list.isDelta { deltas.append(reading) } else { readings.append(reading) }
        }
        for list in lists {
            do throws(RevocationProblem) {
                guard let reading = try reading(of: list, signedBy: subject.issuer, &own) else { continue }
                note(list, reading)
            } catch {
                if [.badSignature, .signerNotAuthorized].contains(error) {
                    left.append((list, error))
                } else {
                    status = status.combined(with: .unusable(error))
                }
            }
        }
        for (list, problem) in left {
            do throws(RevocationProblem) {
                note(list, try reading(of: list, signedByOneOf: &signers, or: problem, &others))
            } catch {
                status = status.combined(with: .unusable(error))
            }
        }
        return combined(readings, deltas, status)
    }

    private func combined(
        _ readings: [Reading], _ deltas: [Reading], _ status: RevocationStatus
    ) -> RevocationStatus {
        var status = status
        var (covered, coveredUntil) = (RevocationReasons(), Date.distantFuture)
        for reading in readings {
            // Each delta has all changes since its base, so that the latest one counts.
            let fitting = deltas.filter { $0.isDelta(of: reading) }
            let delta = fitting.first { one in
                !fitting.contains { CertificateRevocationList.isOlder(one.list, than: $0.list) }
            }
            let until = min(reading.until, delta?.until ?? reading.until)
            let entry = delta?.entry.map { $0.isRemoval ? nil : $0 } ?? reading.entry
            if let entry {
                status = status.combined(with: .revoked(at: entry.revocationDate, reason: entry.reason))
            } else if reading.reasons == .all {
                status = status.combined(with: .good(until: until))
            } else {
                status = status.combined(with: .unusable(.partialList))
                guard !reading.reasons.isEmpty else { continue }
                covered.formUnion(reading.reasons)
                coveredUntil = min(coveredUntil, until)
            }
        }
        if covered == .all { status = status.combined(with: .good(until: coveredUntil)) }
        // A delta shows by itself that a certificate is revoked; that one is not takes its base.
        for delta in deltas where !deltas.contains(where: { delta.isReplaced(by: $0) }) {
            guard let entry = delta.entry, !entry.isRemoval else {
                if readings.isEmpty { status = status.combined(with: .unusable(.deltaList)) }
                continue
            }
            status = status.combined(with: .revoked(at: entry.revocationDate, reason: entry.reason))
        }
        return status
    }

    /// Reads a list that one certificate has to have signed.
    ///
    /// - Returns: `nil` where the list is another issuer's.
    private func reading(
        of list: CertificateRevocationList, signedBy issuer: ParsedCertificate, _ budget: inout SignatureBudget
    ) throws(RevocationProblem) -> Reading? {
        guard let reasons = try list.reasons(for: subject) else { return nil }
        let until = try list.check(at: time)
        guard list.issuerKey == issuer.subject else { throw .signerNotAuthorized }
        // A key usage, where there is one, allows lists.
        if issuer.keyUsage.isPresent, issuer.keyUsage.value?.cRLSign != true { throw .signerNotAuthorized }
        try list.signed.checkSignature(by: issuer, budget: &budget)
        return Reading(
            list: list, signer: issuer.fields.publicKeyInfo, reasons: reasons, until: until, entry: try entry(in: list))
    }

    /// Reads a list that another certificate has to have signed (steps f and g).
    private func reading(
        of list: CertificateRevocationList, signedByOneOf signers: inout some RevocationListSigners,
        or problem: RevocationProblem, _ budget: inout SignatureBudget
    ) throws(RevocationProblem) -> Reading? {
        var problem = problem
        let candidates = try signers.candidates(
            named: list.issuerKey, key: list.signingKey, for: subject, budget: &budget)
        for candidate in candidates {
            do throws(RevocationProblem) {
                guard let reading = try reading(of: list, signedBy: candidate, &budget) else { return nil }
                guard try signers.isTrusted(candidate, for: subject) else { throw .signerNotAuthorized }
                return reading
            } catch {
                problem = error
                if error == .budgetExhausted { break }
            }
        }
        throw problem
    }

    private func entry(in list: CertificateRevocationList) throws(RevocationProblem) -> RevokedEntry? {
        do {
            return try list.entries.entry(
                for: subject.serialNumber, of: subject.certificate.issuer, listedBy: list.issuerKey)
        } catch {
            throw .malformed
        }
    }
}
