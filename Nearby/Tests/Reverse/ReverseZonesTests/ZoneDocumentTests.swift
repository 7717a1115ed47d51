// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import ReverseZones
import Testing

@Suite struct ZoneDocumentTests {
    private static let zone = """
        ; a zone, with an \u{E9} of another encoding
        $ORIGIN 2.0.192.in-addr.arpa.
        $TTL 30 ; short
        @ IN SOA ns1.example.net. h.example.net. ( 7 ; the serial
              4h 1h 2w 1h )
          IN NS ns1.example.net. ; the first
        1 IN PTR a.example.net.
          IN TXT "not understood ; at all"
        $GENERATE 10-12 $ IN PTR h$.example.net.
        $ORIGIN sub.2.0.192.in-addr.arpa.
        2 30 IN PTR b.example.net. ; a printer
        """

    private static func bytes() -> [UInt8] { Array(zone.utf8).filter { $0 != 0xC3 } }

    @Test("An unchanged file is written with the same bytes") func unchanged() throws {
        let document = try ZoneDocument(Self.bytes())
        #expect(document.changedBytes == Self.bytes() && !document.isChanged)
        #expect(document.origin.description == "2.0.192.in-addr.arpa." && document.authority?.serial.value == 7)
    }

    @Test("Changes preserve the other lines, their comments and owners") func changes() throws {
        var document = try ZoneDocument(Self.bytes())
        let (gone, generated) = (try DomainName("a.example.net"), try DomainName("h11.example.net"))
        document.edit { record in
            guard case .pointer(let name) = record.value, name == gone || name == generated else { return record }
            return nil
        }
        document.editTimes { $0 < 60 ? 3_600 : $0 }
        document.setSerial(ZoneSerial(8))
        document.add(ZoneRecord(try DomainName("9.sub.2.0.192.in-addr.arpa"), .pointer(gone)))
        let lines = String(decoding: document.changedBytes, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(
            lines.dropFirst() == [
                "$ORIGIN 2.0.192.in-addr.arpa.", "$TTL 3600 ; short",
                "@ IN SOA ns1.example.net. h.example.net. ( 8 ; the serial", "      4h 1h 2w 1h )",
                "  IN NS ns1.example.net. ; the first",
                "1.2.0.192.in-addr.arpa.  IN TXT \"not understood ; at all\"",
                "10                      IN PTR     h10.example.net.",
                "12                      IN PTR     h12.example.net.", "$ORIGIN sub.2.0.192.in-addr.arpa.",
                "2                       3600 IN PTR     b.example.net. ; a printer",
                "9                       IN PTR     a.example.net.",
            ])
        #expect(document.changedBytes.prefix(46) == Self.bytes().prefix(46))
        let again = try ZoneDocument(document.changedBytes)
        #expect(again.records.map(\.owner) == document.records.map(\.owner) && again.authority?.serial.value == 8)
    }

    @Test("A file with a relative SOA owner uses the given zone name, and is rejected without one")
    func unnamedZone() throws {
        let bytes = Array("@ IN SOA ns1.example.net. h.example.net. 7 4h 1h 2w 1h\n".utf8)
        let origin = try DomainName("2.0.192.in-addr.arpa")
        let document = try ZoneDocument(bytes, origin: origin)
        #expect(document.origin == origin)
        #expect(throws: ReverseZoneError.unnamedZone) { _ = try ZoneDocument(bytes) }
    }

    @Test("Records of unknown types are written in the format of RFC 3597") func unknownTypes() throws {
        let record = ZoneRecord(try DomainName("a"), .other(DNSRecordType(rawValue: 65_280), [1, 255]), timeToLive: 5)
        #expect(record.line == "a. 5 IN TYPE65280 \\# 2 01ff")
    }

    @Test("A changed file is either edited or rejected, without a crash") func mutations() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var changed = Self.bytes()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = changed.indices.randomElement(using: &random) ?? 0
                if Bool.random(using: &random) {
                    changed[place] = .random(in: 0...255, using: &random)
                } else {
                    changed.remove(at: place)
                }
            }
            guard var document = try? ZoneDocument(changed) else { continue }
            #expect(document.changedBytes == changed)
            document.edit { $0.value.type == .ptr ? nil : $0 }
            document.setSerial(ZoneSerial(8))
            _ = document.changedBytes
        }
    }
}
