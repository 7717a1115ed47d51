// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Challenges
import CommandSupport
import Countersign
import NIOConcurrencyHelpers

extension PersonalHandlers {
    /// Whether a URL of the command line leads to this origin.
    package func isOrigin(of url: String) -> Bool {
        guard let endpoint = try? Endpoint(of: url) else { return false }
        return endpoint.host == host && endpoint.port == port && url.lowercased().hasPrefix("https:") == usesTLS
    }

    /// The last thing that was needed and not there, for the error.
    package var lastNeed: String? { needs.withLockedValue { $0.last } }

    /// Off a terminal, what was needed tells more than the refusal alone.
    ///
    /// - Parameter error: Why a request failed.
    /// - Returns: The same error, or one that names what was needed.
    package func explaining(_ error: any Error) -> any Error {
        let failure = Failure(error)
        guard failure.status == .notAuthenticated, let need = lastNeed else { return error }
        return CommandFailure(failure: failure.saying(need.prefix(1).uppercased() + need.dropFirst() + "."))
    }

    /// Answers the challenges of each named origin by its own handlers, and all others by the first one's.
    ///
    /// - Parameter people: One for each origin on the command line.
    /// - Returns: A handler for each method that the first one answers.
    package static func handlers(of people: [PersonalHandlers]) -> ChallengeHandlers {
        guard people.count > 1, let first = people.first else { return people.first?.handlers ?? [:] }
        var handlers: ChallengeHandlers = [:]
        for method in Self.methods where first.handlers[method] != nil {
            handlers[method] = .closure { challenge in
                let person = people.first { $0.isNamed(challenge.space) } ?? first
                return try await person.handlers[method]?.answer(challenge) ?? .performDefault
            }
        }
        return handlers
    }

    private static let methods = MethodList.names + [.clientCertificate, .serverTrust]
}
