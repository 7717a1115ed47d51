// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
@testable import XMLValues
import EssentialFoundation

@Suite struct DateConversionTests {
    @Test(
        "A value with a time zone can be converted to an instant",
        arguments: [
            ("1970-01-01T00:00:00Z", 0.0), ("2001-01-01T00:00:00Z", 978_307_200),
            ("2026-11-24T13:20:00+02:00", 1_795_519_200),
            ("1969-12-31T23:59:59.5Z", -0.5), ("1900-03-01T00:00:00Z", -2_203_891_200),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("-0001-01-01T00:00:00Z", -62_198_755_200),
        ])
    func instants(text: String, seconds: Double) throws {
        let value = try XMLDateTime.read("<v>\(text)</v>")
        #expect(value.date().timeIntervalSince1970 == seconds)
        #expect(XMLDateTime(Date(timeIntervalSince1970: seconds), zone: value.zone ?? 0) == value)
    }

    @Test("A value without a time zone uses the given zone") func zones() throws {
        let value = try XMLDateTime(year: 1970, month: 1, day: 1, hour: 2)
        #expect(value.date().timeIntervalSince1970 == 7_200)
        #expect(value.date(assuming: 120).timeIntervalSince1970 == 0)
    }

    @Test("Days are counted without a gap over 800 years") func days() {
        var expected = XMLCalendar.dayNumber(year: 1600, month: 1, day: 1)
        for year in 1600..<2400 {
            for month in 1...12 {
                for day in XMLCalendar.days(of: month, in: year) ?? 1...1 {
                    guard XMLCalendar.dayNumber(year: year, month: month, day: day) == expected,
                        XMLCalendar.date(of: expected) == (year, month, day)
                    else {
                        Issue.record("\(year)-\(month)-\(day)")
                        return
                    }
                    expected += 1
                }
            }
        }
    }

    @Test(
        "Extreme instants do not trap",
        arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, 1e-300, 0.999_999_9])
    func extremes(seconds: Double) throws {
        let value = XMLDateTime(Date(timeIntervalSinceReferenceDate: seconds), zone: 900)
        #expect(try XMLDateTime.read(value.text()) == value)
    }

    @Test("Durations in seconds are converted to Swift's Duration") func durations() throws {
        let text = "<v>-PT1.5S</v>"
        #expect(try XMLDuration.read(text).duration == .milliseconds(-1_500))
        #expect(try XMLDuration.read(text) == XMLDuration(.milliseconds(-1_500)))
        #expect(XMLDuration(.zero - .nanoseconds(1) / 2) == XMLDuration(.zero))
        #expect(try XMLDuration.read("<v>P1M</v>").duration == nil)
        #expect(throws: XMLValueError.self) { try XMLDuration(seconds: -1) }
    }
}
