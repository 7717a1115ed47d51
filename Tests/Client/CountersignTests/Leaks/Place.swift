// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Where bytes of a session may arrive.
struct Place: Hashable, Sendable, CustomStringConvertible {
    enum Party: String, Sendable {
        case origin, other, proxy, otherProxy
    }

    let party: Party
    /// The first is 1; `nil` stands for all of them together.
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
