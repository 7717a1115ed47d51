// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Typical files, each with the host and login of a lookup.
enum NetrcSeeds {
    static let all = [
        "a.test\nmachine a.test login mary password secret",
        "a.test mary\nMACHINE A.TEST\n\tLogin mary\r\n\tPASSWORD secret\n",
        "a.test\n\u{FEFF}# mine\nmachine a.test password secret login mary account x",
        "a.test m a\nmachine a.test login \"m a\" password \"s\\\"\\\\\\n\\r\\t\\x #\"",
        "127.0.0.1\nmachine 127.0.0.1 login #m password s\"t\"\n#s\ns",
        "b.test\nmacdef init\nmachine a.test login x password y\n\nmachine B.test. login m password s "
            + "macdef x\r\ny\r\n\r\ndefault",
        "a.test n\nmachine a.test login m password s machine a.test login n password t",
        "a.test\nmachine a.test login m default login n password t",
        "c.test\nmachine b.test login m password \"\" default login n password t",
        "a.test\nmachine a.test login m password my secret",
        "a.test\nmachine a.test login m\npassword \"my\nsecret\"",
        "a.test\nlogin m machine",
        "[::1]\nmachine ::1 password p machine a.test login m login",
    ]

    /// The words that an error may contain, in addition to the number of a line.
    static let words: Set<String> = [
        "Challenges", "NetrcError", "NetrcFile", "Keyword", "line", "limit", "131072", "tooLarge", "unterminatedString",
        "unexpectedWord", "missingValue", "outsideEntry", "repeated", "notUTF8", "machine", "default", "login",
        "password", "account", "macdef",
    ]
}
