// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import EssentialFoundation

/// An instant or a day in the format of RFC 3339 section 5.6, such as `2026-11-21T10:00:00Z` and `2026-11-21`.
///
/// Foundation's parser changes 30 February to 2 March. This parser
/// rejects invalid dates and times, including leap seconds.
package struct InternetTime {
    /// The instant; for a day, its beginning in UTC.
    package let date: Date

    /// Reads an instant; `nil` if the text has another form.
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

    /// Reads a day; `nil` if the text has another form.
    package init?(day text: String) {
        var reader = DigitReader(text)
        guard let day = reader.takeDay(), reader.isAtEnd, let seconds = day.secondsSince1970() else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds))
    }
}

/// Reads a text from its beginning.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads a character if it is one of the given characters.
    mutating func take(_ characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads a number with exactly the given number of digits.
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

    /// Reads a fraction of a second; 0 if there is none.
    mutating func takeFraction() -> Double? {
        guard take(".") else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0." + String(Substring(digits.prefix(9))))
    }

    /// Reads the offset from UTC, in seconds; offsets east of UTC are positive.
    mutating func takeOffset() -> Int? {
        if take("Zz") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = takeNumber(2), hours < 24, take(":"), let minutes = takeNumber(2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes) * 60
    }
}
