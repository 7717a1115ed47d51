// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import X509

/// Determines the status of a certificate from revocation lists (RFC 5280 section 6.3.3).
struct ListedStatus {
    /// A verified list and its entry for the certificate.
    private struct Reading {
        let list: CertificateRevocationList
        /// The signer's SubjectPublicKeyInfo.
        let signer: ArraySlice<UInt8>
        let reasons: RevocationReasons
        /// The fault that prevents the list from showing that the certificate is good.
        var fault: RevocationProblem?
        let entry: RevokedEntry?

        /// The entry, if it revokes the certificate.
        var revocation: RevokedEntry? { entry.flatMap { $0.isRemoval ? nil : $0 } }
        /// The time until which the list can show that the certificate is good.
        var until: Date { list.nextUpdate ?? list.thisUpdate }

        /// Returns whether the list is a delta for a base list, with the same signing key (step c).
        func isDelta(of base: Reading) -> Bool {
            fault == nil && signer == base.signer && base.list.isBase(of: list)
        }

        /// Returns whether another delta of the same key is newer and contains all changes of this one.
        func isReplaced(by other: Reading) -> Bool {
            other.fault == nil && signer == other.signer && list.isDeltaReplaced(by: other.list)
        }

        /// Returns the statement that an entry makes.
        func revokes(by entry: RevokedEntry) -> RevocationStatement {
            let time = entry.revocationDate ?? list.thisUpdate
            return RevocationStatement(status: .revoked(at: time, reason: entry.reason), issued: list.thisUpdate)
        }
    }

    let subject: RevocationSubject
    let time: Date
    let evaluation: EvaluationBudget

    /// Returns the statements of all lists; several lists that together
    /// cover all reasons are equivalent to one that covers all.
    ///
    /// The issuer's own lists have a separate budget, so that other
    /// lists and signers cannot prevent them from being read.
    ///
    /// - Returns: The statements about the certificate, and for each list its use and its own answer; `nil` for a list
    ///   that is not about the certificate and was not requested for it.
    func statements(
        in lists: [CertificateRevocationList], signers: inout some RevocationListSigners
    ) -> (statements: [RevocationStatement], uses: [EvidenceUse], answers: [RevocationAnswer?]) {
        var (readings, deltas, problems) = ([Reading](), [Reading](), [RevocationProblem]())
        var (own, others) = (SignatureBudget(within: evaluation), SignatureBudget(within: evaluation))
        var deferred: [(index: Int, problem: RevocationProblem)] = []
        var uses = [EvidenceUse](repeating: .unrelated, count: lists.count)
        var read: [Int: Reading] = [:]
        func note(_ reading: Reading?, at index: Int) {
            guard let reading else {
                if lists[index].origin.certificate?.parsed == subject.certificate { problems.append(.otherIssuer) }
                return
            }
            uses[index] = .read(reading.fault)
            read[index] = reading
            if reading.list.isDelta { deltas.append(reading) } else { readings.append(reading) }
        }
        func note(_ problem: RevocationProblem, at index: Int) {
            uses[index] = .unusable(problem)
            problems.append(problem)
        }
        for (index, list) in lists.enumerated() {
            do throws(RevocationProblem) {
                note(try reading(of: list, signedBy: subject.issuer, &own), at: index)
            } catch {
                if [.badSignature, .signerNotAuthorized].contains(error) {
                    deferred.append((index, error))
                } else {
                    note(error, at: index)
                }
            }
        }
        for (index, problem) in deferred {
            do throws(RevocationProblem) {
                note(try reading(of: lists[index], signedByOneOf: &signers, or: problem, &others), at: index)
            } catch {
                note(error, at: index)
            }
        }
        let unusable = problems.map { RevocationStatement(status: .unusable($0)) }
        let answers = zip(lists, uses).enumerated().map { index, one -> RevocationAnswer? in
            switch one.1 {
            case .unusable(let problem): .unknown(problem)
            case .read: read[index].map { self.answer(of: $0, besides: readings) }
            case .unrelated, .notReached:
                one.0.origin.certificate?.parsed == subject.certificate ? .unknown(.otherIssuer) : nil
            }
        }
        return (unusable + complete(readings, deltas) + Self.revocations(deltas, besides: readings), uses, answers)
    }

    /// Returns the answer of a list by itself; a delta needs one of the other lists as its base.
    private func answer(of reading: Reading, besides others: [Reading]) -> RevocationAnswer {
        if let entry = reading.revocation, case .revoked(let time, let reason) = reading.revokes(by: entry).status {
            return .revoked(at: time, reason: reason)
        }
        if let fault = reading.fault { return .unknown(fault) }
        if reading.list.isDelta, !others.contains(where: reading.isDelta) { return .unknown(.deltaList) }
        return reading.reasons == .all ? .good(until: reading.until) : .unknown(.partialList)
    }

    private func complete(_ readings: [Reading], _ deltas: [Reading]) -> [RevocationStatement] {
        var statements: [RevocationStatement] = []
        var (covered, coveredUntil, issued) = (RevocationReasons(), Date.distantFuture, Date.distantFuture)
        for reading in readings {
            // Each delta contains all changes since its base, so only the latest one counts.
            let fitting = deltas.filter { $0.isDelta(of: reading) }
            let delta = fitting.first { one in
                !fitting.contains { CertificateRevocationList.isOlder(one.list, than: $0.list) }
            }
            let until = min(reading.until, delta?.until ?? reading.until)
            let latest = max(reading.list.thisUpdate, delta?.list.thisUpdate ?? .distantPast)
            if let delta, let entry = delta.revocation {
                statements.append(delta.revokes(by: entry))
            } else if delta?.entry == nil, let entry = reading.revocation {
                statements.append(reading.revokes(by: entry))
            } else if let fault = reading.fault {
                statements.append(.init(status: .unusable(fault)))
            } else if reading.reasons == .all {
                statements.append(.init(status: .good(until: until), issued: latest))
            } else {
                statements.append(.init(status: .unusable(.partialList)))
                guard !reading.reasons.isEmpty else { continue }
                covered.formUnion(reading.reasons)
                (coveredUntil, issued) = (min(coveredUntil, until), min(issued, latest))
            }
        }
        if covered == .all { statements.append(.init(status: .good(until: coveredUntil), issued: issued)) }
        return statements
    }

    /// Returns the statements of deltas without their base; a delta alone can show only that a certificate is revoked.
    private static func revocations(_ deltas: [Reading], besides readings: [Reading]) -> [RevocationStatement] {
        deltas.filter { delta in !deltas.contains(where: delta.isReplaced) }.compactMap { delta in
            if let entry = delta.revocation { return delta.revokes(by: entry) }
            return readings.isEmpty ? .init(status: .unusable(delta.fault ?? .deltaList)) : nil
        }
    }

    /// Reads a revocation list that must be signed by the given certificate.
    ///
    /// - Returns: The list and its entry; `nil` if the list does not cover the certificate's issuer.
    private func reading(
        of list: CertificateRevocationList, signedBy issuer: ParsedCertificate, _ budget: inout SignatureBudget
    ) throws(RevocationProblem) -> Reading? {
        guard let scope = try list.scope(for: subject) else { return nil }
        guard RevocationDates.isPast(list.thisUpdate, at: time) else { throw .notYetValid }
        let entry = list.entries.entry(
            for: subject.serialNumber, of: subject.certificate.issuer, listedBy: list.issuerKey)
        // An issuer may have hundreds of lists for subsets of its
        // certificates; the signatures of the other lists are not needed.
        if entry == nil, scope.fault == .wrongScope { throw .wrongScope }
        guard list.issuerKey == issuer.subject else { throw .signerNotAuthorized }
        // The key usage extension, if present, must allow signing lists.
        if issuer.keyUsage.isPresent, issuer.keyUsage.value?.cRLSign != true { throw .signerNotAuthorized }
        let weakness = try list.signed.checkSignature(by: issuer, budget: &budget)
        return Reading(
            list: list, signer: issuer.fields.publicKeyInfo, reasons: scope.reasons,
            fault: scope.fault ?? weakness ?? list.fault(at: time), entry: entry)
    }

    /// Reads a revocation list that must be signed by one of the other possible signers (steps f and g).
    private func reading(
        of list: CertificateRevocationList, signedByOneOf signers: inout some RevocationListSigners,
        or problem: RevocationProblem, _ budget: inout SignatureBudget
    ) throws(RevocationProblem) -> Reading? {
        var problem = problem
        let candidates = try signers.candidates(
            named: list.issuerKey, key: list.signingKey, for: subject, budget: &budget)
        for candidate in candidates {
            do throws(RevocationProblem) {
                guard var reading = try reading(of: list, signedBy: candidate, &budget) else { return nil }
                if try signers.isTrusted(candidate, for: subject, toRevoke: false) { return reading }
                guard reading.revocation != nil, try signers.isTrusted(candidate, for: subject, toRevoke: true) else {
                    throw .signerNotAuthorized
                }
                reading.fault = .signerNotAuthorized
                return reading
            } catch {
                problem = error
                if error == .budgetExhausted { break }
            }
        }
        throw problem
    }
}

/// Finds signers of revocation lists other than the key that signed the
/// certificate: the issuer's other keys, and the issuers of indirect lists.
protocol RevocationListSigners {
    /// Returns the certificates with the given name whose key usage allows signing
    /// lists, and which an authority above the subject has signed.
    ///
    /// - Parameters:
    ///   - name: The issuer of the list.
    ///   - key: The identifier of the key that signed the list; `nil` if the list does not state it.
    ///   - subject: The certificate whose status is checked.
    ///   - budget: The budget for signature checks.
    /// - Returns: The candidates, those with the key identifier first.
    /// - Throws: ``RevocationProblem/budgetExhausted``.
    mutating func candidates(
        named name: NameKey, key: ArraySlice<UInt8>?, for subject: RevocationSubject, budget: inout SignatureBudget
    ) throws(RevocationProblem) -> [ParsedCertificate]

    /// Returns whether a candidate has a path that ends in the anchor of the checked path and does not contain the
    /// subject (RFC 5280 section 6.3.3 step f).
    ///
    /// - Parameters:
    ///   - candidate: The signer.
    ///   - subject: The certificate whose status is checked.
    ///   - toRevoke: Whether the signer only needs to show that the subject is revoked: then its certificate may have
    ///     expired, and its own revocation status may be unknown.
    /// - Returns: Whether the candidate may sign the list.
    /// - Throws: ``RevocationProblem/budgetExhausted``.
    mutating func isTrusted(
        _ candidate: ParsedCertificate, for subject: RevocationSubject, toRevoke: Bool
    ) throws(RevocationProblem) -> Bool
}

/// Allows no signers except the issuer itself.
struct NoFurtherSigners: RevocationListSigners {
    func candidates(
        named name: NameKey, key: ArraySlice<UInt8>?, for subject: RevocationSubject, budget: inout SignatureBudget
    ) -> [ParsedCertificate] { [] }
    func isTrusted(_ candidate: ParsedCertificate, for subject: RevocationSubject, toRevoke: Bool) -> Bool { false }
}
