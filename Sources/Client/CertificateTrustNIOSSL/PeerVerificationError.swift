// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import ErrorExplanations

/// The reason for which a peer's chain was refused, or for which a verifier cannot apply a policy.
@nonexhaustive
public enum PeerVerificationError: Error, Sendable {
    /// The peer of a TLS connection.
    public enum Peer: Hashable, Sendable {
        /// The server with a host name.
        case server(HostName)
        /// A client.
        case client
    }

    /// The chain does not satisfy the policy.
    case notTrusted(Peer, PresentedChain, Verdict)
    /// The peer sent no certificate.
    case malformedCertificate(Peer)
    /// The policy checks revocation or fetches missing issuers, and the verifier has no fetcher.
    case evidenceFetcherRequired
    /// The policy trusts servers on first use, which needs a memory of their keys.
    case serverMemoryRequired
}

extension PeerVerificationError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .notTrusted(let peer, _, let verdict):
            verdict.explanation(of: peer.subject) ?? Self.malformedCertificate(peer).explanation
        case .malformedCertificate(let peer):
            ErrorExplanation(
                .notTrusted, "verification.malformed-certificate",
                "\(peer.subject) sent no certificate.",
                reason: "A peer that proves its identity sends its certificate and those of its issuers.",
                advice: "Configure the peer's certificate.")
        case .evidenceFetcherRequired:
            ErrorExplanation(
                "verification.evidence-fetcher-required", "The trust policy needs evidence from the network.",
                reason: "It checks revocation or fetches missing issuers, and no evidence fetcher was given.",
                advice: "Give an EvidenceFetcher of the library Countersign, or change the policy.")
        case .serverMemoryRequired:
            ErrorExplanation(
                "verification.server-memory-required", "The trust policy accepts servers on first use.",
                reason: "Later connections need the remembered key, and NIOSSL's callbacks have no memory of keys.",
                advice: "Use full validation with the server's certificate as an anchor, or a session of Countersign.")
        }
    }

    package static var examples: [Self] {
        [
            .malformedCertificate(.client), .evidenceFetcherRequired, .serverMemoryRequired,
        ]
    }
}

extension PeerVerificationError.Peer {
    /// The peer as the subject of a sentence.
    fileprivate var subject: String {
        switch self {
        case .server(let host): host.description
        case .client: "The client"
        }
    }
}
