// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Verdict {
    /// A fact that does not change the verdict, but is worth knowing.
    @nonexhaustive
    public enum Remark: Hashable, Sendable {
        /// The pins of the policy have expired.
        case pinsExpired(on: Date)
        /// A backup key is in use, so no further backup key may be left.
        case backupPinInUse(Pin)
        /// No certificate of the path satisfies a pin, and the enforcement is ``PinSet/Enforcement/reportOnly``.
        ///
        /// `pins` are those of the policy, backups included; `presented` are pins of the keys in the path, leaf first.
        case pinMismatchReported(pins: [Pin], presented: [Pin])
        /// The issuer states that the certificate is not revoked. The statement is valid until the given time.
        case notRevoked(CertificateSummary, until: Date)
        /// The revocation status of the certificate is not known, and the policy does not require it; `nil` where no answer came.
        case revocationUnknown(CertificateSummary, RevocationProblem?)
        /// The certificate demands that its server sends an OCSP response with it (RFC 7633); one was fetched instead.
        case stapleFetched(CertificateSummary)
        /// The list of logs of ``TrustPolicy/transparency`` was made at that instant, more than 70 days ago.
        case logListOutdated(Date)
        /// The path of the server ends at an anchor, and no key was remembered. Holds what to remember from now on.
        case seenFirst(RememberedServer)
        /// The server has no path to an anchor, and no key was remembered. Holds what to remember from now on.
        case firstUse(RememberedServer)
        /// The server has no path to an anchor, and its key is the remembered one. Holds what was remembered.
        case knownSince(RememberedServer)
    }
}

extension Verdict.Remark {
    /// The explanation, in one or two sentences.
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
            Verdict.RevocationFinding(certificate: certificate, answer: .good(until: until)).explanation
        case .revocationUnknown(let certificate, let problem):
            Verdict.RevocationFinding(certificate: certificate, answer: .unknown(problem)).explanation
        case .stapleFetched(let certificate):
            """
            \(certificate.subject) demands an OCSP response with every handshake, which this client cannot ask for; one was \
            fetched.
            """
        case .logListOutdated(let time):
            "The list of logs is of \(time.dayText): a newer one may have the logs that are used now."
        case .seenFirst(let server): "Its key \(server.key) is remembered."
        case .firstUse(let server): "Its key \(server.key) is seen for the first time."
        case .knownSince(let server): "Its key is the one first seen on \(server.since.dayText)."
        }
    }
}

extension Verdict.RevocationFinding {
    /// The answer, in one or two sentences.
    public var explanation: String {
        switch answer {
        case .good(let until): "\(certificate.title) is not revoked; its issuer says so until \(until.dayText)."
        case .revoked(let time, let reason):
            "\(certificate.title) was revoked on \(time.dayText) (\(reason.text))."
        case .unknown(let problem):
            "It is not known whether \(certificate.title) is revoked. "
                + (problem?.explanation.message ?? "No responder and no revocation list answered.")
        case .notAsked: "Nothing was asked about \(certificate.title)."
        }
    }
}
