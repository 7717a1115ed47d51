// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import ReverseZones
import Testing

@Suite struct ZoneFileReaderTests {
    private static let zone = """
        $TTL 1h
        @  IN SOA ns1 hostmaster ( 2026112500 ; the serial
                4h 1h30m 2w
                300 )
           NS  ns1
        ns1 3600 IN A 192.0.2.1
            AAAA 2001:db8::1
        www CNAME ns1
        mail MX 10 ns1
        note TXT "a ; b ( \\" c" d
        $ORIGIN lab
        a\\.b IN 60 A 192.0.2.2
        $GENERATE 1-5/2 host${10,3,d} A 192.0.2.$
        """

    @Test("Names of records are made absolute") func zone() throws {
        let origin = try DomainName("example.net")
        let records = try ZoneFileReader.records(in: Self.zone, origin: origin)
        let owners = records.map(\.owner.description)
        #expect(
            owners == [
                "example.net.", "example.net.", "ns1.example.net.", "ns1.example.net.", "www.example.net.",
                "a\\.b.lab.example.net.", "host011.lab.example.net.", "host013.lab.example.net.",
                "host015.lab.example.net.",
            ])
        guard case .authority(let soa) = records[0].value else {
            Issue.record("\(records[0])")
            return
        }
        #expect(
            soa.serial.value == 2_026_112_500 && soa.retry == 5_400 && soa.expire == 1_209_600 && soa.minimum == 300)
        let hosts = ReverseHost.hosts(in: records, of: try AddressBlock("192.0.2.0/30"))
        #expect(hosts.map(\.address.description) == ["192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.3"])
    }

    @Test(
        "Errors in a file contain the line number",
        arguments: [
            ("a A 1.2.3", 1, "not an IPv4 address"), ("\n\na..b A 192.0.2.1", 3, "not a domain name"),
            ("a A", 1, "one value"),
            ("a A 192.0.2.1 x", 1, "one value"), ("a ( A 192.0.2.1", 1, "not closed"),
            ("a A 192.0.2.1 )", 1, "no matching ("),
            ("a TXT \"b\nc\"", 1, "quote"), (" A 192.0.2.1", 1, "no owner"), ("a", 1, "no type"),
            ("$INCLUDE /etc/passwd", 1, "not supported"), ("$GENERATE 5-1 $ A 192.0.2.$", 1, "range"),
            ("$GENERATE 0-999999999 $ PTR a", 1, "range"), ("$GENERATE 1-2 ${1,99} PTR a", 1, "format"),
            ("$GENERATE 1-2 ${-9223372036854775808} PTR a", 1, "format"),
            ("$GENERATE 0-9223372036854775807/9223372036854775807 ${1} PTR a", 1, "range"),
            ("a SOA b c d 1 2 3 4", 1, "serial"), ("$ORIGIN", 1, "one name"), ("a TXT b\\\nc", 1, "ends a line"),
        ])
    func problems(text: String, line: Int, reason: String) throws {
        #expect { try ZoneFileReader.records(in: text, origin: .root) } throws: { error in
            guard case ReverseZoneError.malformedLine(line, let found) = error else { return false }
            return found.contains(reason)
        }
    }

    @Test("All $GENERATE lines share one limit, including those with unsupported types") func generateLimit() {
        #expect(throws: ReverseZoneError.tooManyRecords(limit: ZoneFileReader.recordLimit)) {
            let text = "$GENERATE 0-9 $ TXT a\n$GENERATE 0-1999999 $ TXT a\n"
            _ = try ZoneFileReader.records(in: text, origin: .root)
        }
    }

    @Test("A changed file is either read or rejected, without a crash") func mutations() {
        var random = SystemRandomNumberGenerator()
        let bytes = Array(Self.zone.utf8)
        for _ in 0..<3_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = changed.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: changed[place] = UInt8.random(in: 0...255, using: &random)
                case 1: changed.remove(at: place)
                default: changed.insert(contentsOf: changed[place...].prefix(Int.random(in: 1...20)), at: place)
                }
            }
            _ = try? ZoneFileReader.records(in: String(decoding: changed, as: UTF8.self), origin: .root)
        }
    }

    @Test("The first name on each line of a hosts file is read") func hosts() throws {
        let hosts = try ReverseHost.hosts(in: "# ours\n192.0.2.1 a.example b\n\n2001:db8::1\tc.example. # d\n")
        #expect(hosts.map { "\($0.address) \($0.name)" } == ["192.0.2.1 a.example.", "2001:db8::1 c.example."])
        #expect(throws: ReverseZoneError.malformedLine(2, "\"a.example\" is not an address")) {
            try ReverseHost.hosts(in: "\na.example 192.0.2.1")
        }
        #expect(throws: ReverseZoneError.malformedLine(1, "it has no name after the address")) {
            try ReverseHost.hosts(in: "192.0.2.1")
        }
    }
}
