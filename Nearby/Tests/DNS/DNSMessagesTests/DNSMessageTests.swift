// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSMessages
import DNSNames
import Testing

@Suite struct DNSMessageTests {
    private static func name(_ text: String) throws -> DomainName { try DomainName(text) }

    private static func records() throws -> [DNSRecord] {
        let (host, other) = (try name("host.example."), try name("other.example."))
        var authority = StartOfAuthority(primary: host, mailbox: other, serial: ZoneSerial(7))
        authority.minimum = 5
        let data: [DNSRecordData] = [
            .address(try #require(IPAddress("192.0.2.1"))), .address(try #require(IPAddress("2001:db8::1"))),
            .nameServer(other), .alias(other), .subtreeAlias(other), .pointer(other), .authority(authority),
            .service(ServiceLocation(priority: 1, weight: 2, port: 443, target: other)),
            .text([Array("a=b".utf8), [], [0xFF]]),
            .nextSecure(host, types: [.a, .aaaa, .srv, DNSRecordType(rawValue: 0x1234)]),
            .other(DNSRecordType(rawValue: 65_280), [1, 2, 3]), .other(.opt, []),
        ]
        return data.map {
            DNSRecord(
                host, $0, timeToLive: 120, recordClass: $0.type == .opt ? 1_232 : 1, flushesCache: $0.type == .srv)
        }
    }

    @Test("The data of a record is read without a message, and only if it is complete")
    func recordData() throws {
        for data in try Self.records().map(\.data) {
            let bytes = data.uncompressed
            #expect(try DNSRecordData(data.type, decoding: bytes) == data)
            guard case .other = data else {
                #expect((try? DNSRecordData(data.type, decoding: bytes.dropLast())) != data)
                #expect((try? DNSRecordData(data.type, decoding: bytes + [0xFF])) != data)
                continue
            }
        }
        // The pointer points to itself.
        #expect(throws: DNSMessageError.malformedName) { try DNSRecordData(.ptr, decoding: [0xC0, 0]) }
    }

    @Test("Messages with all record types are unchanged by encoding and decoding, with both kinds of compression")
    func roundTrip() throws {
        let records = try Self.records()
        let message = DNSMessage(
            id: 0xBEEF, flags: [.response, .authoritative, .recursionDesired], operation: 2, responseCode: .refused,
            questions: [DNSQuestion(try Self.name("Host.Example."), .any, recordClass: 255, prefersUnicast: true)],
            answers: records, authorities: records.reversed(), additionals: records)
        for compression in [DNSMessageWriter.Compression.unicast, .multicast] {
            let bytes = message.encoded(compression: compression)
            #expect(try DNSMessage(decoding: bytes) == message)
            #expect(bytes.count < records.map(\.data.uncompressed.count).reduce(0, +) * 3 + 37 * 26)
        }
    }

    @Test("The names of RFC 1035 section 4.1.4 are compressed as shown there, and letter case is preserved")
    func compression() throws {
        var writer = DNSMessageWriter()
        for text in ["f.isi.arpa.", "foo.f.isi.arpa.", "arpa.", ".", "F.isi.arpa."] {
            let isAppended = writer.append(DNSQuestion(try Self.name(text), .a))
            #expect(isAppended)
        }
        let (entry, pointer) = ([UInt8(0), 1, 0, 1], { (offset: UInt8) in [0xC0, offset] })
        #expect(
            Array(writer.bytes.dropFirst(12)) == [1] + Array("f".utf8) + [3] + Array("isi".utf8) + [4]
                + Array("arpa".utf8) + [0] + entry + [3] + Array("foo".utf8) + pointer(12) + entry + pointer(18) + entry
                + [0] + entry + [1] + Array("F".utf8) + pointer(14) + entry)
    }

    @Test("The target of an SRV record is compressed in multicast DNS, and not in unicast DNS")
    func serviceTarget() throws {
        let host = try Self.name("host.example.")
        let record = DNSRecord(host, .service(ServiceLocation(port: 1, target: host)), timeToLive: 1)
        let message = DNSMessage(answers: [record])
        #expect(message.encoded().count - message.encoded(compression: .multicast).count == 12)
    }

    @Test("Records that do not fit are omitted, and the message is marked as truncated")
    func truncation() throws {
        let record = DNSRecord(
            try Self.name("host.example."), .text([[UInt8](repeating: 1, count: 200)]), timeToLive: 1)
        let message = DNSMessage(answers: Array(repeating: record, count: 10))
        let short = try DNSMessage(decoding: message.encoded(maximumLength: 512))
        #expect(short.answers.count == 2 && short.flags == .truncated)
        #expect(try DNSMessage(decoding: message.encoded()).flags == [])
    }

    private static let faulty: [([UInt8], DNSMessageError)] = [
        ([], .unexpectedEnd),
        ([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], .unexpectedEnd),
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9], .trailingBytes),
        // A name that points to itself, and two names that point to each other.
        ([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xC0, 12, 0, 1, 0, 1], .malformedName),
        ([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xC0, 14, 0xC0, 12, 0, 1, 0, 1], .malformedName),
        // A label type that was never used (RFC 6891 section 5).
        ([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x41, 1, 0, 0, 1, 0, 1], .malformedName),
        // An address of three bytes, and data that is longer than its name.
        (
            [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 3, 1, 2, 3],
            .malformedData(.a)
        ),
        (
            [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 12, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0],
            .malformedData(.ptr)
        ),
        // A string that exceeds the data.
        ([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 16, 0, 1, 0, 0, 0, 1, 0, 2, 5, 0], .unexpectedEnd),
    ]

    @Test("Malformed messages are rejected", arguments: faulty)
    func malformed(_ bytes: [UInt8], _ error: DNSMessageError) {
        #expect(throws: error) { try DNSMessage(decoding: bytes) }
    }

    @Test("A record with a malformed type list is kept as bytes, and the rest of the message is read")
    func malformedTypes() throws {
        // A type window without bytes.
        let bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 47, 0, 1, 0, 0, 0, 1, 0, 3, 0, 0, 0]
        let message = try DNSMessage(decoding: bytes)
        #expect(message.answers.map(\.data) == [.other(.nsec, [0, 0, 0])])
    }

    @Test("A name of more than 255 bytes made of pointers is rejected")
    func longName() {
        // Each name is a label of 63 bytes and a pointer to the previous name.
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0]
        var last: Int?
        for _ in 0..<5 {
            let start = bytes.count
            bytes += [63] + [UInt8](repeating: 97, count: 63)
            bytes += last.map { [0xC0 | UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? [0]
            bytes += [0, 1, 0, 1]
            last = start
        }
        #expect(throws: DNSMessageError.malformedName) { try DNSMessage(decoding: bytes) }
    }

    @Test("A changed or truncated message is either rejected, or unchanged by encoding and decoding")
    func mutations() throws {
        let records = try Self.records()
        let complete = DNSMessage(answers: records, additionals: records).encoded(compression: .multicast)
        var random = SystemRandomNumberGenerator()
        var accepted = 0
        for _ in 0..<5_000 {
            var bytes = Array(complete.prefix(Bool.random() ? complete.count : Int.random(in: 0..<complete.count)))
            for _ in 0..<Int.random(in: 1...4) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count)] = UInt8.random(in: .min ... .max, using: &random)
            }
            guard let message = try? DNSMessage(decoding: bytes) else { continue }
            // An NSEC record that cannot be parsed is stored as bytes; its compressed name may change its meaning when
            // it is written again.
            guard !message.records.contains(where: { if case .other(.nsec, _) = $0.data { true } else { false } })
            else {
                continue
            }
            accepted += 1
            #expect(try DNSMessage(decoding: message.encoded(compression: .multicast)) == message)
        }
        #expect(accepted > 0)
    }
}

extension DNSMessage {
    fileprivate var records: [DNSRecord] { answers + authorities + additionals }
}
