// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
public import ErrorExplanations
import EssentialFoundation

/// A log's promise to include a certificate, as it is encoded (RFC 6962 section 3.2), not yet verified.
struct SignedCertificateTimestamp: Hashable, Sendable {
    /// How the log signed (RFC 5246 section 7.4.1.4.1); RFC 6962 section 2.1.4 allows these two.
    enum Algorithm: Hashable {
        case ecdsaWithSHA256
        case rsaWithSHA256
    }

    /// SHA-256 of the log's key, 32 octets.
    let logID: [UInt8]
    /// Milliseconds since the beginning of 1970, UTC, as they are signed.
    let milliseconds: UInt64
    let extensions: ArraySlice<UInt8>
    /// `nil` for every other algorithm.
    let algorithm: Algorithm?
    let signature: ArraySlice<UInt8>

    /// To the millisecond.
    var time: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension SignedCertificateTimestamp {
    private static let v1: UInt8 = 0
    private static let sha256: UInt8 = 4
    private static let rsa: UInt8 = 1
    private static let ecdsa: UInt8 = 3

    /// One element of a list.
    enum Reading: Hashable {
        case timestamp(SignedCertificateTimestamp)
        /// The timestamp has another version than 1, so its form is unknown (RFC 6962 section 3.3).
        case unsupportedVersion
        /// The timestamp has version 1, but not the form of that version.
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

/// What a log signs a promise for (RFC 6962 section 3.2).
enum LoggedEntry {
    /// The certificate as it is: its timestamps come beside it.
    case certificate([UInt8])
    /// What was signed before the timestamps were put into the certificate, and whose key was going to sign it.
    case precertificate(issuerKeyHash: [UInt8], tbsCertificate: [UInt8])

    private static let certificateType: UInt64 = 0
    private static let precertificateType: UInt64 = 1

    /// The object identifier 1.3.6.1.4.1.11129.2.4.2, of the timestamps in a certificate.
    static let certificateExtension: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x02]
    /// The object identifier 1.3.6.1.4.1.11129.2.4.5, of the timestamps in an OCSP response.
    static let responseExtension: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x05]

    /// The entry of the certificate that was made of a precertificate; `nil` where the certificate has no timestamps in it.
    static func beforeTimestamps(_ certificate: ParsedCertificate, issuer: ParsedCertificate) -> LoggedEntry? {
        guard let tbsCertificate = withoutTimestamps(certificate.signedBytes) else { return nil }
        return .precertificate(
            issuerKeyHash: Array(SHA256.hash(data: issuer.fields.publicKeyInfo)), tbsCertificate: tbsCertificate)
    }

    /// What the signature of a timestamp is over.
    func signedBytes(_ timestamp: SignedCertificateTimestamp) -> [UInt8] {
        // Version 1, and the signature type certificate_timestamp.
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

    /// A TBSCertificate without its extension for timestamps, every other byte as it was.
    ///
    /// - Returns: `nil` where it has no such extension, or more than one.
    static func withoutTimestamps(_ tbsCertificate: ArraySlice<UInt8>) -> [UInt8]? {
        var outer = DERReader(tbsCertificate)
        guard var fields = outer.enter(DERTag.sequence), outer.rest.isEmpty else { return nil }
        var kept: [UInt8] = []
        var removed = 0
        while !fields.rest.isEmpty {
            guard let field = fields.next() else { return nil }
            guard field.tag == DERTag.constructed(3) else {
                kept += field.bytes
                continue
            }
            guard let extensions = others(field.content, &removed) else { return nil }
            // An empty list of extensions is left out, because DER has none (RFC 5280 section 4.1).
            if !extensions.isEmpty { kept += element(DERTag.constructed(3), element(DERTag.sequence, extensions)) }
        }
        return removed == 1 ? element(DERTag.sequence, kept) : nil
    }

    /// The extensions but for that of timestamps.
    private static func others(_ tagged: ArraySlice<UInt8>, _ removed: inout Int) -> [UInt8]? {
        var outer = DERReader(tagged)
        guard var list = outer.enter(DERTag.sequence), outer.rest.isEmpty else { return nil }
        var kept: [UInt8] = []
        while !list.rest.isEmpty {
            guard let one = list.next(), one.tag == DERTag.sequence else { return nil }
            var fields = DERReader(one.content)
            guard let identifier = fields.next(), identifier.tag == DERTag.objectIdentifier else { return nil }
            if identifier.content.elementsEqual(certificateExtension) { removed += 1 } else { kept += one.bytes }
        }
        return kept
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = TLSEncoding.integer(UInt64(content.count), octets: 8).drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
