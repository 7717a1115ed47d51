// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Duration {
    /// The duration in the two largest units that it fills, such as "200 milliseconds", "1.5 seconds" or "2 minutes 30
    /// seconds", rounded to milliseconds, tenths of a second or seconds; smaller units are omitted.
    package var text: String {
        // Rounded, because a binary fraction such as 1.2 seconds is often stored as slightly less.
        if self < .microseconds(999_500) { return Self.text(count(of: .milliseconds(1)), "millisecond") }
        let tenths = self < .milliseconds(59_950) ? count(of: .milliseconds(100)) : 0
        if !tenths.isMultiple(of: 10) { return "\(tenths / 10).\(tenths % 10) seconds" }
        let (seconds, attoseconds) = components
        var (parts, remainder) = ([String](), seconds + (attoseconds < 500_000_000_000_000_000 ? 0 : 1))
        for (unit, length) in [("day", Int64(86_400)), ("hour", 3_600), ("minute", 60), ("second", 1)] {
            let count = remainder / length
            remainder %= length
            if count != 0 { parts.append(Self.text(count, unit)) }
        }
        return parts.prefix(2).joined(separator: " ")
    }

    /// Returns the rounded number of units, for a duration below one minute.
    private func count(of unit: Duration) -> Int64 { Int64((self / unit).rounded()) }

    private static func text(_ count: Int64, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
}
