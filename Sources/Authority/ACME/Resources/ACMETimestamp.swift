// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation

/// A time in the format of RFC 3339 section 5.6, in whole seconds.
package struct ACMETimestamp: Hashable, Sendable, Codable {
    /// The time.
    package let date: Date

    /// Creates a timestamp from a date, rounded down to a whole second.
    package init(_ date: Date) { self.date = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)) }

    /// Parses a timestamp; returns `nil` if the text is malformed or names a day that does not exist.
    ///
    /// - Parameter text: A text such as `2026-11-23T12:00:00Z`, with any offset. Fractions of a second are dropped.
    package init?(_ text: String) {
        // Foundation accepts more than the format of RFC 3339 section 5.6.
        let form = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+\-][0-9]{2}:[0-9]{2})/
        guard text.utf8.count <= 64, text.uppercased().wholeMatch(of: form) != nil else { return nil }
        let local = text.prefix(19).uppercased()
        let offset = text.dropFirst(19).drop { $0 == "." || $0.isNumber }.uppercased()
        let style = Date.ISO8601FormatStyle(timeZoneSeparator: .colon)
        // Foundation reads February 30 as a day of March.
        guard let date = try? Date(local + offset, strategy: style),
            let inUTC = try? Date(local + "Z", strategy: style),
            inUTC.formatted(.iso8601).hasPrefix(local.prefix(10))
        else { return nil }
        self.date = date
    }

    /// The timestamp in UTC, such as `2026-11-23T12:00:00Z`.
    package var text: String { date.formatted(.iso8601) }

    /// Reads a timestamp.
    ///
    /// - Parameter decoder: A decoder whose value is a string.
    /// - Throws: `DecodingError` if the value is not a string, or not an RFC 3339 timestamp.
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let read = ACMETimestamp(try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "not an RFC 3339 timestamp")
        }
        self = read
    }

    /// Writes the timestamp as a string.
    ///
    /// - Parameter encoder: The encoder, to which a string is written.
    /// - Throws: Any error of the encoder.
    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(text)
    }
}
