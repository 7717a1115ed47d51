// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A DNS message (RFC 1035 section 4.1), of the domain name system or of multicast DNS (RFC 6762 section 18).
public struct DNSMessage: Hashable, Sendable {
    /// The identifier that a query and its response share; 0 in multicast DNS.
    public var id: UInt16
    /// The one-bit flags of the header.
    public var flags: Flags
    /// The kind of query, of four bits (OPCODE): 0, the default, for a standard query.
    public var operation: UInt8
    /// Whether the server could answer; no error by default.
    public var responseCode: DNSResponseCode
    /// The questions: one in nearly every query, and repeated in its response.
    public var questions: [DNSQuestion]
    /// The records that answer.
    ///
    /// In a query of multicast DNS, these are the records that the asker already knows (RFC 6762 section 7.1).
    public var answers: [DNSRecord]
    /// The records about the zone's authority: its NS records, or its SOA record in a negative response.
    ///
    /// In a probe of multicast DNS, these are the records that the asker claims (RFC 6762 section 8.2).
    public var authorities: [DNSRecord]
    /// Additional records, such as the addresses of name servers, and the OPT record (RFC 6891).
    public var additionals: [DNSRecord]

    /// The one-bit flags of a header (RFC 1035 section 4.1.1, RFC 4035 section 3).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits at their places in the third and fourth byte of the header.
        public let rawValue: UInt16

        /// Flags by their bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The message is a response.
        public static let response = Flags(rawValue: 0x8000)
        /// The server has authority for the name.
        public static let authoritative = Flags(rawValue: 0x0400)
        /// The message does not hold all records.
        public static let truncated = Flags(rawValue: 0x0200)
        /// The asker wants the server to ask other servers.
        public static let recursionDesired = Flags(rawValue: 0x0100)
        /// The server asks other servers for this asker.
        public static let recursionAvailable = Flags(rawValue: 0x0080)
        /// The server has checked the signatures.
        public static let authenticData = Flags(rawValue: 0x0020)
        /// The asker checks the signatures itself.
        public static let checkingDisabled = Flags(rawValue: 0x0010)
    }

    /// Makes a message of its parts; by default, an empty query.
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
    /// The first question or record that does not fit and all after it are left out, and ``Flags/truncated`` is set.
    ///
    /// - Parameters:
    ///   - maximumLength: The most bytes of the message, from 12 to 65,535, which is the default.
    ///   - compression: Which names in the data of records are compressed.
    /// - Returns: The message, without the length that TCP puts before it.
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

/// Whether a server could answer (RFC 1035 section 4.1.1).
public struct DNSResponseCode: RawRepresentable, Hashable, Sendable {
    /// The code, from 0 to 15.
    public let rawValue: UInt8

    /// Makes a code of the low four bits of a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0xF }

    /// The server answered, perhaps with no records.
    public static let noError = DNSResponseCode(rawValue: 0)
    /// The server could not read the query.
    public static let formatError = DNSResponseCode(rawValue: 1)
    /// The server failed.
    public static let serverFailure = DNSResponseCode(rawValue: 2)
    /// There is no such name.
    public static let nameError = DNSResponseCode(rawValue: 3)
    /// The server does not support this kind of query.
    public static let notImplemented = DNSResponseCode(rawValue: 4)
    /// The server will not answer this asker.
    public static let refused = DNSResponseCode(rawValue: 5)
}

extension DNSResponseCode: CustomStringConvertible {
    /// The code as programs of DNS print it, such as `NXDOMAIN`.
    public var description: String {
        let names = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"]
        return Int(rawValue) < names.count ? names[Int(rawValue)] : "RCODE\(rawValue)"
    }
}
