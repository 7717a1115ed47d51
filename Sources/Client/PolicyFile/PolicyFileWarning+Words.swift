// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorExplanations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PolicyFileWarning: CustomStringConvertible {
    /// The consequence of the entry, in one sentence, safe to print.
    public var message: String { reason.words.message.printable }

    /// A correction to try, in one sentence, safe to print.
    public var advice: String { reason.words.advice.printable }

    /// One line, as editors read it, such as `policy.yaml:3:7: default.pins: warning: The pins are enforced only until 2026-06-30. ...`.
    public var description: String {
        "\(place): \(place.key): warning: ".printable + message + " " + advice
    }
}

extension PolicyFileWarning.Reason {
    fileprivate var words: (message: String, advice: String) {
        switch self {
        case .pinsWithoutBackup:
            (
                "There is no backup pin: without the server's present key no connection is possible.",
                "Add 'backups' with the pin of a key that is kept apart."
            )
        case .pinsExpired(let date):
            ("The pins are no longer enforced, since \(Self.day(date)).", "Renew the pins, or remove them.")
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
                "The entry asks for less than that of \(domain), of which nothing applies here.",
                "Repeat the keys that must apply here too."
            )
        case .expiredAnchor(let path, let subject, let date):
            ("\"\(path)\" holds \(subject), which expired on \(Self.day(date)).", "Replace the certificate.")
        case .leafAnchor(let path, let subject):
            (
                "\"\(path)\" holds \(subject), which is not the certificate of an authority: as an anchor it is trusted past its issuer and its revocation.",
                "Name the certificate of its authority, or pin its key."
            )
        case .outdatedLogList(let path, let date):
            (
                "\"\(path)\" is of \(Self.day(date)), and may lack the logs that are used now.",
                "Get the list from its publisher again."
            )
        }
    }

    private static func day(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(10)) }
}
