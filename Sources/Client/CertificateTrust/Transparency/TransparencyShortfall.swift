// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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
