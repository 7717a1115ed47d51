// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
public import ErrorExplanations
import EssentialFoundation

/// A signed certificate timestamp, a log's promise to include a certificate (RFC 6962 section 3.2), not yet verified.
struct SignedCertificateTimestamp: Hashable, Sendable {
    /// The signature algorithm (RFC 5246 section 7.4.1.4.1), one of the two that RFC 6962 section 2.1.4 allows.
    enum Algorithm: Hashable {
        case ecdsaWithSHA256
        case rsaWithSHA256
    }

    /// The SHA-256 hash of the log's key, 32 octets.
    let logID: [UInt8]
    /// The signed time in milliseconds since 1970-01-01, UTC.
    let milliseconds: UInt64
    let extensions: ArraySlice<UInt8>
    /// The signature algorithm; `nil` if it is not allowed.
    let algorithm: Algorithm?
    let signature: ArraySlice<UInt8>

    /// The time, with a resolution of one millisecond.
    var time: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension SignedCertificateTimestamp {
    private static let v1: UInt8 = 0
    private static let sha256: UInt8 = 4
    private static let rsa: UInt8 = 1
    private static let ecdsa: UInt8 = 3

    /// The result of reading an element of a timestamp list.
    enum Reading: Hashable {
        case timestamp(SignedCertificateTimestamp)
        /// The version of the timestamp is not 1, so its form is unknown (RFC 6962 section 3.3).
        case unsupportedVersion
        /// The timestamp has version 1 but not the form of that version.
        case malformed
    }

    /// Reads the content of a SerializedSCT.
    static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
        guard let version = bytes.first else { return .malformed }
        guard version == v1 else { return .unsupportedVersion }
        var reader = TLSReader(bytes.dropFirst())
        guard let logID = reader.bytes(32), let milliseconds = reader.bytes(8),
            let extensions = reader.vector(lengthOctets: 2), let algorithms = reader.bytes(2),
            let signature = reader.vector(lengthOctets: 2), !signature.isEmpty, reader.rest.isEmpty
        else { return .malformed }
        let algorithm: Algorithm? =
            switch (algorithms.first, algorithms.last) {
            case (sha256, ecdsa): .ecdsaWithSHA256
            case (sha256, rsa): .rsaWithSHA256
            default: nil
            }
        return .timestamp(
            Self(
                logID: Array(logID), milliseconds: milliseconds.reduce(0) { $0 << 8 | UInt64($1) },
                extensions: extensions, algorithm: algorithm,
                signature: signature))
    }
}

/// A SignedCertificateTimestampList (RFC 6962 section 3.3), the unverified promises of logs to include a certificate.
public struct TimestampList: Hashable, Sendable {
    /// The maximum number of timestamps; certificates have two to five.
    static let limit = 16

    let elements: [SignedCertificateTimestamp.Reading]
    /// The reason why a list from a handshake cannot be read, which has no elements then.
    let problem: TimestampListError?

    /// The number of timestamps, including those that cannot be read.
    public var count: Int { elements.count }

    /// Reads a list, such as the data of the TLS extension `signed_certificate_timestamp` (RFC 6962 section 3.3.1).
    ///
    /// A malformed timestamp, or one of a version other than 1, does
    /// not make the list malformed, because each has a length prefix.
    ///
    /// - Parameter tlsEncoded: The length of the list in two octets, and the list, without trailing bytes.
    /// - Throws: ``TimestampListError`` if the list does not have this form, is empty, or has more than 16 timestamps.
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
        (self.elements, problem) = (elements, nil)
    }

    /// Reads the data of the TLS extension as a server sent it; a defect is a finding of the evaluation instead of an
    /// error.
    ///
    /// - Parameter handshake: The data of the extension, at most 65,537 bytes by its encoding.
    public init(handshake: [UInt8]) {
        do throws(TimestampListError) {
            self = try Self(handshake[...])
        } catch {
            self = Self(problem: error)
        }
    }

    private init(problem: TimestampListError) { (elements, self.problem) = ([], problem) }

    /// Reads the extension value of a certificate or an OCSP response: the list in an OCTET STRING (section 3.3).
    init(extensionValue: ArraySlice<UInt8>) throws(TimestampListError) {
        var reader = DERReader(extensionValue)
        guard let octets = reader.next(), octets.tag == DERTag.octetString, reader.rest.isEmpty else {
            throw .malformed
        }
        try self.init(octets.content)
    }
}

/// An error of reading a list of signed certificate timestamps.
@nonexhaustive
public enum TimestampListError: Error, Hashable, Sendable {
    /// The bytes do not have the encoding of RFC 6962 section 3.3, or the list is empty.
    case malformed
    /// The list has more timestamps than the limit of 16.
    case tooMany(limit: Int)
}

extension TimestampListError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformed:
            ErrorExplanation(
                "timestamps.malformed", "The list of signed certificate timestamps cannot be read.",
                reason: "It is damaged, empty, or something else than a list of RFC 6962 section 3.3.",
                advice: "Give the data of the TLS extension signed_certificate_timestamp, as the server sent it.")
        case .tooMany(let limit):
            ErrorExplanation(
                "timestamps.too-many", "The list has more than \(limit) signed certificate timestamps.",
                reason: "The number is limited, because each of them costs time.",
                advice: "Give at most \(limit) timestamps; policies ask for two or three.")
        }
    }

    package static var examples: [Self] { [.malformed, .tooMany(limit: TimestampList.limit)] }
}

/// The entry for which a log signs a timestamp (RFC 6962 section 3.2).
enum LoggedEntry {
    /// The complete certificate, for timestamps that are delivered separately.
    case certificate([UInt8])
    /// The TBSCertificate without timestamps and the hash of the issuer's key, for timestamps in the certificate.
    case precertificate(issuerKeyHash: [UInt8], tbsCertificate: [UInt8])

    private static let certificateType: UInt64 = 0
    private static let precertificateType: UInt64 = 1

    /// The object identifier of the timestamps in a certificate, 1.3.6.1.4.1.11129.2.4.2.
    static let certificateExtension: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x02]
    /// The object identifier of the timestamps in an OCSP response, 1.3.6.1.4.1.11129.2.4.5.
    static let responseExtension: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x05]

    /// Returns the precertificate entry of a certificate; `nil` if the certificate contains no timestamps.
    static func beforeTimestamps(_ certificate: ParsedCertificate, issuer: ParsedCertificate) -> LoggedEntry? {
        guard let tbsCertificate = withoutTimestamps(certificate.signedBytes) else { return nil }
        return .precertificate(
            issuerKeyHash: Array(SHA256.hash(data: issuer.fields.publicKeyInfo)), tbsCertificate: tbsCertificate)
    }

    /// Returns the data that a timestamp's signature covers.
    func signedBytes(_ timestamp: SignedCertificateTimestamp) -> [UInt8] {
        // The first octets are version 1 and the signature type certificate_timestamp.
        var bytes: [UInt8] = [0, 0] + TLSEncoding.integer(timestamp.milliseconds, octets: 8)
        switch self {
        case .certificate(let certificate):
            bytes += TLSEncoding.integer(Self.certificateType, octets: 2)
            bytes += TLSEncoding.vector(certificate, lengthOctets: 3)
        case .precertificate(let hash, let tbsCertificate):
            bytes += TLSEncoding.integer(Self.precertificateType, octets: 2) + hash
            bytes += TLSEncoding.vector(tbsCertificate, lengthOctets: 3)
        }
        return bytes + TLSEncoding.vector(timestamp.extensions, lengthOctets: 2)
    }

    /// Returns a TBSCertificate without its timestamp extension; the other bytes are unchanged.
    ///
    /// - Returns: `nil` if there is no such extension, or more than one.
    static func withoutTimestamps(_ tbsCertificate: ArraySlice<UInt8>) -> [UInt8]? {
        var outer = DERReader(tbsCertificate)
        guard var fields = outer.enter(DERTag.sequence), outer.rest.isEmpty else { return nil }
        var remaining: [UInt8] = []
        var removed = 0
        while !fields.rest.isEmpty {
            guard let field = fields.next() else { return nil }
            guard field.tag == DERTag.constructed(3) else {
                remaining += field.bytes
                continue
            }
            guard let extensions = others(field.content, &removed) else { return nil }
            // An empty list of extensions is omitted, because it is not allowed (RFC 5280 section 4.1).
            if !extensions.isEmpty { remaining += element(DERTag.constructed(3), element(DERTag.sequence, extensions)) }
        }
        return removed == 1 ? element(DERTag.sequence, remaining) : nil
    }

    /// Returns the extensions other than the timestamp extension.
    private static func others(_ tagged: ArraySlice<UInt8>, _ removed: inout Int) -> [UInt8]? {
        var outer = DERReader(tagged)
        guard var list = outer.enter(DERTag.sequence), outer.rest.isEmpty else { return nil }
        var remaining: [UInt8] = []
        while !list.rest.isEmpty {
            guard let one = list.next(), one.tag == DERTag.sequence else { return nil }
            var fields = DERReader(one.content)
            guard let identifier = fields.next(), identifier.tag == DERTag.objectIdentifier else { return nil }
            if identifier.content.elementsEqual(certificateExtension) { removed += 1 } else { remaining += one.bytes }
        }
        return remaining
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = TLSEncoding.integer(UInt64(content.count), octets: 8).drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
