// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A SignedCertificateTimestampList (RFC 6962 section 3.3): promises of logs to include a certificate, not yet verified.
public struct TimestampList: Hashable, Sendable {
    /// Certificates have two to five.
    static let limit = 16

    let elements: [SignedCertificateTimestamp.Reading]

    /// How many timestamps it has, those included that cannot be read.
    public var count: Int { elements.count }

    /// Reads a list, such as the data of the TLS extension `signed_certificate_timestamp` (RFC 6962 section 3.3.1).
    ///
    /// A timestamp of another version than 1, or one that is malformed, does not make the list malformed: the length before each
    /// tells where the next one begins.
    ///
    /// - Parameter tlsEncoded: The length of the list in two octets, the list, and nothing after it.
    /// - Throws: ``TimestampListError`` where the list does not have this form, is empty, or has more than 16 timestamps.
    public init(tlsEncoded: [UInt8]) throws(TimestampListError) {
        try self.init(tlsEncoded[...])
    }

    init(_ bytes: ArraySlice<UInt8>) throws(TimestampListError) {
        var outer = TLSReader(bytes)
        guard let list = outer.vector(lengthOctets: 2), outer.rest.isEmpty else { throw .malformed }
        var reader = TLSReader(list)
        var elements: [SignedCertificateTimestamp.Reading] = []
        repeat {
            guard elements.count < Self.limit else { throw .tooMany(limit: Self.limit) }
            guard let element = reader.vector(lengthOctets: 2), !element.isEmpty else { throw .malformed }
            elements.append(SignedCertificateTimestamp.read(element))
        } while !reader.rest.isEmpty
        self.elements = elements
    }

    /// Reads the value of an extension of a certificate or of an OCSP response: the list in an OCTET STRING (section 3.3).
    init(extensionValue: ArraySlice<UInt8>) throws(TimestampListError) {
        var reader = DERReader(extensionValue)
        guard let octets = reader.next(), octets.tag == DERTag.octetString, reader.rest.isEmpty else {
            throw .malformed
        }
        try self.init(octets.content)
    }
}

/// Why bytes are no list of signed certificate timestamps.
@nonexhaustive
public enum TimestampListError: Error, Hashable, Sendable {
    /// The bytes are not in the encoding of RFC 6962 section 3.3, or the list is empty.
    case malformed
    /// The list has more timestamps than the limit, which is 16.
    case tooMany(limit: Int)
}
