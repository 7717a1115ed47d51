// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Duration {
    /// The duration in the two largest units that it fills, such as "200 milliseconds", "1.5 seconds" or "2 minutes 30
    /// seconds"; smaller units are omitted.
    package var text: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if seconds == 0 { return Self.text(milliseconds, "millisecond") }
        let tenths = milliseconds / 100
        if (1..<60).contains(seconds), tenths > 0 { return "\(seconds).\(tenths) seconds" }
        var (parts, remainder) = ([String](), seconds)
        for (unit, length) in [("day", Int64(86_400)), ("hour", 3_600), ("minute", 60), ("second", 1)] {
            let count = remainder / length
            remainder %= length
            if count != 0 { parts.append(Self.text(count, unit)) }
        }
        return parts.prefix(2).joined(separator: " ")
    }

    private static func text(_ count: Int64, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
}
