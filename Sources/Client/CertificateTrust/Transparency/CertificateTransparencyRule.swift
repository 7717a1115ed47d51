// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation

/// How many logs, of how many operators, must have promised to include a server's certificate.
///
/// Timestamps of one log count once. Operators are told apart by their names in the list of logs. An operator with two names counts as two,
/// so the list has to come from a publisher that prevents this, as Google and Apple do. A log that changed hands counts for the operator at
/// the time of the timestamp.
///
/// Logs whose state is qualified, usable or read-only are called *current*. The state of a log that is to be retired later is usable.
public struct CertificateTransparencyRule: Hashable, Sendable {
    /// One way to satisfy the rule.
    struct Criterion: Hashable {
        /// The timestamps that are looked at.
        var sources: Set<TimestampFinding.Source>
        /// Where one of them must have come from, if that is asked.
        var demandedSources: Set<TimestampFinding.Source>?
        /// Whether those in the certificate count where their log was retired since; one must be of a current log.
        var countsRetiredLogs = false
        /// How many logs, for a certificate of at most 180 days and for another one.
        var logs = ByLifetime(short: 2, long: 2)
        var operators: Int
        /// How many logs of one operator count.
        var logsOfOneOperator = ByLifetime(short: .max, long: .max)
        /// Whether one log must be of RFC 6962.
        var needsRFC6962Log = false
    }

    /// A number that depends on how long a certificate is valid.
    struct ByLifetime: Hashable {
        let short: Int
        let long: Int

        /// A certificate of so many seconds at most is short-lived.
        private static let limit: TimeInterval = 180 * 86_400

        func value(for lifetime: TimeInterval) -> Int { lifetime <= Self.limit ? short : long }
    }

    /// The name of the rule: `chrome`, `apple` or `custom`.
    public let name: String
    let criteria: [Criterion]
    /// Whether a log was retired before any of the timestamps, and not before its own, is what counts.
    let judgesRetirementByEarliest: Bool
    /// Whether a lifetime has the second with which it ends (RFC 5280 section 4.1.2.5).
    let countsLastSecond: Bool

    /// Chrome's policy (<https://googlechrome.github.io/CertificateTransparency/ct_policy.html>) as changed on 2026-04-15.
    ///
    /// One of these is enough:
    /// - Timestamps in the certificate, of 2 logs that are current or were retired after the earliest timestamp, and 3 where the
    ///   certificate is valid for more than 180 days; one log is current; there are 2 operators.
    /// - Timestamps by TLS, of 2 current logs of 2 operators.
    ///
    /// Those in OCSP responses do not count since Chrome 148, and no log of RFC 6962 has to be among them since 2026-04-15. Chrome stops
    /// enforcing its policy when its list is older than 70 days; here the policy stays in force, and the verdict has a remark on the list.
    public static let chrome = Self(
        name: "chrome",
        criteria: [
            Criterion(
                sources: [.certificate], countsRetiredLogs: true, logs: ByLifetime(short: 2, long: 3), operators: 2),
            Criterion(sources: [.tls], operators: 2),
        ], judgesRetirementByEarliest: true, countsLastSecond: false)

    /// Apple's policy (<https://support.apple.com/103214>) for certificates since 2021-04-21.
    ///
    /// It includes the demand for a log of RFC 6962, which was added for the static-ct-api.
    ///
    /// One of these is enough, and one log must be of RFC 6962:
    /// - Timestamps of 2 current logs, one of them by TLS or in an OCSP response.
    /// - Timestamps in the certificate, of 2 logs that are current or were retired after their timestamp, and 3 where the certificate is
    ///   valid for more than 180 days; one log is current. One log of each operator counts, and two where 3 are needed.
    ///
    /// Apple has no number for certificates of more than 398 days, which it does not accept; here it is 3.
    public static let apple = Self(
        name: "apple",
        criteria: [
            Criterion(
                sources: [.certificate], countsRetiredLogs: true, logs: ByLifetime(short: 2, long: 3), operators: 1,
                logsOfOneOperator: ByLifetime(short: 1, long: 2), needsRFC6962Log: true),
            Criterion(
                sources: [.certificate, .tls, .ocsp], demandedSources: [.tls, .ocsp], operators: 1,
                needsRFC6962Log: true),
        ], judgesRetirementByEarliest: false, countsLastSecond: true)

    /// Makes a rule with other numbers, for timestamps in certificates, by TLS, and in OCSP responses.
    ///
    /// Those in the certificate count too where their log was retired after them; one log must be current.
    ///
    /// - Parameters:
    ///   - minimumCount: How many logs are needed; less than 1 means 1.
    ///   - minimumOperators: How many operators they must have; less than 1 means 1.
    /// - Returns: The rule, with the name `custom`.
    public static func custom(minimumCount: Int, minimumOperators: Int) -> Self {
        let count = max(1, minimumCount)
        return Self(
            name: "custom",
            criteria: [
                Criterion(
                    sources: Set(TimestampFinding.Source.allCases), countsRetiredLogs: true,
                    logs: ByLifetime(short: count, long: count), operators: max(1, minimumOperators))
            ], judgesRetirementByEarliest: false, countsLastSecond: false)
    }
}

/// The check of Certificate Transparency (RFC 6962), which a ``TrustPolicy`` may ask for.
public struct CertificateTransparency: Hashable, Sendable {
    /// After 70 days Chrome takes its list to be out of date.
    package static let listLifetime: TimeInterval = 70 * 86_400

    /// The logs whose timestamps may count.
    public var logs: TransparencyLogList
    /// How many of the logs are needed.
    public var rule: CertificateTransparencyRule

    /// Makes a check with a list of logs and a rule, Chrome's by default.
    public init(logs: TransparencyLogList, rule: CertificateTransparencyRule = .chrome) {
        (self.logs, self.rule) = (logs, rule)
    }
}

/// What a server's certificate lacks to satisfy a ``CertificateTransparencyRule``.
///
/// Of several ways to satisfy the rule, this is about the one with the most logs that count.
public struct TransparencyShortfall: Hashable, Sendable, Codable {
    /// The first requirement that is not met.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// The server sent no timestamp, neither in the certificate nor beside it.
        case noTimestamps = "no-timestamps"
        /// Timestamps of too few logs count.
        case tooFewLogs = "too-few-logs"
        /// The logs have too few operators.
        case tooFewOperators = "too-few-operators"
        /// Each log has been retired since.
        case noCurrentLog = "no-current-log"
        /// Each log has the interface static-ct-api; the rule needs one of RFC 6962.
        case noRFC6962Log = "no-rfc6962-log"
    }

    /// The first requirement that is not met.
    public let reason: Reason
    /// The name of the rule, see ``CertificateTransparencyRule/name``.
    public let rule: String
    /// How many logs count.
    public let logs: Int
    /// How many logs are needed.
    public let neededLogs: Int
    /// How many operators the logs have that count.
    public let operators: Int
    /// How many operators are needed.
    public let neededOperators: Int
}

extension TransparencyShortfall {
    /// What is missing, as the end of a sentence that begins with the certificate's name.
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
            "has valid timestamps of static-ct-api logs only, and the rule \(rule) needs one of a log of RFC 6962"
        }
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number == 0 ? "no" : "\(number)") \(noun)\(number == 1 ? "" : "s")"
    }
}
