// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// Day and time in UTC, without a formatter and the locale data that it would load.
    var dayText: String { day + " " + timeOfDay }

    /// The day in UTC, and how far it is from the day of another instant: "2026-11-20 (yesterday)".
    func dayText(seenFrom now: Date) -> String { "\(day) (\(relativeDay(from: now)))" }

    private var day: String { String(formatted(.iso8601).prefix(10)) }

    private var timeOfDay: String { formatted(.iso8601).dropFirst(11).prefix(5) + " UTC" }

    private func relativeDay(from now: Date) -> String {
        let days = Self.dayNumber(self) - Self.dayNumber(now)
        return switch days {
        case 0: "today at \(timeOfDay)"
        case -1: "yesterday"
        case 1: "tomorrow"
        case ..<0: "\(-days) days ago"
        default: "in \(days) days"
        }
    }

    private static func dayNumber(_ date: Date) -> Int { Int((date.timeIntervalSince1970 / 86_400).rounded(.down)) }
}
