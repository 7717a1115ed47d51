// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import Secrets
import Testing

/// Cookie files in the Netscape format.
@Suite struct CookieFileTests {
    @Test("A written cookie file is parsed back to the same cookies") func roundTrip() throws {
        let host = try HostName("a.com")
        let cookies = try [
            #require(StoredCookie(name: "a", value: Secret("1"), scope: .host(host), expiry: 1_900_000_000)),
            #require(
                StoredCookie(
                    name: "b", value: Secret("x=y\tz"), scope: .domain(host), path: "/p", isSecure: false,
                    isHTTPOnly: false)),
            #require(StoredCookie(name: "c", value: Secret(""), scope: .host(try HostName("::1")))),
        ]
        let bytes = CookieFile(cookies).bytes
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                # Netscape HTTP Cookie File
                #HttpOnly_a.com\tFALSE\t/\tTRUE\t1900000000\ta\t1
                .a.com\tTRUE\t/p\tFALSE\t0\tb\tx=y\tz
                #HttpOnly_::1\tFALSE\t/\tTRUE\t0\tc\t

                """)
        #expect(try CookieFile(reading: bytes).cookies == cookies)
    }

    @Test("Cookie files of other programs are parsed") func otherPrograms() throws {
        let text = "# Comment\r\n\r\n#a.com\tno line\n.a.com\ttrue\t/\tfalse\t0\tn\tv\r\nb.com\tTRUE\t/\tFALSE\t0\tn\tv"
        let cookies = try CookieFile(reading: Array(text.utf8)).cookies
        #expect(cookies.map(\.description) == ["n for *.a.com/", "n for *.b.com/"])
    }

    @Test(
        "The error for a malformed line states its number",
        arguments: [
            "a.com\tFALSE\t/\tFALSE\t0\tn", "a.com FALSE / FALSE 0 n v", "a.com\tMAYBE\t/\tFALSE\t0\tn\tv",
            "a.com\tFALSE\t/\tFALSE\tsoon\tn\tv", "\tFALSE\t/\tFALSE\t0\tn\tv", "a.com\tFALSE\tp\tFALSE\t0\tn\tv",
            "a.com\tFALSE\t/\tFALSE\t0\t\tv", "a.com\tFALSE\t/\tFALSE\t0\tn\tv;w",
            "a.com\tFALSE\t/\tFALSE\t0\t__Secure-n\tv",
        ])
    func malformedLines(line: String) throws {
        let file = Array("# one\n\n\(line)\n".utf8)
        do {
            _ = try CookieFile(reading: file)
            Issue.record("read")
        } catch .file(.malformedCookies(let number)) {
            #expect(number == 3)
        }
    }
}
