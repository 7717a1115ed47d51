// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import PolicyFile

extension PolicyFileWarning {
    /// One line for a person, as editors read it.
    var text: String { "\(place): \(place.key.description): warning: \(reason.text)".printable }
}

extension PolicyFileWarning.Reason {
    /// What it is, and what to do about it.
    var text: String {
        switch self {
        case .pinsWithoutBackup:
            "there is no pin in reserve; if the server's key is lost, nobody gets to it. Add 'backups' of a key kept apart."
        case .pinsExpired(let date):
            "the pins no longer bind, since \(CertificateText.day(date)). Renew them, or take them out."
        case .pinsExpireSoon(let date): "the pins bind only until \(CertificateText.lastDay(before: date)). Renew them."
        case .pinsReportOnly: "the pins keep nobody out; 'enforcement: enforced' would."
        case .validationDisabled: "any certificate is accepted; whoever is on the way can read and change everything."
        case .plainHTTPBesidePins:
            "pins do not matter to plain http, which is allowed; 'plain-http: forbidden' ends that."
        case .weakerThan(let domain):
            "it asks for less than \(domain), of which nothing applies here; repeat what should."
        case .expiredAnchor(let path, let subject, let date):
            "\(path) holds \(subject), which expired on \(CertificateText.day(date)). Replace it."
        }
    }
}
