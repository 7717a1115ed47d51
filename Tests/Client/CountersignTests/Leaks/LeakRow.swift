// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// One situation of the leak matrix: what is done, and who may have seen what when it is over.
struct LeakRow: Sendable, CustomTestStringConvertible {
    /// Seen at each of some places, and nowhere else.
    struct Guarded: Sendable {
        let text: String
        let places: Set<Place>
        /// Whether a log may hold it: a nonce, a name.
        let mayBePrinted: Bool

        init(_ text: String, at places: Set<Place>, mayBePrinted: Bool = false) {
            (self.text, self.places, self.mayBePrinted) = (text, places, mayBePrinted)
        }
    }

    /// Seen at a place, as it is: what proves that the situation arose.
    struct Arrival: Sendable {
        let text: String
        let place: Place

        init(_ text: String, at place: Place) {
            (self.text, self.place) = (text, place)
        }
    }

    let name: String
    /// The section or the advisory that taught it.
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
        departures, redirects, netrc, bounds, proxies, socks, spaces, credentials, connections, texts, tls, urls,
    ].flatMap(\.self)
}
