// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import ErrorExplanations
import ReverseZones
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct ReverseDelegationTests {
    private static func servers() throws -> [DomainName] {
        try [DomainName("ns1.example.net"), DomainName("ns2.example.net")]
    }

    private static func authority() throws -> StartOfAuthority {
        StartOfAuthority(
            primary: try DomainName("ns1.example.net"), mailbox: try DomainName("hostmaster.example.net"),
            serial: ZoneSerial(2_026_112_500))
    }

    /// Returns the first addresses of a block, at most 256.
    private static func addresses(of block: AddressBlock) -> [IPAddress] {
        let bits = block.first.bytes.count * 8 - block.prefixLength
        return (0..<(1 << min(bits, 8))).compactMap { number in
            var bytes = block.first.bytes
            bytes[bytes.count - 1] += UInt8(number)
            return IPAddress(bytes: bytes)
        }
    }

    private static func hosts(of block: AddressBlock) throws -> [ReverseHost] {
        try addresses(of: block).enumerated().map { ReverseHost($1, try DomainName("host-\($0).example.net")) }
    }

    @Test("The well-known /27 is delegated as in RFC 2317") func example() throws {
        let block = try AddressBlock("206.126.7.64/27")
        let delegation = try ReverseDelegation(of: block, nameServers: try Self.servers())
        let parent = try ReverseDelegation.parentFile(of: [delegation]).text.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(
            parent.prefix(5) == [
                "$ORIGIN 7.126.206.in-addr.arpa.", "64/27 IN NS ns1.example.net.", "64/27 IN NS ns2.example.net.",
                "64 IN CNAME 64.64/27", "65 IN CNAME 65.64/27",
            ])
        #expect(parent.last == "95 IN CNAME 95.64/27" && parent.count == 35)
        let host = ReverseHost(try #require(IPAddress("206.126.7.66")), try DomainName("mail.example.net"))
        let files = try delegation.zoneFiles(of: [host], authority: try Self.authority())
        #expect(files.map(\.fileName) == ["64-27.7.126.206.in-addr.arpa.zone"])
        #expect(files[0].text.hasPrefix("$ORIGIN 64/27.7.126.206.in-addr.arpa.\n$TTL 86400\n@ "))
        #expect(files[0].text.hasSuffix("66                      IN PTR     mail.example.net.\n"))
        let short = try ReverseDelegation.parentFile(of: [delegation], generates: true).text
        #expect(short.hasSuffix("$GENERATE 64-95 $ CNAME $.64/27\n"))
    }

    static let blocks: [(block: String, style: DelegationStyle?)] = {
        let (own, other) = (
            (try? DomainName("rev.example.net")) ?? .root, (try? DomainName("rev6.example.net")) ?? .root
        )
        let styles: [DelegationStyle] = [.slash, .hyphen, .range, .label("customer"), .addresses, .domain(own)]
        var blocks: [(block: String, style: DelegationStyle?)] = []
        for length in 25...32 {
            for style in styles { blocks.append(("192.0.2.\(length == 25 ? 128 : 64)/\(length)", style)) }
        }
        for block in [
            "192.0.2.0/25", "192.0.2.0/24", "198.18.0.0/15", "203.0.112.0/20", "10.0.0.0/8", "2001:db8:42::/48",
            "2001:db8:40::/45", "2001:db8::4/126", "2001:db8::7/128",
        ] { blocks.append((block, nil)) }
        return blocks + [("192.0.2.0/24", .dname(own)), ("2001:db8:42::/48", .dname(other))]
    }()

    @Test("Each address resolves through the files of both sides", arguments: blocks)
    func resolution(block: String, style: DelegationStyle?) throws {
        let block = try AddressBlock(block)
        let delegation = try ReverseDelegation(of: block, style: style, nameServers: try Self.servers())
        let hosts = try Self.hosts(of: block)
        let zones = try delegation.zoneFiles(of: hosts, authority: try Self.authority())
        for generates in [false, true] {
            let parent = try ReverseDelegation.parentFile(of: [delegation], generates: generates)
            let resolution = try Resolution(parent: parent, zones: zones)
            for host in hosts { #expect(try resolution.pointers(of: host.address) == [host.name], "\(host)") }
        }
    }

    @Test(
        "BIND accepts the files", .enabled(if: Checker.isInstalled, "named-checkzone is not installed"),
        arguments: blocks
    )
    func bind(block: String, style: DelegationStyle?) throws {
        let block = try AddressBlock(block)
        let delegation = try ReverseDelegation(of: block, style: style, nameServers: try Self.servers())
        for generates in [false, true] {
            let parent = try ReverseDelegation.parentFile(of: [delegation], generates: generates)
            try Checker.check(parent, isPart: true)
        }
        for zone in try delegation.zoneFiles(of: try Self.hosts(of: block), authority: try Self.authority()) {
            try Checker.check(zone, isPart: zone.timeToLive == nil)
        }
    }

    @Test("Several blocks of one zone are planned together, unless they overlap") func several() throws {
        func delegation(_ block: String, _ style: DelegationStyle? = nil) throws -> ReverseDelegation {
            try ReverseDelegation(of: try AddressBlock(block), style: style, nameServers: try Self.servers())
        }
        let file = try ReverseDelegation.parentFile(of: [
            try delegation("192.0.2.128/26", .hyphen), try delegation("192.0.2.0/25"),
            try delegation("192.0.2.192/26", .range),
        ])
        let records = try ZoneFileReader.records(in: file.text, origin: .root)
        #expect(records.count == 256 + 6)
        #expect(Set(records.filter { if case .alias = $0.value { true } else { false } }.map(\.owner)).count == 256)
        #expect(throws: ReverseZoneError.overlap("192.0.2.0/25", "192.0.2.64/27")) {
            try ReverseDelegation.parentFile(of: [try delegation("192.0.2.64/27"), try delegation("192.0.2.0/25")])
        }
        #expect(throws: ReverseZoneError.parentMismatch("192.0.2.0/25", "192.0.3.0/25")) {
            try ReverseDelegation.parentFile(of: [try delegation("192.0.3.0/25"), try delegation("192.0.2.0/25")])
        }
    }

    @Test("Blocks of several parents are planned together, and blocks of one parent may share a zone") func parents()
        throws
    {
        func delegation(_ block: String, _ style: DelegationStyle? = nil) throws -> ReverseDelegation {
            try ReverseDelegation(of: try AddressBlock(block), style: style, nameServers: try Self.servers())
        }
        let own = DelegationStyle.label("customer")
        let near = [try delegation("192.0.2.0/26", own), try delegation("192.0.2.128/26", own)]
        let hosts = try ["192.0.2.1", "192.0.2.129"].map {
            ReverseHost(try #require(IPAddress($0)), try DomainName("a.example"))
        }
        let files = try ReverseDelegation.zoneFiles(of: near, hosts: hosts, authority: try Self.authority())
        #expect(files.count == 1 && files[0].lines.count == 1 + 2 + 2)
        if Checker.isInstalled { try Checker.check(files[0], isPart: false) }
        let far = try near + [delegation("198.51.100.0/24"), delegation("2001:db8::/32")]
        #expect(
            try ReverseDelegation.parentFiles(of: far).map(\.origin.description).sorted() == [
                "2.0.192.in-addr.arpa.", "51.198.in-addr.arpa.", "b.d.0.1.0.0.2.ip6.arpa.",
            ])
        let domain = DelegationStyle.domain(try DomainName("rev.example.net"))
        let alike = [try delegation("192.0.2.0/26", domain), try delegation("192.0.3.0/26", domain)]
        #expect(throws: ReverseZoneError.sharedZone("rev.example.net.")) {
            try ReverseDelegation.zoneFiles(of: alike, hosts: [], authority: try Self.authority())
        }
    }

    @Test(
        "An impossible delegation is rejected with the reason",
        arguments: [
            ("192.0.2.64/27", DelegationStyle.label("65"), "reverse.label-of-address"),
            ("192.0.2.64/27", .label("200"), "reverse.label-of-address"),
            ("192.0.2.64/27", .label("a.b"), "reverse.malformed-label"),
            ("192.0.2.64/27", .label(""), "reverse.malformed-label"), ("192.0.2.64/27", .zones, "reverse.style"),
            ("192.0.2.0/24", .slash, "reverse.style"), ("192.0.2.0/23", .addresses, "reverse.style"),
            ("2001:db8::/126", .slash, "reverse.style"), ("192.0.2.64/27", .dname(.root), "reverse.style"),
            ("0.0.0.0/0", .zones, "reverse.style"),
        ])
    func problems(block: String, style: DelegationStyle, code: String) throws {
        let block = try AddressBlock(block)
        #expect { try ReverseDelegation(of: block, style: style, nameServers: try Self.servers()) } throws: { error in
            (error as? ReverseZoneError)?.explanation.code == code
        }
    }

    @Test(
        "An invalid block is rejected",
        arguments: [
            "", "192.0.2.0", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/ 8", "192.0.2.0/08", "192.0.2/24",
            "2001:db8::/129",
            "192.0.2.65/27", "2001:db8::1/64", "192.0.2.0/24/8",
        ])
    func malformedBlocks(text: String) { #expect(throws: ReverseZoneError.self) { try AddressBlock(text) } }

    @Test("A host outside the block and a delegation without servers are rejected") func strangers() throws {
        let block = try AddressBlock("192.0.2.64/27")
        #expect(throws: ReverseZoneError.noNameServers) { try ReverseDelegation(of: block, nameServers: []) }
        let delegation = try ReverseDelegation(of: block, nameServers: try Self.servers())
        let host = ReverseHost(try #require(IPAddress("192.0.2.1")), try DomainName("a"))
        #expect(throws: ReverseZoneError.hostOutsideBlock("192.0.2.1", block: "192.0.2.64/27")) {
            try delegation.zoneFiles(of: [host], authority: try Self.authority())
        }
    }

    @Test(
        "A serial increases to that of the day, or by one (RFC 1982)",
        arguments: [
            (2_026_112_400, 2_026_112_500), (2_026_112_500, 2_026_112_501), (2_026_112_599, 2_026_112_600),
            (7, 2_026_112_500),
            (4_294_967_295, 0),
        ] as [(UInt32, UInt32)])
    func serials(old: UInt32, new: UInt32) {
        let day = ZoneSerial.of(year: 2026, month: 11, day: 25)
        #expect(ZoneSerial(old).next(on: day).value == (old == .max ? day.value : new))
        #expect(ZoneSerial(old).isBefore(ZoneSerial(old).next(on: day)))
    }
}
