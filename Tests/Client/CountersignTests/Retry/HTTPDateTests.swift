// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import Testing

@testable import Countersign

@Suite struct HTTPDateTests {
    /// The current time, 2026-11-21 12:00:00.
    private static let now = 1_795_262_400

    private static let dates: [(text: String, seconds: Int?)] = [
        // The three formats of RFC 9110 section 5.6.7.
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Wed, 29 Feb 2023 00:00:00 GMT", nil),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        // A two-digit year up to 50 years ahead is in the future, any other in the past.
        ("Saturday, 21-Nov-76 12:00:00 GMT", 3_373_185_600),
        ("Monday, 21-Nov-77 12:00:00 GMT", 248_961_600),
        // A leap second is valid only at the end of a day.
        ("Sat, 31 Dec 2016 23:58:60 GMT", nil),
        ("Sat, 31 Dec 2016 12:00:60 GMT", nil),
        ("Tue, 30 Feb 2027 00:00:00 GMT", nil),
        ("Tuesday, 30-Feb-27 00:00:00 GMT", nil),
        ("Tue Feb 30 00:00:00 2027", nil),
        ("Fri, 29 Feb 1900 00:00:00 GMT", nil),
        ("Sat, 01 Jan 0000 00:00:00 GMT", nil),
        ("Sun, 00 Nov 1994 08:49:37 GMT", nil),
        ("Sun, 06 Nov 1994 25:00:00 GMT", nil),
        ("Sun, 06 Nov 1994 08:60:00 GMT", nil),
        ("Sun, 06 Nov 1994 08:49:37 CET", nil),
        ("Sun, 06 Nov 1994 8:49:37 GMT", nil),
        ("Sun, 06 Nov 94 08:49:37 GMT", nil),
        ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
        ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
        ("120", nil),
        ("", nil),
    ]

    @Test("All three date formats of RFC 9110 section 5.6.7 are parsed", arguments: dates)
    func dateFormats(text: String, seconds: Int?) {
        #expect(HTTPDate(text, now: Self.now)?.secondsSince1970 == seconds)
    }

    private static let retryAfterFields: [(fields: HTTPFields, seconds: Int?)] = [
        ([.retryAfter: "120"], 120),
        ([.retryAfter: " 0 "], 0),
        ([.retryAfter: "99999999999999999999999"], 1 << 40),
        ([.retryAfter: "-1"], nil),
        ([.retryAfter: "1.5"], nil),
        ([.retryAfter: "soon"], nil),
        ([.retryAfter: "Sat, 21 Nov 2026 12:00:30 GMT"], 30),
        ([.retryAfter: "Sat, 21 Nov 2026 11:00:00 GMT"], 0),
        ([.retryAfter: "Sat, 31 Nov 2026 12:00:30 GMT"], nil),
        // The server's clock is ten minutes ahead.
        ([.retryAfter: "Sat, 21 Nov 2026 12:10:30 GMT", .date: "Sat, 21 Nov 2026 12:10:00 GMT"], 30),
        ([:], nil),
    ]

    @Test("Retry-After is parsed as seconds or as a date", arguments: retryAfterFields)
    func retryAfter(fields: HTTPFields, seconds: Int?) {
        #expect(RetryAfter(fields, now: Self.now)?.wait == seconds.map { .seconds($0) })
    }
}
