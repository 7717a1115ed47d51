// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
package import EssentialFoundation

extension Verdict {
    /// Returns the explanation of why a peer is not trusted: the cause, its meaning, and what to try.
    ///
    /// - Parameter peer: The peer as the subject of the sentence, such as `localhost:8443` or `The client`.
    /// - Returns: An explanation with the code of the most informative failure; `nil` if the peer is trusted.
    public func explanation(of peer: String) -> ErrorExplanation? {
        guard let failure else { return nil }
        let cause = failure.parts(naming)
        return ErrorExplanation(
            .notTrusted, cause.code, "\(peer) is not trusted: \(clauses(of: failures)).",
            reason: wrongClock ?? [cause.reason, suspicion, omission].compactMap(\.self).joined(separator: " "),
            advice: wrongClock == nil ? cause.advice : "Set the clock of this device, then try again.")
    }

    /// The explanation of the verdict, in sentences.
    public var explanation: String {
        let subject = host.isEmpty ? "The chain" : host
        guard let explanation = explanation(of: subject) else { return success(of: subject) }
        return explanation.message + " " + explanation.reason
    }

    private func success(of subject: String) -> String {
        switch validation {
        case .dangerouslyDisabled: "\(subject) was not authenticated: validation is switched off."
        case .firstUse where isTrustedByKey:
            "\(subject) is identified only by its key\(overriddenFailures.isEmpty ? "" : ": " + clauses(of: overriddenFailures)). "
                + remarks.map(\.explanation).joined(separator: " ")
        case .full, .firstUse:
            switch purpose {
            case .server where host.isEmpty: "The chain is trusted. It was not compared with a name."
            case .server: "\(host) proved that it is \(host)."
            case .client where !host.isEmpty: "\(host) proved that it is \(host)."
            default:
                "The chain is trusted for \(purpose.title), "
                    + (host.isEmpty ? "and was not compared with a name." : "and is for \(host).")
            }
        }
    }

    /// Returns the failures as clauses, without duplicates: the first one, and at most three others.
    private func clauses(of failures: [TrustFailure]) -> String {
        let naming = naming
        var clauses: [String] = []
        for clause in failures.map({ $0.parts(naming).clause }) where !clauses.contains(clause) {
            clauses.append(clause)
        }
        var shown = Array(clauses.prefix(4))
        if shown.count > 1 { shown[1] = "also: " + shown[1] }
        if clauses.count > 4 { shown.append("and \(clauses.count - 4) more") }
        return shown.joined(separator: "; ")
    }

    /// A sentence that lists the certificates that were not read; `nil` if there are none.
    private var omission: String? {
        unread.isEmpty ? nil : "Not read: \(unread.lines(limit: 3).joined(separator: "; "))."
    }

    /// A sentence stating that something other than the server may have answered; `nil` if that is unlikely.
    private var suspicion: String? {
        guard purpose == .server, failure?.isDeadEnd == true, (try? HostName(host))?.isPublicName == true else {
            return nil
        }
        return """
            \(host) is a public name: a captive portal, a proxy that inspects TLS or an interception product may answer in its \
            place.
            """
    }

    /// A sentence stating that the device's clock is probably wrong, if all
    /// certificates of a path except its root fail in the same direction.
    private var wrongClock: String? {
        switch failure {
        case .expired(_, let time) where isOutOfValidity({ time > $0.notAfter }): wrongClock(time, "has expired")
        case .notYetValid(_, let time) where isOutOfValidity({ time < $0.notBefore }):
            wrongClock(time, "is not yet valid")
        default: nil
        }
    }

    private func wrongClock(_ time: Date, _ state: String) -> String {
        """
        Every certificate of its path \(state) at \(time.dayText), the time of this check, so this device's clock is probably wrong.
        """
    }

    /// Returns whether a test is true for at least two certificates of a path, and for all of them except roots, which
    /// are valid for so long that they may pass even if the clock is years ahead.
    private func isOutOfValidity(_ test: (CertificateSummary) -> Bool) -> Bool {
        paths.contains { path in
            path.certificates.count(where: test) > 1
                && path.certificates.allSatisfy { test($0) || $0.isSelfIssued }
        }
    }
}

extension Verdict: CustomStringConvertible {
    /// The explanation of the verdict.
    public var description: String { explanation }
}

extension Verdict.Leniency {
    /// The broken rule, as a sentence.
    public var explanation: String {
        rule.violation(of: certificate, called: CertificateNaming().certificate(certificate)).asSentence
    }
}

/// The terms for the certificates of a chain in explanations: "its certificate", or the certificate of a subject.
struct CertificateNaming {
    /// The purpose for which the chain was presented.
    var purpose = TrustPolicy.Purpose.server
    /// The peer's own certificate; `nil` if a failure is explained without a chain.
    var leaf: CertificateSummary?
    /// The possible issuers of the peer's certificate.
    var issuers: Set<CertificateSummary> = []

    /// The holder of the leaf.
    var peer: String {
        switch purpose {
        case .server: "server"
        case .client: "client"
        case .email: "correspondent"
        case .codeSigning: "signer"
        case .timeStamping: "time-stamping authority"
        case .any: "holder"
        }
    }

    /// The person who can change the chain.
    var owner: String {
        switch purpose {
        case .server, .client: "\(peer)'s owner"
        default: peer
        }
    }

    /// A clause that states that another peer than the expected one presented the chain.
    var mistakenPeer: String {
        switch purpose {
        case .server: "The connection reached another server"
        case .client: "Another client connected"
        default: "The chain is that of another \(peer)"
        }
    }

    /// The kind of name that the leaf is compared with.
    var kindOfName: String { purpose == .email ? "mailbox" : "host" }

    /// The possessive that refers to the peer.
    var possessive: String { leaf == nil ? "the \(peer)'s" : "its" }

    /// Returns the term for a certificate, as the subject of a sentence.
    func certificate(_ certificate: CertificateSummary) -> String {
        if certificate == leaf { return "its certificate" }
        return "the certificate of \(issuers.contains(certificate) ? "its issuer " : "")\(certificate.title)"
    }
}

extension TrustPolicy.Purpose {
    /// The purpose, for use inside a sentence.
    var title: String {
        switch self {
        case .server: "server authentication"
        case .client: "client authentication"
        case .email: "e-mail protection"
        case .codeSigning: "code signing"
        case .timeStamping: "time stamping"
        case .any: "any purpose"
        }
    }

    /// The word for the purpose in policy files and commands.
    var word: String {
        switch self {
        case .server, .client, .email, .any: rawValue
        case .codeSigning: "code-signing"
        case .timeStamping: "time-stamping"
        }
    }
}

extension CertificateSummary {
    /// The subject, or the serial number if the subject is empty.
    var title: String { subject.isEmpty ? "the serial number \(serialNumber)" : subject }

    /// Whether the subject and issuer have the same name.
    var isSelfIssued: Bool { parsed.isSelfIssued }
}

extension Verdict {
    /// The terms for the certificates of the evaluated chain.
    var naming: CertificateNaming {
        CertificateNaming(
            purpose: purpose, leaf: paths.first?.certificates.first,
            issuers: Set(paths.compactMap { $0.certificates.dropFirst().first }))
    }
}

extension Date {
    /// The day and time in UTC, formatted without loading locale data.
    var dayText: String { day + " " + timeOfDay }

    /// Returns the day in UTC and its distance from the day of another instant, as in "2026-11-20 (yesterday)".
    func dayText(seenFrom now: Date) -> String { "\(day) (\(relativeDay(from: now)))" }

    private var day: String { String(formatted(.iso8601).prefix(10)) }

    private var timeOfDay: String { formatted(.iso8601).dropFirst(11).prefix(5) + " UTC" }

    private func relativeDay(from now: Date) -> String {
        let days = calendarDays(since: now)
        return switch days {
        case 0: "today at \(timeOfDay)"
        case -1: "yesterday"
        case 1: "tomorrow"
        case ..<0: "\(-days) days ago"
        default: "in \(days) days"
        }
    }

    /// Returns the number of days in UTC from the day of another instant to the day of this one, for every distance of
    /// dates in a report; negative if the day is earlier.
    package func calendarDays(since other: Date) -> Int { Self.dayNumber(self) - Self.dayNumber(other) }

    private static func dayNumber(_ date: Date) -> Int { Int((date.timeIntervalSince1970 / 86_400).rounded(.down)) }
}
