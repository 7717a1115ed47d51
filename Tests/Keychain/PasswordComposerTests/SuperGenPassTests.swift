// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import PasswordComposer

/// Tests with values from supergenpass-lib's tests (github.com/chriszarate/supergenpass-lib, tests/generate.js).
@Suite struct SuperGenPassTests {
    @Test(
        "Passwords match SuperGenPass",
        arguments: [
            ("test", "example.com", SuperGenPassHash.md5, 10, "w9UbG0NEk7"),
            ("test", "example.com", .sha512, 10, "sJfoZg3nU8"),
            ("test", "example.com", .sha512, 4, "aC81"),
            ("test", "example.com", .md5, 24, "vBKDNdjhhL6dBfgDSRxZxAAA"),
            ("test", "example.com", .sha512, 24, "sJfoZg3nU8y32EyHFRlSY08u"),
            // The library's option "secret" is appended to the master password.
            ("testtest", "google.com", .md5, 12, "zPQSNhTzs9fS"),
            ("test", "https://www.google.com/", .sha512, 10, "q8ZWYccWDt"),
            ("test", "example.co.uk", .md5, 10, "aRFG84Gim9"),
            ("test", "example.gov.ac", .md5, 10, "hSF8nTst4A"),
            ("test", "email@example.com", .md5, 10, "pgQuWBavN6"),
            ("Γαζέες καὶ μυρτιὲς δὲν θὰ βρῶ πιὰ στὸ χρυσαφὶ ξέφωτο", "example.com", .md5, 10, "ft8iv4t5sX"),
            ("Benjamín pidió una bebida de kiwi y fresa", "example.com", .md5, 10, "o1AWdbILuJ"),
            ("Árvíztűrő tükörfúrógép", "example.com", .md5, 10, "iUL7ndPlsD"),
            ("わかよたれそつねならむ", "example.com", .md5, 10, "fDOVXY6AhC"),
            ("В чащах юга жил бы цитрус? Да, но фальшивый экземпляр!", "example.com", .md5, 10, "jtUcAzTL4l"),
            ("จงฝ่าฟันพัฒนาวิชาการ", "example.com", .md5, 10, "rnXePhv0JG"),
        ])
    func passwords(master: String, domain: String, hash: SuperGenPassHash, length: Int, password: String) throws {
        #expect(try compose(.superGenPass(hash, length: length), master, domain) == password)
    }
}
