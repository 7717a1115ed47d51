// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Testing

@testable import CurlReplay

@Suite
struct CommandTests {
    private static func operations(_ line: String) -> [CurlOperation] {
        CurlCommand(line) { $0 == "file" ? Array("a\nb\n".utf8) : nil }.operations
    }

    @Test(
        "A command line is split into words as by a shell",
        arguments: [
            ("a  b\n c", ["a", "b", "c"]),
            ("'a b' \"c \\\" d\" e\\ f", ["a b", "c \" d", "e f"]),
            ("dom\\\\me 'x\\\\y' \"x\\\\y\" \"x\\y\"", ["dom\\me", "x\\\\y", "x\\y", "x\\y"]),
            ("-A \"\" a'b'c", ["-A", "", "abc"]),
        ])
    func words(line: String, words: [String]) {
        #expect(ShellWords(line).words == words)
    }

    @Test(
        "URL patterns are expanded",
        arguments: [
            (
                "http://a/{x,y}?[08-10]",
                ["http://a/x?08", "http://a/x?09", "http://a/x?10", "http://a/y?08", "http://a/y?09", "http://a/y?10"]
            ),
            ("http://[::1]/", ["http://[::1]/"]),
            ("[a-e:2]", ["a", "c", "e"]),
        ])
    func patterns(pattern: String, urls: [String]) {
        #expect(URLPattern.expand(pattern) == urls)
    }

    @Test("Short and long options are parsed") func options() throws {
        let operation = try #require(
            Self.operations("-sSu me:a:b --proxy=p:1 -Upu: http://a -d x -d @file -L -p").first)
        #expect(operation.user == UserInfo(name: "me", password: "a:b"))
        #expect(operation.proxyUser == UserInfo(name: "pu", password: ""))
        #expect(operation.proxy == "p:1")
        #expect(operation.urls == ["http://a"])
        #expect(operation.form?.bytes == Array("x&ab".utf8))
        #expect(operation.redirects == .followed)
        #expect(operation.tunnelsAlways)
        #expect(operation.unsupported.isEmpty)
    }

    @Test("Authentication methods are parsed for each operation") func methods() throws {
        let operations = Self.operations("--digest -u a:b x --next y --anyauth --proxy-ntlm --socks5 z")
        #expect(operations.map(\.urls) == [["x"], ["y"]])
        #expect(operations.first?.methods == [.digest])
        #expect(operations.last?.methods == OptionNames.anyMethod)
        #expect(operations.last?.proxyMethods == [.ntlm])
        #expect(operations.last?.user == nil)
        #expect(operations.last?.unsupported == ["--socks5"])
    }

    @Test("A file of options is parsed to the same words") func configFile() {
        let text = "# none\nurl = \"http://a/\\tb\"\n-u x:y\n  proxytunnel\nnext\nurl:c d\n"
        let words = ["--url", "http://a/\tb", "-u", "x:y", "--proxytunnel", "--next", "--url", "c"]
        #expect(ConfigWords(text).words == words)
    }

    @Test(
        "A URL is split into its parts",
        arguments: [
            ("a", "http://a", nil, "a", nil),
            ("http://u%40:p%3a@h.b:80/x@y", "http://h.b:80/x@y", UserInfo(name: "u@", password: "p:"), "h.b", 80),
            ("https://:p@[::1]:2?q", "https://[::1]:2?q", UserInfo(name: "", password: "p"), "[::1]", 2),
        ])
    func parts(written: String, bare: String, user: UserInfo?, host: String, port: Int?) throws {
        let url = try CurlURL(written)
        #expect(url.bare == bare)
        #expect(url.user == user)
        #expect(url.host == host)
        #expect(url.port == port)
    }
}
