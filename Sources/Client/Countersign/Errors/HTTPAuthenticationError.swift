// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges
public import ErrorExplanations
import HTTPTransport

/// An error in the authentication to a server or a proxy.
@nonexhaustive
public enum HTTPAuthenticationError: Error, Sendable {
    /// No challenge of a proxy can be read (RFC 9110 section 11.3), or an authentication information field (RFC 7615) is
    /// malformed.
    case malformedChallenge(SessionError.Peer, HTTPChallengeError)
    /// The credential cannot answer the challenge, or a proxy's challenge cannot be answered at all.
    ///
    /// If an origin's challenge cannot be answered, its response is delivered.
    case unanswerableChallenge(ProtectionSpace, HTTPAuthenticatorError)
    /// The server accepted the credential without proving knowledge of the secret. The response is not delivered.
    case serverNotProven(ProtectionSpace, HTTPAuthenticatorError)
    /// The connection ended during an exchange of several messages that must share one connection.
    case interrupted(ProtectionSpace)
}

extension HTTPAuthenticationError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformedChallenge(let peer, let cause):
            ErrorExplanation(
                .notAuthenticated, "authentication.malformed-challenge",
                "\(peer.subject) sent a malformed challenge: \(cause.clause).",
                reason: "The field that asks for a credential breaks RFC 9110 section 11.",
                advice: "Ask the server's operator to correct it.")
        case .unanswerableChallenge(let space, let cause):
            ErrorExplanation(
                .notAuthenticated, "authentication.unanswerable-challenge",
                "\(space.subject) asks for \(space.method), which cannot be answered: \(cause.clause).",
                reason: cause.explanation.reason, advice: cause.explanation.advice)
        case .serverNotProven(let space, let cause):
            ErrorExplanation(
                .notAuthenticated, "authentication.server-not-proven",
                "The response of \(space.subject) cannot be relied on: \(cause.clause).",
                reason: "Another server may be posing as it. Nothing of the response is delivered.",
                advice: "Check its address, and use https.")
        case .interrupted(let space):
            ErrorExplanation(
                .notAuthenticated, "authentication.interrupted",
                "\(space.subject) closed the connection in the middle of \(space.method).",
                reason:
                    "\(space.method) needs one connection for all its messages; a device in between may not keep it open.",
                advice: "Ask the server's operator for another authentication method.")
        }
    }

    package static var examples: [HTTPAuthenticationError] {
        [
            .malformedChallenge(.example, .repeatedParameter("realm")),
            .unanswerableChallenge(.example(.digest), .nonceExhausted),
            .serverNotProven(.example(.scramSHA256), .wrongServerProof), .interrupted(.example(.ntlm)),
        ]
    }
}

extension ProtectionSpace {
    /// Returns an example for the error catalogue.
    static func example(_ method: AuthenticationMethod) -> Self {
        Self(host: .localhost, port: 8443, scheme: "https", realm: "files", method: method)
    }
}
