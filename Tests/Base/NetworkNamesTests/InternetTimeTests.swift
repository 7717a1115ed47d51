// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import NetworkNames
import Testing

@Suite("Dates of RFC 3339 are read") struct InternetTimeTests {
    @Test(
        "A time is read, and one that does not exist is refused",
        arguments: [
            ("1970-01-01T00:00:00Z", 0 as Double?),
            ("2026-11-21T10:00:00Z", 1_795_255_200),
            ("2026-11-21t10:00:00z", 1_795_255_200),
            ("2026-11-21T12:30:00+02:30", 1_795_255_200),
            ("2026-11-21T08:00:00-02:00", 1_795_255_200),
            ("2026-11-21T10:00:00.25Z", 1_795_255_200.25),
            ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2000-02-29T00:00:00Z", 951_782_400),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2027-02-30T00:00:00Z", nil),
            ("2027-02-29T00:00:00Z", nil),
            ("1900-02-29T00:00:00Z", nil),
            ("2027-04-31T00:00:00Z", nil),
            ("2027-13-01T00:00:00Z", nil),
            ("2027-00-01T00:00:00Z", nil),
            ("2027-01-00T00:00:00Z", nil),
            ("0000-01-01T00:00:00Z", nil),
            ("2027-01-01T24:00:00Z", nil),
            ("2027-01-01T25:00:00Z", nil),
            ("2027-01-01T00:60:00Z", nil),
            ("2016-12-31T23:59:60Z", nil),
            ("2027-01-01T00:00:00", nil),
            ("2027-01-01T00:00:00.Z", nil),
            ("2027-01-01T00:00:00+24:00", nil),
            ("2027-01-01T00:00:00+0100", nil),
            ("2027-01-01 00:00:00Z", nil),
            ("2027-01-01T00:00:00Z ", nil),
            ("27-01-01T00:00:00Z", nil),
            ("12027-01-01T00:00:00Z", nil),
            ("+027-01-01T00:00:00Z", nil),
            ("2027-1-1T00:00:00Z", nil),
            ("٢٠٢٧-01-01T00:00:00Z", nil),
            ("", nil),
        ])
    func instants(text: String, seconds: Double?) {
        #expect(InternetTime(text)?.date.timeIntervalSince1970 == seconds)
    }

    @Test(
        "A day is read, and a day that does not exist is refused",
        arguments: [
            ("2026-11-21", 1_795_219_200 as Double?), ("2024-02-29", 1_709_164_800), ("2027-02-29", nil),
            ("2027-02-30", nil), ("2027-11-31", nil), ("0000-01-01", nil), ("2027-13-01", nil), ("2027-1-1", nil),
            ("2027-01-01T00:00:00Z", nil), ("tomorrow", nil), ("", nil),
        ])
    func days(text: String, seconds: Double?) {
        #expect(InternetTime(day: text)?.date.timeIntervalSince1970 == seconds)
    }
}
