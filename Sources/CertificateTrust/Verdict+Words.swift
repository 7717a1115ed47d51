// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Verdict {
    /// What it means, in sentences for a person.
    public var explanation: String {
        guard let failure else { return success }
        return """
            The server could not prove that it is \(host). Someone may be posing as it, and could read and change \
            whatever you send or receive. \(failure.explanation)
            """
    }

    private var success: String {
        switch validation {
        case .dangerouslyDisabled: "\(host) was not asked to prove who it is: validation is switched off."
        case .firstUse where isTrustedForItsKey:
            "Nobody vouches for \(host). " + remarks.map(\.explanation).joined(separator: " ")
        case .full, .firstUse: "\(host) proved that it is \(host)."
        }
    }
}

extension Verdict.Remark {
    /// What it means, in a sentence for a person.
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
            "\(certificate.subject) is not revoked; its issuer stands by that until \(until.dayText)."
        case .revocationUnknown(let certificate, let problem):
            "It is not known whether \(certificate.subject) is revoked. "
                + (problem?.explanation ?? "Nobody answered.")
        case .stapleFetched(let certificate):
            """
            \(certificate.subject) demands an OCSP response with every handshake, which this client cannot ask for; one was \
            fetched.
            """
        case .firstUse(let server): "Its key \(server.key) is seen for the first time."
        case .knownSince(let server): "Its key is the one first seen on \(server.since.dayText)."
        }
    }
}
