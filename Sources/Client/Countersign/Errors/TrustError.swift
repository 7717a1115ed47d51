// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import ErrorExplanations
import HTTPTransport

/// The reason for which a server's certificate chain was not accepted.
@nonexhaustive
public enum TrustError: Error, Sendable {
    /// The chain did not satisfy the policy and no handler accepted it, or the program refused the server.
    case notTrusted(SessionError.Peer, PresentedChain, Verdict)
    /// The server sent no certificate.
    case malformedCertificate(SessionError.Peer)
    /// The operating system has no anchor file at any known path. Holds those paths.
    case noSystemAnchors([String])
    /// An environment variable that replaces the system's anchors names no readable certificate.
    case unusableAnchors(AnchorStoreError)
}

extension TrustError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .notTrusted(let peer, _, let verdict):
            verdict.explanation(of: peer.subject)
                ?? ErrorExplanation(
                    .notTrusted, "trust.declined",
                    "\(peer.subject) is not trusted: the program, or the user whom it asked, refused it.",
                    reason: verdict.isTrustedByKey
                        ? "Only its key identifies it, and the key was not accepted."
                        : "Its chain satisfies the policy, but the program did not accept it.",
                    advice: verdict.isTrustedByKey
                        ? "Compare the key with the server's owner through another channel, then accept it."
                        : "Ask the author of the program.")
        case .malformedCertificate(let peer):
            ErrorExplanation(
                .notTrusted, "trust.malformed-certificate", "\(peer.subject) sent no certificate.",
                reason: "A server that proves its identity sends its certificate and those of its issuers.",
                advice: "Ask the server's operator to configure its certificate.")
        case .noSystemAnchors(let paths):
            ErrorExplanation(
                .notTrusted, "trust.no-system-anchors",
                "This system has no root certificates at \(paths.joined(separator: ", ")).",
                reason: "Servers are trusted by the root certificates that the system provides.",
                advice: "Install the package ca-certificates, or trust only anchors of your own.")
        case .unusableAnchors(let cause): cause.explanation
        }
    }

    package static var examples: [TrustError] {
        let declined = ExampleChain().map { TrustError.notTrusted(.example, $0.presented, $0.trusted) }
        return [
            .malformedCertificate(.example), .noSystemAnchors(["/etc/ssl/certs/ca-certificates.crt"]),
        ]
            + [declined].compactMap(\.self)
    }
}
