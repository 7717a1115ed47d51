// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A DNS message (RFC 1035 section 4.1), of the domain name system or of multicast DNS (RFC 6762 section 18).
public struct DNSMessage: Hashable, Sendable {
    /// The identifier that a query and its response share; 0 in multicast DNS.
    public var id: UInt16
    /// The one-bit flags of the header.
    public var flags: Flags
    /// The kind of query (OPCODE), a four-bit number: 0, the default, is a standard query.
    public var operation: UInt8
    /// The response code (RCODE); no error by default.
    public var responseCode: DNSResponseCode
    /// The questions: nearly always one, which the response repeats.
    public var questions: [DNSQuestion]
    /// The answer section.
    ///
    /// In a multicast DNS query, it holds the records that the querier already knows (RFC 6762 section 7.1).
    public var answers: [DNSRecord]
    /// The authority section: the NS records of the zone, or its SOA record in a negative response.
    ///
    /// In a multicast DNS probe, it holds the records that the prober claims (RFC 6762 section 8.2).
    public var authorities: [DNSRecord]
    /// The additional section, such as the addresses of name servers and the OPT record (RFC 6891).
    public var additionals: [DNSRecord]

    /// The one-bit flags of a header (RFC 1035 section 4.1.1, RFC 4035 section 3).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The flags as bits of the third and fourth bytes of the header.
        public let rawValue: UInt16

        /// Creates flags from their bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The message is a response.
        public static let response = Flags(rawValue: 0x8000)
        /// The server is authoritative for the name.
        public static let authoritative = Flags(rawValue: 0x0400)
        /// The message is truncated: it does not contain all records.
        public static let truncated = Flags(rawValue: 0x0200)
        /// The client requests recursion.
        public static let recursionDesired = Flags(rawValue: 0x0100)
        /// The server offers recursion to this client.
        public static let recursionAvailable = Flags(rawValue: 0x0080)
        /// The server has verified the DNSSEC signatures.
        public static let authenticData = Flags(rawValue: 0x0020)
        /// The client verifies the DNSSEC signatures itself.
        public static let checkingDisabled = Flags(rawValue: 0x0010)
    }

    /// Creates a message from its parts; by default, an empty query.
    public init(
        id: UInt16 = 0, flags: Flags = [], operation: UInt8 = 0, responseCode: DNSResponseCode = .noError,
        questions: [DNSQuestion] = [], answers: [DNSRecord] = [], authorities: [DNSRecord] = [],
        additionals: [DNSRecord] = []
    ) {
        (self.id, self.flags, self.operation, self.responseCode) = (id, flags, operation, responseCode)
        (self.questions, self.answers) = (questions, answers)
        (self.authorities, self.additionals) = (authorities, additionals)
    }

    /// Encodes the message, with compressed names (RFC 1035 section 4.1.4).
    ///
    /// The first question or record that does not fit, and all after it, are omitted, and ``Flags/truncated`` is set.
    ///
    /// - Parameters:
    ///   - maximumLength: The maximum size of the message in bytes, from 12 to 65,535, which is the default.
    ///   - compression: The names in record data that are compressed.
    /// - Returns: The message, without the length prefix used over TCP.
    public func encoded(maximumLength: Int = 65_535, compression: DNSMessageWriter.Compression = .unicast) -> [UInt8] {
        var writer = DNSMessageWriter(
            id: id, flags: flags, operation: operation, responseCode: responseCode, maximumLength: maximumLength,
            compression: compression)
        let sections: [(DNSMessageWriter.Section, [DNSRecord])] = [
            (.answer, answers), (.authority, authorities), (.additional, additionals),
        ]
        guard questions.allSatisfy({ writer.append($0) }),
            sections.allSatisfy({ section, records in records.allSatisfy { writer.append($0, to: section) } })
        else {
            writer.setTruncated()
            return writer.bytes
        }
        return writer.bytes
    }
}

/// A response code (RCODE, RFC 1035 section 4.1.1).
public struct DNSResponseCode: RawRepresentable, Hashable, Sendable {
    /// The code, from 0 to 15.
    public let rawValue: UInt8

    /// Creates a code from the low four bits of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0xF }

    /// The server answered, possibly without records.
    public static let noError = DNSResponseCode(rawValue: 0)
    /// The server could not parse the query.
    public static let formatError = DNSResponseCode(rawValue: 1)
    /// The server failed.
    public static let serverFailure = DNSResponseCode(rawValue: 2)
    /// The name does not exist.
    public static let nameError = DNSResponseCode(rawValue: 3)
    /// The server does not support this kind of query.
    public static let notImplemented = DNSResponseCode(rawValue: 4)
    /// The server refuses to answer this client.
    public static let refused = DNSResponseCode(rawValue: 5)
}

extension DNSResponseCode: CustomStringConvertible {
    /// The code as DNS tools print it, such as `NXDOMAIN`.
    public var description: String {
        let names = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"]
        return Int(rawValue) < names.count ? names[Int(rawValue)] : "RCODE\(rawValue)"
    }
}
