// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// An encoded certificate (RFC 5280 section 4.1), parsed once.
///
/// Deviations from DER and RFC 5280 with one plain meaning are read and noted, and the profile of a path decides whether
/// they matter. Names and extension values are only checked for well-formed DER.
/// The unique identifiers of RFC 5280 section 4.1.2.8 are skipped.
struct EncodedCertificate: Sendable {
    /// The usual maximum number of extensions, up to which comparing them takes less time than hashing them.
    private static let typicalExtensionCount = 10

    /// The complete certificate.
    let bytes: [UInt8]
    /// The TBSCertificate, with tag and length.
    let signedBytes: ArraySlice<UInt8>
    /// The outer signatureAlgorithm, with tag and length.
    let signatureAlgorithm: ArraySlice<UInt8>
    /// The signature; empty if it has unused bits, because no valid signature has any.
    let signature: ArraySlice<UInt8>
    /// The version, from 1 to 3.
    let version: Int
    let fields: CertificateFields
    let notBefore: Date
    let notAfter: Date
    /// Whether both times have the type that their year requires, UTCTime or GeneralizedTime.
    let hasConformingTimes: Bool
    let extensions: [EncodedExtension]
    /// The deviations from DER and RFC 5280 that leave one meaning.
    let deviations: EncodingDeviations

    init(_ bytes: [UInt8]) throws(CertificateProblem) {
        self.bytes = bytes
        var deviations = EncodingDeviations()
        // The field that is read next; `nil` for the outer structure.
        var field: CertificateProblem.Field?
        do throws(RevocationEncodingError) {
            var outer = DERReader(bytes[...])
            var parts = DERReader(try outer.only(DERTag.sequence, .certificate).content)
            let signed = try parts.take(DERTag.sequence, .certificate)
            field = .signatureAlgorithm
            let algorithm = try parts.take(DERTag.sequence, .algorithm)
            try Self.checkAlgorithm(algorithm)
            field = .signature
            let bits = try parts.only(DERTag.bitString, .signature).content
            (signedBytes, signatureAlgorithm) = (signed.bytes, algorithm.bytes)
            signature = bits.first == 0 ? bits.dropFirst() : []

            var reader = DERReader(signed.content)
            field = .version
            version = try Self.version(&reader, &deviations)
            field = .serialNumber
            let serialNumber = try reader.takeInteger(DERTag.integer, .certificate)
            field = .signatureAlgorithm
            let innerAlgorithm = try reader.take(DERTag.sequence, .algorithm)
            try Self.checkAlgorithm(innerAlgorithm)
            field = .issuer
            let issuer = try Self.name(&reader, &deviations)
            field = .validity
            var times = try reader.open(DERTag.sequence, .time)
            let (first, last) = (try times.takeValidityTime(), try times.takeValidityTime())
            try times.finish(.time)
            (notBefore, notAfter, hasConformingTimes) = (first.time, last.time, first.isConforming && last.isConforming)
            field = .subject
            let subject = try Self.name(&reader, &deviations)
            field = .publicKey
            let publicKeyInfo = try reader.take(DERTag.sequence, .certificate)
            guard publicKeyInfo.content.isWellFormed() else { throw .malformed(.certificate) }
            fields = CertificateFields(
                serialNumber: serialNumber, signatureAlgorithm: innerAlgorithm.bytes, issuer: issuer,
                subject: subject, publicKeyInfo: publicKeyInfo.bytes)
            field = .uniqueIdentifiers
            for number: UInt8 in [1, 2] { try Self.skipUniqueIdentifier(number, version, &reader) }
            field = .extensions
            extensions = try Self.extensions(&reader, &deviations)
            try reader.finish(.certificate)
            self.deviations = deviations
        } catch {
            guard error != .unsupportedVersion else { throw .unsupportedVersion }
            throw field.map(CertificateProblem.malformed) ?? .notACertificate
        }
    }

    /// Makes a placeholder for an unreadable certificate, with the fields that can be read; it has no validity period
    /// if that cannot be read.
    ///
    /// The bytes may be cut off.
    init(unreadable bytes: [UInt8]) {
        self.bytes = bytes
        (signatureAlgorithm, signature) = ([], [])
        var parts = Self.content(of: bytes[...])
        let rest = parts.rest
        signedBytes = parts.next()?.bytes ?? rest
        var reader = Self.content(of: signedBytes)
        if reader.nextTag == DERTag.constructed(0) { _ = reader.next() }
        version = 3
        func next(_ tag: UInt8) -> DERReader.Element? { reader.nextTag == tag ? reader.next() : nil }
        let serialNumber = next(DERTag.integer)?.content ?? []
        let algorithm = next(DERTag.sequence)?.bytes ?? []
        let issuer = next(DERTag.sequence)?.bytes ?? []
        var times = DERReader(next(DERTag.sequence)?.content ?? [])
        var isConforming = true
        notBefore = (try? times.takeTime(&isConforming)) ?? .distantFuture
        notAfter = (try? times.takeTime(&isConforming)) ?? .distantPast
        let subject = next(DERTag.sequence)?.bytes ?? []
        let publicKeyInfo = next(DERTag.sequence)?.bytes ?? []
        fields = CertificateFields(
            serialNumber: serialNumber, signatureAlgorithm: algorithm, issuer: issuer, subject: subject,
            publicKeyInfo: publicKeyInfo)
        for number: UInt8 in [1, 2] { _ = next(DERTag.primitive(number)) }
        (hasConformingTimes, deviations) = (false, [])
        extensions = (try? EncodedExtension.all(tagged: 3, in: &reader, &isConforming)) ?? []
    }

    /// Returns a reader of the content of a sequence, which may be shorter than its length states.
    private static func content(of bytes: ArraySlice<UInt8>) -> DERReader {
        var whole = DERReader(bytes)
        if let content = whole.enter(DERTag.sequence) { return content }
        guard bytes.first == DERTag.sequence, let length = bytes.dropFirst().first else { return DERReader([]) }
        return DERReader(bytes.dropFirst(length < 0x80 ? 2 : 2 + Int(length & 0x7f)))
    }

    /// Reads the version, whose default value DER omits (X.690 section 11.5).
    private static func version(
        _ reader: inout DERReader, _ deviations: inout EncodingDeviations
    ) throws(RevocationEncodingError) -> Int {
        guard var tagged = try reader.openIfPresent(DERTag.constructed(0), .version) else { return 1 }
        let number = try tagged.only(DERTag.integer, .version).content
        guard number.count == 1, let version = number.first, version <= 2 else { throw .unsupportedVersion }
        if version == 0 { deviations.insert(.canonicalEncoding) }
        return Int(version) + 1
    }

    private static func checkAlgorithm(_ algorithm: DERReader.Element) throws(RevocationEncodingError) {
        var fields = DERReader(algorithm.content)
        guard try fields.take(DERTag.objectIdentifier, .algorithm).content.isObjectIdentifier,
            fields.isAtEnd || fields.rest.isWellFormed(count: 1)
        else { throw .malformed(.algorithm) }
    }

    /// Reads a name, a sequence of sets of attributes, with tag and length.
    private static func name(
        _ reader: inout DERReader, _ deviations: inout EncodingDeviations
    ) throws(RevocationEncodingError) -> ArraySlice<UInt8> {
        let name = try reader.take(DERTag.sequence, .issuer)
        var relativeNames = DERReader(name.content)
        while !relativeNames.isAtEnd {
            var attributes = try relativeNames.open(DERTag.set, .issuer)
            var last: ArraySlice<UInt8>?
            while !attributes.isAtEnd {
                let attribute = try attributes.take(DERTag.sequence, .issuer)
                var fields = DERReader(attribute.content)
                guard try fields.take(DERTag.objectIdentifier, .issuer).content.isObjectIdentifier,
                    fields.rest.isWellFormed(count: 1)
                else { throw .malformed(.issuer) }
                // DER sorts the elements of a set (X.690 section 11.6).
                if let last, attribute.bytes.lexicographicallyPrecedes(last) { deviations.insert(.canonicalEncoding) }
                last = attribute.bytes
            }
        }
        return name.bytes
    }

    /// Skips a unique identifier, a BIT STRING that version 1 does not allow.
    private static func skipUniqueIdentifier(
        _ number: UInt8, _ version: Int, _ reader: inout DERReader
    ) throws(RevocationEncodingError) {
        guard let identifier = try reader.takeIfPresent(DERTag.primitive(number), .certificate) else { return }
        guard version > 1, let unused = identifier.content.first, unused < 8 else { throw .malformed(.certificate) }
    }

    private static func extensions(
        _ reader: inout DERReader, _ deviations: inout EncodingDeviations
    ) throws(RevocationEncodingError) -> [EncodedExtension] {
        guard var tagged = try reader.openIfPresent(DERTag.constructed(3), .extensions) else { return [] }
        var list = DERReader(try tagged.only(DERTag.sequence, .extensions).content)
        if list.isAtEnd { deviations.insert(.emptySequences) }
        var extensions: [EncodedExtension] = []
        extensions.reserveCapacity(typicalExtensionCount)
        while !list.isAtEnd {
            let one = try EncodedExtension(from: &list, &deviations)
            guard one.identifier.dropFirst(2).isObjectIdentifier else { throw .malformed(.extensions) }
            extensions.append(one)
        }
        guard !hasDuplicates(extensions) else { throw .malformed(.extensions) }
        return extensions
    }

    private static func hasDuplicates(_ extensions: [EncodedExtension]) -> Bool {
        guard extensions.count <= 2 * typicalExtensionCount else {
            return Set(extensions.map(\.identifier)).count < extensions.count
        }
        return extensions.indices.contains { index in
            extensions[..<index].contains { $0.identifier == extensions[index].identifier }
        }
    }
}

/// An error of reading the value of an extension or a key that does not have the form of its standard.
struct CertificateEncodingError: Error {}

extension ArraySlice<UInt8> {
    /// The maximum nesting depth, the same as in swift-asn1, which is sufficient for every name and key.
    private static var depthLimit: Int { 50 }

    /// Whether the bytes are base-128 numbers, each in the minimum number of octets (X.690 section 8.19.2).
    var isObjectIdentifier: Bool {
        var isFirst = true
        for byte in self {
            if isFirst, byte == 0x80 { return false }
            isFirst = byte < 0x80
        }
        return isFirst && !isEmpty
    }

    /// Returns whether the bytes are exactly `count` DER elements, or any
    /// number of elements if it is `nil`, with well-formed nested elements.
    func isWellFormed(count: Int? = nil, depth: Int = 0) -> Bool {
        guard depth < Self.depthLimit else { return false }
        var (reader, found) = (DERReader(self), 0)
        while !reader.isAtEnd {
            guard let element = reader.next(), element.tag & 0xdf != 0 else { return false }
            if element.isConstructed, !element.content.isWellFormed(depth: depth + 1) { return false }
            found += 1
        }
        return count == nil || found == count
    }
}

/// The encoded fields of a certificate (RFC 5280 section 4.1) that swift-certificates does not expose.
struct CertificateFields: Sendable {
    /// The serial number, including the leading zero octet of a positive integer whose first bit is set.
    let serialNumber: ArraySlice<UInt8>
    /// The signature field of the TBSCertificate, with tag and length.
    let signatureAlgorithm: ArraySlice<UInt8>
    /// The issuer, with tag and length.
    let issuer: ArraySlice<UInt8>
    /// The subject, with tag and length.
    let subject: ArraySlice<UInt8>
    /// The SubjectPublicKeyInfo, with tag and length.
    let publicKeyInfo: ArraySlice<UInt8>

    init(
        serialNumber: ArraySlice<UInt8>, signatureAlgorithm: ArraySlice<UInt8>, issuer: ArraySlice<UInt8>,
        subject: ArraySlice<UInt8>, publicKeyInfo: ArraySlice<UInt8>
    ) {
        (self.serialNumber, self.signatureAlgorithm) = (serialNumber, signatureAlgorithm)
        (self.issuer, self.subject, self.publicKeyInfo) = (issuer, subject, publicKeyInfo)
    }

    /// Reads the fields of a TBSCertificate.
    init?(tbsCertificate: ArraySlice<UInt8>) {
        var outer = DERReader(tbsCertificate)
        guard var fields = outer.enter(DERTag.sequence), var first = fields.next() else { return nil }
        if first.tag == DERTag.constructed(0) {
            guard let serialNumber = fields.next() else { return nil }
            first = serialNumber
        }
        guard let algorithm = fields.next(), let issuer = fields.next(), let validity = fields.next(),
            validity.tag == DERTag.sequence, let subject = fields.next(), let publicKeyInfo = fields.next()
        else { return nil }
        serialNumber = first.content
        signatureAlgorithm = algorithm.bytes
        self.issuer = issuer.bytes
        self.subject = subject.bytes
        self.publicKeyInfo = publicKeyInfo.bytes
    }

    /// Reads the fields of a complete certificate.
    init?(certificate: ArraySlice<UInt8>) {
        var outer = DERReader(certificate)
        guard var fields = outer.enter(DERTag.sequence), let tbsCertificate = fields.next() else { return nil }
        self.init(tbsCertificate: tbsCertificate.bytes)
    }
}
