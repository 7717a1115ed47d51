// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges
import ErrorExplanations

/// The reason why a session did not answer a challenge.
@nonexhaustive
public enum UnansweredReason: Hashable, Sendable {
    /// The server rejected the credential, and no other one is known.
    case rejected
    /// The scheme needs TLS, or the challenge lacks a required parameter. Holds the error of the authenticator.
    case unanswerable(HTTPAuthenticatorError)
    /// The session supports the scheme, but not the algorithm or the quality of protection of the challenge.
    case unsupportedForm
    /// The policy of the server (`ServerPolicy.methods`) or the session's `MethodPreference` does not allow the scheme.
    case notAllowed
    /// The request has reached its limit of answers (see ``HTTPSession/Configuration/handlers``).
    case limitReached
    /// A handler declined the challenge.
    case declined
    /// No credential is known, and each handler performed the default.
    case noCredential
    /// No credential is known, and no handler is registered for the scheme.
    case noHandler
    /// The challenge has no plain meaning. Holds its problem.
    case unreadable(HTTPChallengeError)
    /// The session does not support the scheme.
    case unsupportedScheme
    /// The scheme is weaker than another one, whose credential the server rejected. Holds the stronger scheme.
    case weakerThanRejected(AuthenticationMethod)
    /// Another challenge of the same response was answered. Holds its scheme.
    case answeredAnother(AuthenticationMethod)
}

/// A challenge that was not answered.
struct SkippedChallenge: Hashable {
    /// The scheme; `nil` if it cannot be read.
    let method: AuthenticationMethod?
    let reason: UnansweredReason
}

extension UnansweredReason {
    /// The reason as a clause after a colon, such as "the scheme is not supported".
    package var clause: String {
        switch self {
        case .rejected: "the server rejected the credential"
        case .unanswerable(let error): error.clause
        case .unsupportedForm: "its algorithm or its quality of protection is not supported"
        case .notAllowed: "the policy of the server or the configuration does not allow it"
        case .limitReached: "the request has reached its limit of answers"
        case .declined: "it was declined"
        case .noCredential: "no credential was given"
        case .noHandler: "no credential was given for it"
        case .unreadable(let error): error.clause
        case .unsupportedScheme: "the scheme is not supported"
        case .weakerThanRejected(let stronger):
            "it is weaker than \(stronger.description.printable), whose credential the server rejected"
        case .answeredAnother(let method): "\(method.description.printable) is answered instead"
        }
    }

    /// Whether the session asked for a credential, so that an event of the kind `challenged` has the answer too.
    package var followsQuestion: Bool {
        switch self {
        case .rejected, .limitReached, .declined, .noCredential: true
        case .unanswerable, .unsupportedForm, .notAllowed, .noHandler, .unreadable, .unsupportedScheme,
            .weakerThanRejected, .answeredAnother:
            false
        }
    }
}
