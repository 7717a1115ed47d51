// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// One situation of the leak matrix: the actions, and the places that may have received each secret.
struct LeakRow: Sendable, CustomTestStringConvertible {
    /// A secret that must reach each of its places and no other place.
    struct Guarded: Sendable {
        let text: String
        let places: Set<Place>
        /// Whether the text may be logged, as a nonce or a name may.
        let mayBePrinted: Bool

        init(_ text: String, at places: Set<Place>, mayBePrinted: Bool = false) {
            (self.text, self.places, self.mayBePrinted) = (text, places, mayBePrinted)
        }
    }

    /// A text that must reach a place, which proves that the situation occurred.
    struct Arrival: Sendable {
        let text: String
        let place: Place

        init(_ text: String, at place: Place) {
            (self.text, self.place) = (text, place)
        }
    }

    let name: String
    /// The specification section or security advisory on which the row is based.
    let source: String
    let guarded: [Guarded]
    let arrivals: [Arrival]
    let situation: @Sendable (LeakScene) async throws -> Void

    init(
        _ name: String, _ source: String, guarded: [Guarded], arrivals: [Arrival],
        situation: @escaping @Sendable (LeakScene) async throws -> Void
    ) {
        (self.name, self.source, self.guarded) = (name, source, guarded)
        (self.arrivals, self.situation) = (arrivals, situation)
    }

    var testDescription: String { "\(name) (\(source))" }

    static let all: [LeakRow] = [
        departures, upgrades, redirects, netrc, bounds, proxies, socks, spaces, credentials, connections, texts, tls,
        urls,
    ].flatMap(\.self)
}
