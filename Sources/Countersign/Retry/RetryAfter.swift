// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes

/// How long a server asks to be left alone (RFC 9110 section 10.2.3).
package struct RetryAfter {
    /// Never negative; a date in the past is now.
    package let wait: Duration

    /// Longer than any wait, so that no sum overflows, in seconds.
    private static let longest = 1 << 40

    /// Reads what a response says; `nil` where it says nothing, or nothing that makes sense.
    ///
    /// - Parameters:
    ///   - fields: Of the response. A date is counted from the server's own `Date`, where that is there: clocks differ.
    ///   - now: In seconds since 1970.
    package init?(_ fields: HTTPFields, now: Int) {
        guard let text = fields[.retryAfter], !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            wait = .seconds(min(Int(text) ?? Self.longest, Self.longest))
            return
        }
        guard let date = HTTPDate(text, now: now) else { return nil }
        let start = fields[.date].flatMap { HTTPDate($0, now: now) }?.secondsSince1970 ?? now
        wait = .seconds(max(0, date.secondsSince1970 - start))
    }
}
