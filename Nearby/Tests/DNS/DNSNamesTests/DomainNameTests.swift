// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames
import Testing

@Suite struct DomainNameTests {
    @Test(
        "A name is read and written in master file notation",
        arguments: [
            ("example.com", "example.com."), ("example.com.", "example.com."), (".", "."), ("64/27.7.", "64/27.7."),
            ("a\\.b.c", "a\\.b.c."), ("\\097\\000.", "a\\000."), ("ü", "\\195\\188."), ("a\\;b", "a\\;b."),
        ])
    func texts(text: String, written: String) throws {
        let name = try DomainName(text)
        #expect(name.description == written)
        #expect(try DomainName(written) == name)
    }

    @Test("A name without a trailing dot is relative") func relative() throws {
        let origin = try DomainName("7.126.206.in-addr.arpa")
        let name = try DomainName("65.64/27", relativeTo: origin)
        #expect(name.description == "65.64/27.7.126.206.in-addr.arpa.")
        #expect(name.description(relativeTo: origin) == "65.64/27")
        #expect(origin.description(relativeTo: origin) == "@")
        #expect(try DomainName("x.", relativeTo: origin).description(relativeTo: origin) == "x.")
        #expect(name.isWithin(origin) && !origin.isWithin(name) && name.isWithin(.root))
    }

    @Test("Letters are compared case-insensitively") func letters() throws {
        #expect(try DomainName("EXAMPLE.com") == DomainName("example.COM"))
        #expect(try DomainName("É") != DomainName("é"))
        #expect(try Set([DomainName("A"), DomainName("a")]).count == 1)
    }

    @Test(
        "An invalid name is rejected",
        arguments: [
            ("", DomainNameError.emptyLabel), ("a..b", .emptyLabel), (".a", .emptyLabel), ("a\\", .malformedEscape),
            ("a\\25", .malformedEscape), ("a\\256", .malformedEscape), (String(repeating: "a", count: 64), .longLabel),
            (String(repeating: "abcdefg.", count: 32), .longName),
        ])
    func problems(text: String, error: DomainNameError) {
        #expect(throws: error) { try DomainName(text) }
    }

    @Test("The maximum length of a name is 255 bytes") func longest() throws {
        _ = try DomainName(String(repeating: "a.", count: 127))
        #expect(throws: DomainNameError.longName) { try DomainName(String(repeating: "a.", count: 128)) }
    }

    @Test(
        "An address has a reverse name",
        arguments: [
            ("206.126.7.65", "65.7.126.206.in-addr.arpa."),
            ("2001:db8::1", "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa."),
        ])
    func reverseNames(address: String, name: String) throws {
        let address = try #require(IPAddress(address))
        #expect(address.reverseName.description == name)
    }

    @Test(
        "An invalid address is rejected",
        arguments: ["", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "::g", "fe80::1%1", "1.2.3.4\0"])
    func addresses(text: String) { #expect(IPAddress(text) == nil) }
}
