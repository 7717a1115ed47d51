// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorChecks
import ErrorExplanations
import NetworkNames
import Testing

struct HostNameTests {
    static let label63 = String(repeating: "a", count: 63)
    static let name253 = [label63, label63, label63, String(repeating: "a", count: 61)].joined(separator: ".")

    @Test(
        "A host name has one canonical form",
        arguments: [
            (text: "example.test", canonical: "example.test"),
            (text: "EXAMPLE.Test", canonical: "example.test"),
            (text: "example.test.", canonical: "example.test"),
            (text: "localhost", canonical: "localhost"),
            (text: "xn--bcher-kva.test", canonical: "xn--bcher-kva.test"),
            (text: "_service.a.test", canonical: "_service.a.test"),
            (text: "1.2.3.a", canonical: "1.2.3.a"),
            (text: label63 + ".test", canonical: label63 + ".test"),
            (text: name253, canonical: name253),
            (text: name253 + ".", canonical: name253),
        ])
    func names(text: String, canonical: String) throws {
        let host = try HostName(text)
        #expect(host.description == canonical)
        #expect(!host.isAddress)
    }

    @Test(
        "An IP address has one canonical form (RFC 5952)",
        arguments: [
            (text: "192.0.2.1", canonical: "192.0.2.1"),
            (text: "0.0.0.0", canonical: "0.0.0.0"),
            (text: "::", canonical: "::"),
            (text: "::1", canonical: "::1"),
            (text: "[::1]", canonical: "::1"),
            (text: "1::", canonical: "1::"),
            (text: "2001:DB8:0:0:0:0:0:1", canonical: "2001:db8::1"),
            (text: "2001:db8:0:1:1:1:1:1", canonical: "2001:db8:0:1:1:1:1:1"),  // a single zero group is not compressed
            (text: "2001:0:0:1:0:0:0:1", canonical: "2001:0:0:1::1"),  // the longest run of zeros is compressed
            (text: "2001:db8:0:0:1:0:0:1", canonical: "2001:db8::1:0:0:1"),  // the first of two equal runs is replaced
            (text: "::ffff:192.0.2.1", canonical: "::ffff:c000:201"),
            (text: "1:2:3:4:5:6:1.2.3.4", canonical: "1:2:3:4:5:6:102:304"),
            (text: "1:2:3:4:5:6:7::", canonical: "1:2:3:4:5:6:7:0"),
            (text: "0001::", canonical: "1::"),
        ])
    func addresses(text: String, canonical: String) throws {
        let host = try HostName(text)
        #expect(host.description == canonical)
        #expect(host.isAddress)
        #expect(try HostName(canonical) == host)
    }

    @Test(
        "A malformed host name is refused",
        arguments: [
            "", ".", "..", "a..b", ".a", "-a.test", "a-.test", "a b", "a/b", "a@b", "*", "*.a.test", label63 + "a.test",
            "a" + name253, "a:1", "[a]", "[::1", "::1]", "[192.0.2.1]", "fe80::1%eth0", ":::", "1::2::3", ":1", "1:",
            "::12345",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "::+1", "::-1", "::1.2.3", "::1.2.3.04",
            "1.2.3.4::",
            "a\u{0}.test", "a.test\n", "::1|2", "1|2", "|", "1:|",
        ])
    func malformed(text: String) {
        #expect(throws: HostNameError.malformed(text)) { try HostName(text) }
    }

    @Test(
        "A host name that is not ASCII is refused",
        arguments: ["bücher.test", "a。test", "１.2.3.4", "::１", "ａ.test", "\u{212A}elvin.test", "a.test\u{200b}"])
    func notASCII(text: String) {
        #expect(throws: HostNameError.notASCII(text)) { try HostName(text) }
    }

    @Test(
        "An ambiguous IPv4 address is refused",
        arguments: [
            "127.1", "1", "0177.0.0.1", "192.0.2.01", "256.0.0.1", "1.2.3.4.5", "0x7f.1", "0x7f000001", "1.2.3.0x4",
            "0X7F000001", "1.2.3.4.", "2130706433", "a.1", "0x",
        ])
    func ambiguousAddresses(text: String) {
        #expect(throws: HostNameError.ambiguousAddress(text)) { try HostName(text) }
    }

    @Test("Every host name error explains itself under a unique code") func explanations() {
        #expect(problems(of: HostNameError.examples) == [])
    }
}
