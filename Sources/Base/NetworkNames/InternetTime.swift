// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation

/// An instant or a day in the form of RFC 3339 section 5.6, such as `2026-11-21T10:00:00Z` and `2026-11-21`.
///
/// Foundation's parser turns 30 February into 2 March. This one refuses what does not exist, leap seconds included.
package struct InternetTime {
    /// The instant; of a day, its beginning in UTC.
    package let date: Date

    /// Reads an instant; `nil` for every other text.
    package init?(_ text: String) {
        var reader = DigitReader(text)
        guard let day = reader.takeDay(), reader.take("Tt"), let hour = reader.takeNumber(2), reader.take(":"),
            let minute = reader.takeNumber(2), reader.take(":"), let second = reader.takeNumber(2),
            let fraction = reader.takeFraction(), let offset = reader.takeOffset(), reader.isAtEnd
        else { return nil }
        let time = CivilTime(
            year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: second)
        guard let seconds = time.secondsSince1970() else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds - offset) + fraction)
    }

    /// Reads a day; `nil` for every other text.
    package init?(day text: String) {
        var reader = DigitReader(text)
        guard let day = reader.takeDay(), reader.isAtEnd, let seconds = day.secondsSince1970() else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds))
    }
}

/// Takes a text apart from its beginning.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Takes one character that is among these.
    mutating func take(_ characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Takes a number of exactly so many digits.
    mutating func takeNumber(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    mutating func takeDay() -> CivilTime? {
        guard let year = takeNumber(4), take("-"), let month = takeNumber(2), take("-"), let day = takeNumber(2) else {
            return nil
        }
        return CivilTime(year: year, month: month, day: day)
    }

    /// Takes a fraction of a second; 0 where there is none.
    mutating func takeFraction() -> Double? {
        guard take(".") else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0." + String(Substring(digits.prefix(9))))
    }

    /// Takes the distance from UTC, in seconds; east is positive.
    mutating func takeOffset() -> Int? {
        if take("Zz") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = takeNumber(2), hours < 24, take(":"), let minutes = takeNumber(2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes) * 60
    }
}
