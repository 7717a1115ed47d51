// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A party, and optionally one of its connections, that receives bytes from a session.
struct Place: Hashable, Sendable, CustomStringConvertible {
    enum Party: String, Sendable {
        case origin, other, proxy, otherProxy
    }

    let party: Party
    /// The number of the connection, starting at 1, or `nil` for all connections.
    var connection: Int?

    static let origin = Self(party: .origin)
    static let other = Self(party: .other)
    static let proxy = Self(party: .proxy)
    static let otherProxy = Self(party: .otherProxy)

    func over(_ connection: Int) -> Self { Self(party: party, connection: connection) }

    func covers(_ place: Place) -> Bool {
        party == place.party && (connection == nil || connection == place.connection)
    }

    var description: String { party.rawValue + (connection.map { ", connection \($0)" } ?? "") }
}
