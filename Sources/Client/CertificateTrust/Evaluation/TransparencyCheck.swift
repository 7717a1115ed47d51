// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import ErrorExplanations
import EssentialFoundation
import SwiftASN1
import X509

/// Compares a server certificate's signed certificate timestamps with the requirements of a policy (RFC 6962 section
/// 5.2).
struct TransparencyCheck {
    /// The limits on the cost of the timestamps that a server sends.
    private enum Limit {
        static let signatures = 32
        static let responses = 4
    }

    /// A timestamp and the results of its checks.
    private struct Reading {
        let source: TimestampFinding.Source
        var status: TimestampFinding.Status
        var timestamp: SignedCertificateTimestamp?
        var log: TransparencyLog?
    }

    let policy: CertificateTransparency
    let time: Date
    private let leaf: ParsedCertificate
    private let embedded: LoggedEntry?
    private let complete: LoggedEntry
    private var readings: [Reading] = []
    private var signatures = 0

    /// - Parameters:
    ///   - policy: The logs and the rule.
    ///   - path: A path that passed all other checks, leaf first.
    ///   - evidence: The timestamps delivered by TLS and in OCSP responses.
    ///   - time: The instant of the evaluation; a later timestamp is not accepted.
    init?(_ policy: CertificateTransparency, _ path: [ParsedCertificate], _ evidence: TrustEvidence, at time: Date) {
        guard let leaf = path.first else { return nil }
        (self.policy, self.time, self.leaf) = (policy, time, leaf)
        let issuer = path.dropFirst().first
        embedded = issuer.flatMap { LoggedEntry.beforeTimestamps(leaf, issuer: $0) }
        complete = .certificate(leaf.bytes)
        readEmbedded(hasIssuer: issuer != nil)
        if let list = evidence.timestamps {
            if let problem = list.problem { readings.append(Reading(source: .tls, status: problem.status)) }
            read(list, from: .tls)
        }
        if let issuer { readResponses(evidence.revocation.responses, issuer) }
        applyLogStates()
    }

    /// The results for all timestamps received.
    var findings: [TimestampFinding] {
        readings.map { reading in
            TimestampFinding(
                source: reading.source, status: reading.status, time: reading.timestamp?.time,
                logID: reading.timestamp.map { Base64.encode($0.logID) },
                log: reading.log?.name.printable,
                logOperator: reading.log.flatMap { log in
                    reading.timestamp.map { log.operatorName(at: $0.time).printable }
                })
        }
    }

    /// The unmet requirement of the rule; `nil` if the rule is satisfied.
    var shortfall: TransparencyShortfall? {
        let lifetime = leaf.notAfter.timeIntervalSince(leaf.notBefore) + (policy.rule.countsLastSecond ? 1 : 0)
        var closest: TransparencyShortfall?
        for criterion in policy.rule.criteria {
            guard let shortfall = shortfall(of: criterion, lifetime) else { return nil }
            if closest.map({ shortfall.logs > $0.logs }) ?? true { closest = shortfall }
        }
        return closest
    }

    // MARK: Reading

    private mutating func readEmbedded(hasIssuer: Bool) {
        guard let found = leaf.encoded.found(LoggedEntry.certificateExtension) else { return }
        do {
            let list = try TimestampList(extensionValue: found.value)
            guard hasIssuer else {
                readings.append(Reading(source: .certificate, status: .issuerUnknown))
                return
            }
            read(list, from: .certificate)
        } catch {
            readings.append(Reading(source: .certificate, status: error.status))
        }
    }

    /// Reads the timestamps in OCSP responses; the responses'
    /// signatures do not matter, because the logs sign the timestamps.
    private mutating func readResponses(_ responses: [RevocationEvidence.Response], _ issuer: ParsedCertificate) {
        guard !responses.isEmpty,
            let subject = try? RevocationSubject(leaf, issuer: issuer)
        else { return }
        let values = responses.lazy.compactMap { $0.response.timestamps(of: subject) }.prefix(Limit.responses)
        for value in values {
            do {
                read(try TimestampList(extensionValue: value), from: .ocsp)
            } catch {
                readings.append(Reading(source: .ocsp, status: error.status))
            }
        }
    }

    private mutating func read(_ list: TimestampList, from source: TimestampFinding.Source) {
        for element in list.elements {
            switch element {
            case .unsupportedVersion: readings.append(Reading(source: source, status: .unsupportedVersion))
            case .malformed: readings.append(Reading(source: source, status: .malformed))
            case .timestamp(let timestamp):
                let log = policy.logs.log(withID: timestamp.logID)
                readings.append(
                    Reading(
                        source: source, status: verify(timestamp, log, source), timestamp: timestamp, log: log))
            }
        }
    }

    /// Checks a timestamp except for the state of its log, with the cheap checks first.
    private mutating func verify(
        _ timestamp: SignedCertificateTimestamp, _ log: TransparencyLog?, _ source: TimestampFinding.Source
    ) -> TimestampFinding.Status {
        guard let log else { return .unknownLog }
        guard timestamp.time <= time else { return .inFuture }
        if let interval = log.interval, !interval.contains(leaf.notAfter) { return .outsideInterval }
        guard let key = log.key, let algorithm = timestamp.algorithm,
            let entry = source == .certificate ? embedded : complete
        else { return .unsupportedAlgorithm }
        guard signatures < Limit.signatures else { return .notChecked }
        signatures += 1
        // A key of another type does not verify the signature.
        let isValid = key.isValidSignature(
            timestamp.signature, for: entry.signedBytes(timestamp), signatureAlgorithm: algorithm.certificateAlgorithm)
        return isValid ? .valid : .badSignature
    }

    /// Updates the status of valid timestamps if their log is not accepted, was retired, or has another timestamp.
    private mutating func applyLogStates() {
        let times = readings.filter { $0.status == .valid && $0.log?.canCount == true }.compactMap(\.timestamp?.time)
        let earliest = policy.rule.usesEarliestTimestampForRetirement ? times.min() : nil
        var seen: [TimestampFinding.Source: Set<[UInt8]>] = [:]
        for index in readings.indices where readings[index].status == .valid {
            guard let log = readings[index].log, let own = readings[index].timestamp?.time else { continue }
            let status = log.status(ofTimestampFrom: min(own, earliest ?? own), at: time)
            readings[index].status = status
            guard status == .valid || status == .retiredSince else { continue }
            if !seen[readings[index].source, default: []].insert(log.id).inserted {
                readings[index].status = .repeated
            }
        }
    }

    // MARK: Counting

    private func shortfall(
        of criterion: CertificateTransparencyRule.Criterion, _ lifetime: TimeInterval
    ) -> TransparencyShortfall? {
        let counted = readings.filter { reading in
            guard criterion.sources.contains(reading.source) else { return false }
            let outlives = criterion.countsRetiredLogs && reading.source == .certificate
            return reading.status == .valid || outlives && reading.status == .retiredSince
        }
        var logsByOperator: [String: Set<[UInt8]>] = [:]
        for reading in counted {
            guard let log = reading.log, let own = reading.timestamp?.time else { continue }
            logsByOperator[log.operatorName(at: own), default: []].insert(log.id)
        }
        let logsOfOne = criterion.logsOfOneOperator.value(for: lifetime)
        let logs = Set(logsByOperator.values.joined()).count
        let capped = logsByOperator.values.reduce(0) { $0 + min($1.count, logsOfOne) }
        let needed = criterion.logs.value(for: lifetime)
        let reason: TransparencyShortfall.Reason? =
            if readings.isEmpty {
                .noTimestamps
            } else if min(logs, capped) < needed {
                // If only the limit per operator prevents success, the certificate lacks operators.
                logs < needed ? .tooFewLogs : .tooFewOperators
            } else if logsByOperator.count < criterion.operators {
                .tooFewOperators
            } else if !counted.contains(where: { $0.status == .valid }) {
                .noCurrentLog
            } else if criterion.needsRFC6962Log, !counted.contains(where: { $0.log?.isRFC6962 == true }) {
                .noRFC6962Log
            } else if let demanded = criterion.demandedSources,
                !counted.contains(where: { demanded.contains($0.source) })
            {
                .tooFewLogs
            } else {
                nil
            }
        return reason.map {
            TransparencyShortfall(
                reason: $0, rule: policy.rule.name, logs: logs, neededLogs: needed, operators: logsByOperator.count,
                neededOperators: logsOfOne < needed
                    ? max(criterion.operators, (needed + logsOfOne - 1) / logsOfOne) : criterion.operators)
        }
    }
}

extension TransparencyLog {
    /// Whether the log's timestamps can count; if it is retired, only those from before its retirement can.
    fileprivate var canCount: Bool {
        switch state {
        case .qualified, .usable, .readOnly, .retired: !isTest
        case .pending, .rejected, .unknown: false
        }
    }

    /// Returns the status of a timestamp with a valid signature of the log.
    fileprivate func status(ofTimestampFrom own: Date, at time: Date) -> TimestampFinding.Status {
        guard canCount else { return .logNotAccepted }
        guard case .retired(let since) = state, since <= time else { return .valid }
        return own < since ? .retiredSince : .logRetired
    }
}

extension SignedCertificateTimestamp.Algorithm {
    fileprivate var certificateAlgorithm: Certificate.SignatureAlgorithm {
        switch self {
        case .ecdsaWithSHA256: .ecdsaWithSHA256
        case .rsaWithSHA256: .sha256WithRSAEncryption
        }
    }
}

extension TimestampListError {
    fileprivate var status: TimestampFinding.Status {
        switch self {
        case .malformed: .listMalformed
        case .tooMany: .listTooLong
        }
    }
}

extension OCSPResponse {
    /// Returns the value of the timestamp extension in the response for a certificate.
    fileprivate func timestamps(of subject: RevocationSubject) -> ArraySlice<UInt8>? {
        guard case .basic(let basic) = content else { return nil }
        return basic.answers.lazy.filter { OCSPCertificateID.isEqual($0.certificateID, to: subject) }
            .flatMap(\.extensions).first { OCSPIdentifiers.isEqual($0.identifier, LoggedEntry.responseExtension) }?
            .value
    }
}
