// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Countersign

@Suite struct CookieDateTests {
    private static let dates: [(text: String, seconds: Int?)] = [
        ("Wed, 09 Jun 2021 10:18:14 GMT", 1_623_233_894),
        ("Wed, 09-Jun-2021 10:18:14 GMT", 1_623_233_894),
        ("Wed Jun  9 10:18:14 2021", 1_623_233_894),
        ("9 June 2021 10:18:14", 1_623_233_894),
        ("10:18:14 2021 9 jUn", 1_623_233_894),
        ("Wednesday, 09-Jun-21 10:18:14 +0500", 1_623_233_894),  // Time zones are ignored.
        ("Wed, 09 Jun 2021 10:18:14garbage", 1_623_233_894),
        ("Wed, 9th Jun 2021x 10:18:14", 1_623_233_894),
        ("09 Jun 21 10:18:14", 1_623_233_894),
        ("1 Jan 70 0:0:0", 0),
        ("1 Jan 69 0:0:0", 3_124_224_000),
        ("29 Feb 2024 1:2:3", 1_709_168_523),
        ("29 Feb 2023 1:2:3", nil),
        ("29 Feb 1900 1:2:3", nil),
        ("29 Feb 2000 1:2:3", 951_786_123),
        ("30 Feb 2027 1:2:3", nil),
        ("31 Apr 2023 1:2:3", nil),
        ("0 Jan 2023 1:2:3", nil),
        ("32 Jan 2023 1:2:3", nil),
        ("1 Jan 1600 1:2:3", nil),
        ("1 Jan 1601 0:0:0", -11_644_473_600),
        ("1 Jan 9999 0:0:0", 253_370_764_800),
        ("1 Jan 10000 0:0:0", nil),
        ("1 Jan 2023 24:00:00", nil),
        ("1 Jan 2023 23:60:00", nil),
        ("1 Jan 2023 23:59:60", nil),
        ("1 Jan 2023 111:00:00", nil),
        ("1 Jan 2023 11:00", nil),
        ("1 Jan 2023", nil),
        ("Jan 2023 11:00:00", nil),
        ("1 2023 11:00:00", nil),
        ("1 Jan 11:00:00", nil),
        ("", nil),
        ("Thursday", nil),
    ]

    @Test("Cookie dates are parsed as in RFC 6265 section 5.1.1", arguments: dates)
    func parsing(text: String, seconds: Int?) {
        #expect(CookieDate(text)?.secondsSince1970 == seconds)
    }
}
