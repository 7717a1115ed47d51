// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import X509

/// An extension of a certificate, revocation list, list entry or
/// OCSP response (RFC 5280 section 4.1), with an undecoded value.
struct EncodedExtension: Hashable, Sendable {
    /// The maximum number of extensions; real lists have a handful.
    private static let limit = 32

    /// The object identifier, with tag and length.
    let identifier: ArraySlice<UInt8>
    let isCritical: Bool
    let value: ArraySlice<UInt8>
    /// The last number of the identifier if it is directly below id-ce, 2.5.29.
    let number: UInt8?

    /// Reads the next extension, whose criticality may be encoded as a default value or as another octet than 0xff, and
    /// adds the form rules that the encoding breaks.
    init(from reader: inout DERReader, _ deviations: inout EncodingDeviations) throws(RevocationEncodingError) {
        var fields = try reader.open(DERTag.sequence, .extensions)
        let identifier = try fields.take(DERTag.objectIdentifier, .extensions)
        guard let last = identifier.content.last, last < 0x80 else { throw .malformed(.extensions) }
        self.identifier = identifier.bytes
        number = identifier.content.count == 3 && identifier.content.starts(with: [0x55, 0x1d]) ? last : nil
        isCritical = try fields.takeFlag(DERTag.boolean, .extensions, &deviations)
        value = try fields.only(DERTag.octetString, .extensions).content
    }

    /// Reads the next extension leniently, for evidence that is
    /// used in spite of formal errors, and skips an unreadable one.
    ///
    /// - Parameters:
    ///   - reader: The reader, positioned before the extension.
    ///   - isConforming: Set to false if the extension violates DER or the standard.
    init?(from reader: inout DERReader, _ isConforming: inout Bool) {
        var (strict, deviations) = (reader, EncodingDeviations())
        if let one = try? EncodedExtension(from: &strict, &deviations), deviations.isEmpty {
            (self, reader) = (one, strict)
            return
        }
        isConforming = false
        guard let element = reader.next() else {
            reader = DERReader([])
            return nil
        }
        var fields = DERReader(element.content)
        guard let identifier = fields.next(), identifier.tag == DERTag.objectIdentifier,
            let last = identifier.content.last, last < 0x80, var field = fields.next()
        else { return nil }
        self.identifier = identifier.bytes
        number = identifier.content.count == 3 && identifier.content.starts(with: [0x55, 0x1d]) ? last : nil
        isCritical = field.tag == DERTag.boolean && !field.content.allSatisfy { $0 == 0 }
        if field.tag == DERTag.boolean {
            guard let next = fields.next() else { return nil }
            field = next
        }
        guard field.tag == DERTag.octetString else { return nil }
        value = field.content
    }

    /// Reads the extensions in an optional tagged field leniently, for evidence (RFC 5280 section 4.2).
    ///
    /// - Parameters:
    ///   - number: The tag number.
    ///   - fields: The reader, positioned before the field.
    ///   - isConforming: Set to false if an extension is repeated or cannot be read.
    /// - Returns: The extensions; of repeated ones, the first.
    /// - Throws: ``RevocationEncodingError`` if the field is truncated or has too many extensions.
    static func all(
        tagged number: UInt8, in fields: inout DERReader, _ isConforming: inout Bool
    ) throws(RevocationEncodingError) -> [EncodedExtension] {
        guard var outer = try fields.openIfPresent(DERTag.constructed(number), .extensions) else { return [] }
        guard var reader = outer.enter(DERTag.sequence) else {
            isConforming = false
            return []
        }
        if reader.isAtEnd || !outer.isAtEnd { isConforming = false }
        var all: [EncodedExtension] = []
        while !reader.isAtEnd {
            guard all.count < limit else { throw .tooMany(.extensions) }
            guard let one = EncodedExtension(from: &reader, &isConforming) else { continue }
            if all.contains(where: { $0.identifier == one.identifier }) {
                isConforming = false
            } else {
                all.append(one)
            }
        }
        return all
    }

    /// The object identifier in dotted decimal.
    var name: String {
        (try? ASN1ObjectIdentifier(derEncoded: identifier)).map { "\($0)" } ?? "?"
    }
}

/// The values of the extensions that every path needs, parsed in place; swift-certificates parses the others.
extension EncodedExtension {
    /// Returns the extension as a swift-certificates type.
    func typed(_ identifier: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: identifier, critical: isCritical, value: value)
    }

    private func content(_ tag: UInt8) throws(RevocationEncodingError) -> DERReader {
        var outer = DERReader(value)
        return DERReader(try outer.only(tag, .extensions).content)
    }

    /// Reads the basic constraints (RFC 5280 section 4.2.1.9); the path length of a certificate that is no authority's
    /// limits nothing.
    func basicConstraints(_ deviations: inout EncodingDeviations) throws -> BasicConstraints {
        var fields = try content(DERTag.sequence)
        let isAuthority = try fields.takeFlag(DERTag.boolean, .extensions, &deviations)
        var limit: Int?
        if fields.nextTag == DERTag.integer {
            let number = try fields.takeInteger(DERTag.integer, .extensions)
            guard let first = number.first, first < 0x80 else { throw CertificateEncodingError() }
            limit = number.count > MemoryLayout<Int>.size ? .max : number.reduce(0) { $0 << 8 | Int($1) }
        }
        try fields.finish(.extensions)
        if !isAuthority, limit != nil { deviations.insert(.pathLengthWithoutAuthority) }
        return isAuthority ? .isCertificateAuthority(maxPathLength: limit) : .notCertificateAuthority
    }

    /// Reads the key usage (RFC 5280 section 4.2.1.3), of whose bits the first nine have a meaning.
    func keyUsage(_ deviations: inout EncodingDeviations) throws -> KeyUsage {
        let bits = try content(DERTag.bitString).rest
        guard let unused = bits.first, unused < 8 else { throw CertificateEncodingError() }
        var octets = Array(bits.dropFirst())
        guard let last = octets.last else {
            guard unused == 0 else { throw CertificateEncodingError() }
            return KeyUsage()
        }
        // DER has no zero bits at the end (X.690 section 11.2.2), and the unused bits are zero (section 11.2.1).
        let isExact = octets.count == 1 || octets.count == 2 && unused == 7
        if !isExact || last.trailingZeroBitCount != Int(unused) { deviations.insert(.keyUsageEncoding) }
        octets[octets.count - 1] &= .max << unused
        func has(_ bit: Int) -> Bool { bit / 8 < octets.count && octets[bit / 8] & (0x80 >> (bit % 8)) != 0 }
        return KeyUsage(
            digitalSignature: has(0), nonRepudiation: has(1), keyEncipherment: has(2), dataEncipherment: has(3),
            keyAgreement: has(4), keyCertSign: has(5), cRLSign: has(6), encipherOnly: has(7), decipherOnly: has(8))
    }

    /// Reads the extended key usage (RFC 5280 section 4.2.1.12); a purpose may be repeated.
    func extendedKeyUsage() throws -> ExtendedKeyUsage {
        var fields = try content(DERTag.sequence)
        let usages = try Self.purposes(&fields)
        guard usages.count > Self.purposeLimit else { return try ExtendedKeyUsage(usages) }
        // To forget a purpose only makes the certificate good for less.
        let known = usages.filter(Self.knownPurposes.contains)
        let others = usages.filter { !Self.knownPurposes.contains($0) }
        return try ExtendedKeyUsage((known + others).prefix(Self.purposeLimit))
    }

    /// Reads purposes until the end of their sequence.
    static func purposes(_ fields: inout DERReader) throws -> [ExtendedKeyUsage.Usage] {
        var (usages, seen) = ([ExtendedKeyUsage.Usage](), Set<ArraySlice<UInt8>>())
        while !fields.isAtEnd {
            let identifier = try fields.take(DERTag.objectIdentifier, .extensions)
            guard seen.insert(identifier.content).inserted else { continue }
            usages.append(
                try Self.usages.first { $0.identifier.elementsEqual(identifier.content) }?.usage
                    ?? ExtendedKeyUsage.Usage(oid: ASN1ObjectIdentifier(derEncoded: identifier.bytes)))
        }
        return usages
    }

    /// The maximum number of purposes in swift-certificates.
    private static let purposeLimit = 32
    private static let knownPurposes: Set<ExtendedKeyUsage.Usage> = [
        .any, .serverAuth, .clientAuth, .codeSigning, .emailProtection, .timeStamping, .ocspSigning,
    ]

    private static let usages: [(identifier: [UInt8], usage: ExtendedKeyUsage.Usage)] = {
        let purposes: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03]
        return [
            (purposes + [1], .serverAuth), (purposes + [2], .clientAuth), (purposes + [9], .ocspSigning),
            ([0x55, 0x1d, 0x25, 0x00], .any),
        ]
    }()

    /// Reads the subject alternative names (RFC 5280 section 4.2.1.6).
    func alternativeNames() throws -> [GeneralName] {
        var fields = try content(DERTag.sequence)
        var names: [GeneralName] = []
        while !fields.isAtEnd {
            guard let name = fields.next() else { throw CertificateEncodingError() }
            names.append(try Self.name(name, isStrict: false))
        }
        return names
    }

    /// Reads the name constraints (RFC 5280 section 4.2.1.10).
    func nameConstraints(_ deviations: inout EncodingDeviations) throws -> NameSubtrees {
        var fields = try content(DERTag.sequence)
        if fields.isAtEnd { deviations.insert(.emptySequences) }
        let permitted = try Self.subtrees(0, &fields, &deviations)
        let excluded = try Self.subtrees(1, &fields, &deviations)
        try fields.finish(.extensions)
        return NameSubtrees(permitted: permitted, excluded: excluded)
    }

    private static func subtrees(
        _ number: UInt8, _ fields: inout DERReader, _ deviations: inout EncodingDeviations
    ) throws -> [GeneralName] {
        guard var list = try fields.openIfPresent(DERTag.constructed(number), .extensions) else { return [] }
        if list.isAtEnd { deviations.insert(.emptySequences) }
        var bases: [GeneralName] = []
        while !list.isAtEnd {
            var subtree = try list.open(DERTag.sequence, .extensions)
            guard let element = subtree.next() else { throw CertificateEncodingError() }
            let base = try name(element, isStrict: true)
            // The minimum is always 0, the default value, and there is no maximum.
            if let minimum = try subtree.takeIfPresent(DERTag.primitive(0), .extensions) {
                guard minimum.content.elementsEqual([0]) else { throw CertificateEncodingError() }
                deviations.insert(.canonicalEncoding)
            }
            try subtree.finish(.extensions)
            if base.isDomainWithDot { deviations.insert(.nameConstraintSyntax) }
            bases.append(base)
        }
        return bases
    }

    private static func name(_ element: DERReader.Element, isStrict: Bool) throws -> GeneralName {
        switch element.tag {
        case DERTag.primitive(1): .rfc822Name(try text(element.content, isStrict))
        case DERTag.primitive(2): .dnsName(try text(element.content, isStrict))
        case DERTag.primitive(6): .uniformResourceIdentifier(try text(element.content, isStrict))
        case DERTag.primitive(7): .ipAddress(ASN1OctetString(contentBytes: element.content))
        default: try GeneralName(derEncoded: element.bytes)
        }
    }

    /// Reads an IA5String; other characters than ASCII make an alternative name match nothing.
    private static func text(_ bytes: ArraySlice<UInt8>, _ isStrict: Bool) throws -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        guard !isStrict else { throw CertificateEncodingError() }
        return bytes.lenientText
    }

    /// Reads the subject key identifier (RFC 5280 section 4.2.1.2).
    func subjectKeyIdentifier() throws -> ArraySlice<UInt8> { try content(DERTag.octetString).rest }

    /// Reads the authority key identifier (RFC 5280 section 4.2.1.1).
    func authorityKeyIdentifier() throws -> AuthorityKeyIdentifier {
        var fields = try content(DERTag.sequence)
        if fields.nextTag == DERTag.primitive(0), let identifier = fields.next()?.content, fields.isAtEnd {
            return AuthorityKeyIdentifier(keyIdentifier: identifier)
        }
        return try AuthorityKeyIdentifier(typed(.X509ExtensionID.authorityKeyIdentifier))
    }

    /// Whether the value is a well-formed, nonempty authority information access (RFC 5280 section 4.2.2.1).
    var isAuthorityInformation: Bool {
        guard var fields = try? content(DERTag.sequence), !fields.isAtEnd else { return false }
        while !fields.isAtEnd {
            guard var description = fields.enter(DERTag.sequence), let method = description.next(),
                method.tag == DERTag.objectIdentifier, method.content.isObjectIdentifier,
                let place = description.next(), description.isAtEnd, (try? Self.name(place, isStrict: true)) != nil
            else { return false }
        }
        return true
    }
}

/// The name constraints of an authority (RFC 5280 section 4.2.1.10).
struct NameSubtrees: Sendable {
    let permitted: [GeneralName]
    let excluded: [GeneralName]
}

/// The certificate extensions: the last number for those below
/// id-ce, 2.5.29, and the identifier's content octets for others.
enum ExtensionNumber {
    static let subjectKeyIdentifier: UInt8 = 14
    static let keyUsage: UInt8 = 15
    static let alternativeNames: UInt8 = 17
    static let issuerAlternativeNames: UInt8 = 18
    static let basicConstraints: UInt8 = 19
    static let nameConstraints: UInt8 = 30
    static let distributionPoints: UInt8 = 31
    static let certificatePolicies: UInt8 = 32
    static let policyMappings: UInt8 = 33
    static let authorityKeyIdentifier: UInt8 = 35
    static let policyConstraints: UInt8 = 36
    static let extendedKeyUsage: UInt8 = 37
    static let inhibitAnyPolicy: UInt8 = 54

    /// Authority information access, 1.3.6.1.5.5.7.1.1.
    static let authorityInformation: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x01]
    /// The TLS features extension of RFC 7633, 1.3.6.1.5.5.7.1.24.
    static let features: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x18]
    /// Subject information access, 1.3.6.1.5.5.7.1.11.
    static let subjectInformation: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x0b]
    /// Microsoft's application policies, 1.3.6.1.4.1.311.21.10.
    static let applicationPolicies: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x15, 0x0a]
    /// id-pkix-ocsp-nocheck, 1.3.6.1.5.5.7.48.1.5.
    static let noCheck: [UInt8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x05]
}

/// The result of reading one extension.
struct ExtensionReading<Value: Sendable>: Sendable {
    let identifier: ASN1ObjectIdentifier
    /// Whether the extension is critical; `nil` if it is absent.
    let isCritical: Bool?
    /// The value; `nil` if the extension is absent or cannot be read.
    let value: Value?

    var isPresent: Bool { isCritical != nil }

    var isMalformed: Bool { isPresent && value == nil }
}

extension EncodedCertificate {
    /// Returns an extension by the last number of its identifier below id-ce, 2.5.29.
    func found(_ number: UInt8) -> EncodedExtension? { extensions.first { $0.number == number } }

    /// Returns an extension that is not below id-ce by the content octets of its object identifier.
    func found(_ identifier: [UInt8]) -> EncodedExtension? {
        extensions.first { $0.number == nil && $0.identifier.dropFirst(2).elementsEqual(identifier) }
    }

    func reading<Value: Sendable>(
        _ identifier: ASN1ObjectIdentifier, _ number: UInt8, _ read: (EncodedExtension) throws -> Value
    ) -> ExtensionReading<Value> {
        Self.reading(identifier, found(number), read)
    }

    static func reading<Value: Sendable>(
        _ identifier: ASN1ObjectIdentifier, _ found: EncodedExtension?, _ read: (EncodedExtension) throws -> Value
    ) -> ExtensionReading<Value> {
        guard let found else { return ExtensionReading(identifier: identifier, isCritical: nil, value: nil) }
        return ExtensionReading(identifier: identifier, isCritical: found.isCritical, value: try? read(found))
    }
}
