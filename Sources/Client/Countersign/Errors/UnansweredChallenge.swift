// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import ErrorExplanations
import HTTPTransport

/// The reasons why a session delivered a 401 (Unauthorized) response instead of answering one of its challenges, or the
/// fate of the credential of a request that the server refused without a challenge.
///
/// It is a class, because responses are copied often, and most have no unanswered challenge.
final class UnansweredChallenge: Hashable, Sendable {
    /// Challenges with the same reason.
    private typealias Group = (reason: UnansweredReason, challenges: [SkippedChallenge])

    private let endpoint: HostEndpoint
    /// The scheme and the authority of the server.
    private let origin: String
    /// The challenges; empty if the server sent none.
    private let challenges: [SkippedChallenge]
    /// Whether the request had a credential, or used a connection that is authenticated.
    private let sentCredential: Bool
    /// The scheme and the authority of the origin whose credential was not sent after a redirect to this one; `nil`
    /// without such a redirect.
    private let withheldOrigin: String?

    init(
        _ challenges: [SkippedChallenge], of endpoint: HostEndpoint, at origin: String, sentCredential: Bool,
        withheldFrom withheldOrigin: String?
    ) {
        (self.challenges, self.endpoint, self.origin) = (challenges, endpoint, origin)
        (self.sentCredential, self.withheldOrigin) = (sentCredential, withheldOrigin)
    }

    static func == (one: UnansweredChallenge, other: UnansweredChallenge) -> Bool {
        (one.origin, one.challenges, one.sentCredential, one.withheldOrigin)
            == (other.origin, other.challenges, other.sentCredential, other.withheldOrigin)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(origin) }

    /// The sentence about the most informative reason, one about the other challenges, and one about a redirect that
    /// removed the credential.
    var reason: String {
        guard let withheldOrigin else { return challengeReason }
        let withheld =
            withheldOrigin == origin
            ? "A redirect through another origin removed the credential of \(endpoint)."
            : "The credential that was given is for \(withheldOrigin) alone, and the redirect leads to \(origin)."
        return challenges.isEmpty ? withheld : "\(challengeReason) \(withheld)"
    }

    private var challengeReason: String {
        let groups = self.groups
        guard let first = groups.first else {
            return sentCredential
                ? "\(endpoint) refused the credential, and did not say why."
                : "\(endpoint) did not ask for a credential, so the one for it was not sent."
        }
        let names = Self.list(first.challenges)
        let headline =
            first.reason == .rejected
            ? "The server rejected the credential for \(names)."
            : "The server asks for \(names): \(first.reason.clause)\(first.reason == .noCredential ? " for \(endpoint)" : "")."
        guard groups.count > 1 else { return headline }
        let others = groups.dropFirst().map { "\(Self.list($0.challenges)) (\($0.reason.clause))" }
        return "\(headline) It also asks for \(Self.bounded(others))."
    }

    /// The scheme that the session does not support; `nil` if the main reason is another one.
    var unsupportedScheme: String? {
        guard let group = groups.first, group.reason == .unsupportedScheme else { return nil }
        return group.challenges.first?.method.map(Self.name)
    }

    /// The code of the error for which a challenge could not be answered; `nil` if the main reason is another one.
    var errorCode: String? {
        if case .unanswerable(let error) = groups.first?.reason { error.explanation.code } else { nil }
    }

    var advice: String {
        if withheldOrigin != nil { return "Request the redirect's URL itself if its server shall have the credential." }
        return switch groups.first?.reason {
        case nil:
            sentCredential
                ? "Check the user and the password, or the token."
                : ResponseSummary.firstRequestAdvice
        case .unanswerable(let error): error.explanation.advice
        case .unreadable(let error): error.explanation.advice
        case .unsupportedForm: "Ask the server's operator for another algorithm or another method."
        case .notAllowed: "Allow one of these methods in the policy of the server, or in the configuration."
        case .limitReached: "Send the request again with the right credential."
        case .declined, .noCredential:
            "Check the host, the port and the method for which the credential was given."
        case .noHandler: "Give a credential for one of these methods."
        case .unsupportedScheme:
            "Send its credential in the field Authorization, or ask the server's operator for another method."
        case .rejected, .weakerThanRejected, .answeredAnother: "Check the user and the password, or the token."
        }
    }

    /// The challenges by reason, the most informative one first.
    private var groups: [Group] {
        var groups: [Group] = []
        for challenge in challenges {
            if let index = groups.firstIndex(where: { $0.reason == challenge.reason }) {
                groups[index].challenges.append(challenge)
            } else {
                groups.append((challenge.reason, [challenge]))
            }
        }
        return groups.enumerated().sorted { ($0.element.reason.rank, $0.offset) < ($1.element.reason.rank, $1.offset) }
            .map(\.element)
    }

    private static func list(_ challenges: [SkippedChallenge]) -> String {
        bounded(Set(challenges.map { $0.method.map(Self.name) ?? "a scheme that cannot be read" }).sorted())
    }

    private static func name(_ method: AuthenticationMethod) -> String {
        let name = method.description
        return name.count > 40 ? "\(String(name.prefix(40)).printable)..." : name.printable
    }

    /// Returns a list of at most 8 elements, and the number of the others.
    private static func bounded(_ elements: [String]) -> String {
        let limit = 8
        let more = elements.count > limit ? " and \(elements.count - limit) more" : ""
        return elements.prefix(limit).joined(separator: ", ") + more
    }
}

extension UnansweredReason {
    /// The rank among the reasons of one response, from 0 for the most informative one.
    fileprivate var rank: Int {
        switch self {
        case .rejected: 0
        case .unanswerable: 1
        case .unsupportedForm: 2
        case .notAllowed: 3
        case .limitReached: 4
        case .declined: 5
        case .noCredential: 6
        case .noHandler: 7
        case .unreadable: 8
        case .unsupportedScheme: 9
        case .weakerThanRejected: 10
        case .answeredAnother: 11
        }
    }
}
