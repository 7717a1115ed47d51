// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Challenges
public import ErrorExplanations

/// A reason for the cancellation of a request: a handler cancelled it, or the session was closed.
///
/// A cancelled task throws `CancellationError` instead.
@nonexhaustive
public enum Cancellation: Error, Sendable {
    /// A handler cancelled the challenge.
    case challenge(ProtectionSpace)
    /// The session was closed before or during the request.
    case sessionClosed
}

extension Cancellation: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .challenge(let space) where space.method == .serverTrust:
            ErrorExplanation(
                "cancellation.server-trust",
                "\(space.subject) is not trusted, and the question about it was cancelled.",
                reason: "The user, or the program in the user's place, cancelled the question.",
                advice: "Try again, or trust the server's authority.")
        case .challenge(let space):
            ErrorExplanation(
                .notAuthenticated, "cancellation.challenge",
                "\(space.subject) asked for \(space.method), and the answer was cancelled.",
                reason: "The user, or the program in the user's place, cancelled the question.",
                advice: "Try again, or give the credential beforehand.")
        case .sessionClosed:
            ErrorExplanation(
                "cancellation.session-closed", "The session is closed.",
                reason: "A closed session sends no requests, and ends those that exceed its shutdown timeout.",
                advice: "Make a new session.")
        }
    }

    package static var examples: [Cancellation] {
        [.challenge(.example(.basic)), .challenge(.example(.serverTrust)), .sessionClosed]
    }
}
