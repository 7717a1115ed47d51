// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// The reason why a session delivered a 401 (Unauthorized) response instead of answering its challenge.
///
/// It is a class, because responses are copied often, and most have no unanswered challenge.
final class UnansweredChallenge: Hashable, Sendable {
    enum Cause: Hashable {
        /// The server rejected the credentials for these methods.
        case rejected([AuthenticationMethod])
        /// The policy of the origin allows none of the offered methods.
        case notAllowed(AllowedMethods)
        /// No credential is known, and no handler is registered for an offered method.
        case noHandler
        /// No credential is known, and each handler performed the default.
        case noAnswer
        /// The session supports no challenge of the offered methods, or does not use these methods.
        case notSupported
    }

    private let endpoint: HostEndpoint
    private let offered: [AuthenticationMethod]
    private let cause: Cause

    init(endpoint: HostEndpoint, offered: [AuthenticationMethod], cause: Cause) {
        (self.endpoint, self.offered, self.cause) = (endpoint, offered, cause)
    }

    static func == (one: UnansweredChallenge, other: UnansweredChallenge) -> Bool {
        (one.endpoint, one.offered, one.cause) == (other.endpoint, other.offered, other.cause)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(endpoint) }

    var reason: String {
        let names = Self.list(offered)
        return switch cause {
        case .rejected(let methods): "The server rejected the credential for \(Self.list(methods))."
        case .notAllowed(let allowed): "The server offers \(names), and its policy allows only \(allowed)."
        case .noHandler: "The server asks for \(names), and the session has neither a credential nor a handler for it."
        case .noAnswer: "The server asks for \(names), and no handler gave a credential for \(endpoint)."
        case .notSupported: "The server asks for \(names) in a form that the session does not support or does not use."
        }
    }

    var advice: String {
        switch cause {
        case .rejected: "Check the user and the password, or the token."
        case .notAllowed: "Allow one of the offered methods in the policy of the server."
        case .noHandler: "Register a handler for one of these methods."
        case .notSupported: "Check the challenge's algorithm, and the session's methods and limits."
        case .noAnswer: "Check the host, the port and the method of the handler: it answers only for its own server."
        }
    }

    private static func list(_ methods: [AuthenticationMethod]) -> String {
        Set(methods.map(\.description)).sorted().joined(separator: ", ").printable
    }
}
