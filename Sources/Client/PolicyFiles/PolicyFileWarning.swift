// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import ErrorExplanations
public import EssentialFoundation

/// A warning about an entry of a policy file that is allowed but possibly unintended.
public struct PolicyFileWarning: Hashable, Sendable {
    /// The kind of the warning.
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
        /// There is no backup pin: if the server loses its key, connections fail until the file is changed (RFC 7469
        /// section 4.3).
        case pinsWithoutBackup
        /// The pins have not been enforced since the given time.
        case pinsExpired(Date)
        /// The pins are enforced only until the given time, at most 30 days from now.
        case pinsExpireSoon(Date)
        /// A pin mismatch is only reported, and the server is accepted.
        case pinsReportOnly
        /// Any certificate is accepted for any host.
        case validationDisabled
        /// `http` URLs are allowed, for which pins have no effect.
        case plainHTTPBesidePins
        /// The entry requires less than the given domain's entry, which includes subdomains but does not apply here.
        case weakerThan(HostName)
        /// An anchor in the file at the path has expired; `since` is the end of its validity.
        case expiredAnchor(path: String, subject: String, since: Date)
        /// The file at the path contains a certificate that is not a CA
        /// certificate, so that it is trusted only for its own server.
        case leafAnchor(path: String, subject: String)
        /// A part of the file at the path was not read.
        case unreadAnchor(path: String, UnreadCertificate)
        /// Besides those of the other warnings, this number of parts of the file at the path was not read.
        case unreadAnchors(path: String, count: Int)
        /// The log list at the path was made more than 70 days ago, at the time `made`.
        case outdatedLogList(path: String, made: Date)
    }

    /// The location in the file.
    public let place: PolicyFileLocation
    /// The kind of the warning.
    public let reason: Reason
}

extension PolicyFileWarning: CustomStringConvertible {
    /// The consequence of the entry, in one sentence, safe to print.
    public var message: String { reason.words.message.printable }

    /// A correction to try, in one sentence, safe to print.
    public var advice: String { reason.words.advice.printable }

    /// The warning as a line in the format of compiler messages, such as
    /// `policy.yaml:3:7: default.pins: warning: The pins are enforced only until 2026-06-30. ...`.
    public var description: String {
        "\(place): \(place.key): warning: ".printable + message + " " + advice
    }
}

extension PolicyFileWarning.Reason {
    fileprivate var words: (message: String, advice: String) {
        switch self {
        case .pinsWithoutBackup:
            (
                "There is no backup pin: if the server loses its current key, no connection is possible.",
                "Add 'backups' with the pin of a key that is stored separately."
            )
        case .pinsExpired(let date):
            ("The pins have not been enforced since \(Self.day(date)).", "Renew the pins, or remove them.")
        case .pinsExpireSoon(let date):
            ("The pins are enforced only until \(Self.day(date - 1)).", "Renew the pins.")
        case .pinsReportOnly:
            (
                "A key that matches no pin is only reported.",
                "Write 'enforcement: enforced' to refuse the connection."
            )
        case .validationDisabled:
            (
                "Any certificate is accepted: an attacker on the network can read and change everything.",
                "Remove 'validation', and name the certificates to trust under 'anchors'."
            )
        case .plainHTTPBesidePins:
            ("Plain http is allowed, and pins do not protect it.", "Write 'plain-http: forbidden'.")
        case .weakerThan(let domain):
            (
                "The entry requires less than that of \(domain), which does not apply here.",
                "Repeat the keys that must apply here too."
            )
        case .expiredAnchor(let path, let subject, let date):
            ("\"\(path)\" holds \(subject), which expired on \(Self.day(date)).", "Replace the certificate.")
        case .leafAnchor(let path, let subject):
            (
                "\"\(path)\" holds \(subject), which is not the certificate of an authority: as an anchor it is trusted regardless of its issuer and its revocation.",
                "Name the certificate of its authority, or pin its key."
            )
        case .unreadAnchor(let path, let certificate):
            ("\"\(path)\" holds a part that is not read: \(certificate).", certificate.problem.explanation.advice)
        case .unreadAnchors(let path, let count):
            ("\"\(path)\" holds \(count) other parts that are not read.", "Check that it is the right file.")
        case .outdatedLogList(let path, let date):
            (
                "\"\(path)\" was made on \(Self.day(date)), and may lack logs in current use.",
                "Get the list from its publisher again."
            )
        }
    }

    private static func day(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(10)) }
}
