// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import CurlReplay

@Suite
struct MacrosTests {
    private static let macros = Macros(
        ["HOSTIP": "127.0.0.1", "HTTPPORT": "8080", "HTTPSPORT": "8443", "TESTNUMBER": "7"],
        features: Features(["Proxy"]))

    @Test(
        "Macros are replaced",
        arguments: [
            ("http://%HOSTIP:%HTTPPORT/%TESTNUMBER0002", "http://127.0.0.1:8080/70002"),
            ("%HTTPSPORT", "8443"),
            ("100% %NOTHING %2", "100% %NOTHING %2"),
            ("%b64[a:b%20c]b64%", "YTpiIGM="),
            ("[%hex[%41%0a]hex%]", "[A\n]"),
            ("%repeat[3 x ab%21]%%CR", "ab!ab!ab!\r"),
            ("%b64[%repeat[2 x a]%]b64%, %b64[b]b64%", "YWE=, Yg=="),
            ("%repeat[x]%", "x"),
            ("%b64[open", "%b64[open"),
        ])
    func replacements(text: String, expanded: String) {
        #expect(String(decoding: Self.macros.expand(Array(text.utf8)), as: UTF8.self) == expanded)
    }

    @Test(
        "Conditional lines are kept or removed",
        arguments: [
            ("%if proxy\nyes\n%else\nno\n%endif\nend", "yes\nend"),
            ("%if !proxy\nyes\n%else\nno\n%endif\nend", "no\nend"),
            ("%if SSPI\n%if proxy\nyes\n%endif\nno\n%endif\nend", "end"),
            ("%else\n%endif\nend", "end"),
        ])
    func conditions(text: String, result: String) {
        #expect(String(decoding: Self.macros.expand(Array(text.utf8)), as: UTF8.self) == result)
    }

    @Test("A label is appended to host names that end in a number") func numericHosts() {
        let file = Array(
            "http://a.%TESTNUMBER:80/%TESTNUMBER http://a.%TESTNUMBER/ %TESTNUMBER0001 b.%TESTNUMBER9".utf8)
        let changed =
            "http://a.%TESTNUMBER.test:80/%TESTNUMBER http://a.%TESTNUMBER.test/ %TESTNUMBER0001 b.%TESTNUMBER9"
        #expect(String(decoding: HostLabels.appendLetters(to: file), as: UTF8.self) == changed)
    }
}
