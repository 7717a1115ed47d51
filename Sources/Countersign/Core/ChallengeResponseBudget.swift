// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// Counts the answers that one request gives to challenges, through its redirects and retries.
///
/// A server chooses its realms. Without a bound, one that names a new realm each time would be given the password each time.
struct ChallengeResponseBudget {
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

    private var total = 0
    private var open: [Place: Int] = [:]

    /// Takes one answer from what is left.
    ///
    /// - Returns: Whether there was one left; if not, nothing may be sent.
    mutating func take(for space: ProtectionSpace) -> Bool {
        let place = Place(space)
        let taken = open[place] ?? 0
        guard total < Self.limitPerRequest, taken < Self.limitPerServer else { return false }
        total += 1
        open[place] = taken + 1
        return true
    }

    /// The server accepted an answer: what it rejected before counts no more.
    mutating func noteAcceptance(in space: ProtectionSpace) {
        if !open.isEmpty { open[Place(space)] = nil }
    }
}
