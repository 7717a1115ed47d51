// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

extension Verdict.Remark {
    /// What it means, in a sentence or two.
    public var explanation: String {
        switch self {
        case .pinsExpired(let day): "The pins no longer bind since \(day.dayText): renew them."
        case .backupPinInUse(let pin): "The backup pin \(pin) is in use: pin a new key in reserve."
        case .pinMismatchReported(_, let presented):
            """
            Nothing in its chain is pinned, which is only reported; its keys are \
            \(presented.map(\.description).joined(separator: ", ")).
            """
        case .notRevoked(let certificate, let until):
            "\(certificate.subject) is not revoked; its issuer says so until \(until.dayText)."
        case .revocationUnknown(let certificate, let problem):
            "It is not known whether \(certificate.subject) is revoked. "
                + (problem?.explanation.message ?? "No responder and no revocation list answered.")
        case .stapleFetched(let certificate):
            """
            \(certificate.subject) demands an OCSP response with every handshake, which this client cannot ask for; one was \
            fetched.
            """
        case .seenFirst(let server): "Its key \(server.key) is remembered."
        case .firstUse(let server): "Its key \(server.key) is seen for the first time."
        case .knownSince(let server): "Its key is the one first seen on \(server.since.dayText)."
        }
    }
}
