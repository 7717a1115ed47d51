// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Synchronization

/// Counts the answers that one request gives to challenges, through its redirects and retries.
///
/// A server chooses its realms. Without a bound, one that names a new realm each time would be given the password each time.
final class ChallengeResponseBudget: Sendable {
    /// How many answers of one method a server may reject, whatever realms it names.
    static let limitPerServer = 5
    /// How many answers one request gives to all servers together, accepted ones included.
    static let limitPerRequest = 10

    /// A protection space without its realm.
    private struct Place: Hashable {
        let host: String
        let port: Int
        let scheme: String
        let role: ProtectionSpace.Role
        let method: AuthenticationMethod

        init(_ space: ProtectionSpace) {
            (host, port, scheme) = (space.host.description, space.port, space.scheme)
            (role, method) = (space.role, space.method)
        }
    }

    private struct State {
        var total = 0
        var open: [Place: Int] = [:]
    }

    private let state = Mutex(State())

    /// Takes one answer from what is left.
    ///
    /// - Returns: Whether there was one left; if not, nothing may be sent.
    func take(for space: ProtectionSpace) -> Bool {
        let place = Place(space)
        return state.withLock { state in
            let open = state.open[place] ?? 0
            guard state.total < Self.limitPerRequest, open < Self.limitPerServer else { return false }
            state.total += 1
            state.open[place] = open + 1
            return true
        }
    }

    /// The server accepted an answer: what it rejected before counts no more.
    func noteAcceptance(in space: ProtectionSpace) {
        state.withLock { $0.open[Place(space)] = nil }
    }
}
