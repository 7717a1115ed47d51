// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation

/// The number of logs, and of their operators, that must have promised to include a server's certificate.
///
/// Timestamps of one log count once. Operators are distinguished by their names in the log list. An operator with two
/// names would count as two, so the list must come from a publisher that prevents this, such as Google or Apple. If a
/// log changed hands, its operator at the time of the timestamp counts.
///
/// Logs whose state is qualified, usable or read-only are called *current*. The state of a log with a planned
/// retirement is usable.
public struct CertificateTransparencyRule: Hashable, Sendable {
    /// An alternative that satisfies the rule.
    struct Criterion: Hashable {
        /// The sources of the timestamps that count.
        var sources: Set<TimestampFinding.Source>
        /// The sources from which at least one timestamp must come; `nil` for no such requirement.
        var demandedSources: Set<TimestampFinding.Source>?
        /// Whether timestamps in the certificate count if their log was retired later; one log must always be current.
        var countsRetiredLogs = false
        /// The required number of logs.
        var logs = ByLifetime(short: 2, long: 2)
        var operators: Int
        /// The maximum number of logs of one operator that count.
        var logsOfOneOperator = ByLifetime(short: .max, long: .max)
        /// Whether one log must be an RFC 6962 log.
        var needsRFC6962Log = false
    }

    /// A number that depends on the lifetime of a certificate.
    struct ByLifetime: Hashable {
        let short: Int
        let long: Int

        /// The maximum lifetime of a short-lived certificate, in seconds.
        private static let limit: TimeInterval = 180 * 86_400

        func value(for lifetime: TimeInterval) -> Int { lifetime <= Self.limit ? short : long }
    }

    /// The name of the rule: `chrome`, `apple` or `custom`.
    public let name: String
    let criteria: [Criterion]
    /// Whether a log counts if it was retired after the earliest of all timestamps, instead of after its own timestamp.
    let usesEarliestTimestampForRetirement: Bool
    /// Whether a lifetime includes its last second (RFC 5280 section 4.1.2.5).
    let countsLastSecond: Bool

    /// Chrome's policy (<https://googlechrome.github.io/CertificateTransparency/ct_policy.html>) as changed on
    /// 2026-04-15.
    ///
    /// One of these alternatives is sufficient:
    /// - Timestamps in the certificate, of 2 logs that are current or were retired
    ///   after the earliest timestamp, or of 3 if the certificate is valid for more
    ///   than 180 days; one log must be current, and the logs must have 2 operators.
    /// - Timestamps delivered by TLS, of 2 current logs of 2 operators.
    ///
    /// Timestamps in OCSP responses have not counted since Chrome 148, and no RFC 6962 log has been required since
    /// 2026-04-15. Chrome stops enforcing its policy if its list is older than 70 days; here the policy remains in
    /// force, and the verdict has a remark about the list.
    public static let chrome = Self(
        name: "chrome",
        criteria: [
            Criterion(
                sources: [.certificate], countsRetiredLogs: true, logs: ByLifetime(short: 2, long: 3), operators: 2),
            Criterion(sources: [.tls], operators: 2),
        ], usesEarliestTimestampForRetirement: true, countsLastSecond: false)

    /// Apple's policy (<https://support.apple.com/103214>) for certificates issued since 2021-04-21.
    ///
    /// It includes the requirement of an RFC 6962 log, which was added for the static-ct-api.
    ///
    /// One of these alternatives is sufficient, and one log must be an RFC 6962 log:
    /// - Timestamps of 2 current logs, one of them delivered by TLS or in an OCSP response.
    /// - Timestamps in the certificate, of 2 logs that are current or were retired after their timestamp, or of 3 if
    ///   the certificate is valid for more than 180 days; one log must be current. Of each operator one log counts, or
    ///   two if 3 are required.
    ///
    /// Apple defines no number for certificates valid for more than
    /// 398 days, which it does not accept; here the number is 3.
    public static let apple = Self(
        name: "apple",
        criteria: [
            Criterion(
                sources: [.certificate], countsRetiredLogs: true, logs: ByLifetime(short: 2, long: 3), operators: 1,
                logsOfOneOperator: ByLifetime(short: 1, long: 2), needsRFC6962Log: true),
            Criterion(
                sources: [.certificate, .tls, .ocsp], demandedSources: [.tls, .ocsp], operators: 1,
                needsRFC6962Log: true),
        ], usesEarliestTimestampForRetirement: false, countsLastSecond: true)

    /// Makes a rule with other numbers, for timestamps in certificates, in TLS, and in OCSP responses.
    ///
    /// Timestamps in the certificate also count if their log was retired later; one log must be current.
    ///
    /// - Parameters:
    ///   - minimumCount: The required number of logs; less than 1 counts as 1.
    ///   - minimumOperators: The required number of operators; less than 1 counts as 1.
    /// - Returns: The rule, with the name `custom`.
    public static func custom(minimumCount: Int, minimumOperators: Int) -> Self {
        let count = max(1, minimumCount)
        return Self(
            name: "custom",
            criteria: [
                Criterion(
                    sources: Set(TimestampFinding.Source.allCases), countsRetiredLogs: true,
                    logs: ByLifetime(short: count, long: count), operators: max(1, minimumOperators))
            ], usesEarliestTimestampForRetirement: false, countsLastSecond: false)
    }
}

/// The Certificate Transparency check (RFC 6962), which a ``TrustPolicy`` can require.
public struct CertificateTransparency: Hashable, Sendable {
    /// The age at which a log list is outdated, the same as in Chrome: 70 days.
    package static let listLifetime: TimeInterval = 70 * 86_400

    /// The logs whose timestamps may count.
    public var logs: TransparencyLogList
    /// The rule that the timestamps must satisfy.
    public var rule: CertificateTransparencyRule

    /// Makes a check from a log list and a rule, Chrome's by default.
    public init(logs: TransparencyLogList, rule: CertificateTransparencyRule = .chrome) {
        (self.logs, self.rule) = (logs, rule)
    }
}

/// The requirement of a ``CertificateTransparencyRule`` that a server's certificate does not meet.
///
/// If the rule has several alternatives, this describes the one with the most logs that count.
public struct TransparencyShortfall: Hashable, Sendable, Codable {
    /// The first requirement that is not met.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// The server sent no timestamp, neither in the certificate nor separately.
        case noTimestamps = "no-timestamps"
        /// Timestamps of too few logs count.
        case tooFewLogs = "too-few-logs"
        /// The logs have too few operators.
        case tooFewOperators = "too-few-operators"
        /// All logs have been retired since the timestamps.
        case noCurrentLog = "no-current-log"
        /// All logs have the static-ct-api interface, but the rule requires an RFC 6962 log.
        case noRFC6962Log = "no-rfc6962-log"
    }

    /// The first requirement that is not met.
    public let reason: Reason
    /// The name of the rule, see ``CertificateTransparencyRule/name``.
    public let rule: String
    /// The number of logs that count.
    public let logs: Int
    /// The required number of logs.
    public let neededLogs: Int
    /// The number of operators of the logs that count.
    public let operators: Int
    /// The required number of operators.
    public let neededOperators: Int
}

extension TransparencyShortfall {
    /// The unmet requirement, as the end of a sentence that begins with the certificate's name.
    var clause: String {
        switch reason {
        case .noTimestamps: "came without a signed certificate timestamp, and the rule \(rule) needs \(neededLogs)"
        case .tooFewLogs:
            "has valid timestamps of \(count(logs, "log")) that count, and the rule \(rule) needs \(neededLogs)"
        case .tooFewOperators:
            """
            has valid timestamps of logs of \(count(operators, "operator")), and the rule \(rule) needs \(neededOperators)
            """
        case .noCurrentLog:
            "has valid timestamps of retired logs only, and the rule \(rule) needs one of a log that is not retired"
        case .noRFC6962Log:
            "has valid timestamps of static-ct-api logs only, and the rule \(rule) needs one of an RFC 6962 log"
        }
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number == 0 ? "no" : "\(number)") \(noun)\(number == 1 ? "" : "s")"
    }
}
