// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1

/// An extension of a list, an entry or a response (RFC 5280 section 4.1), its value not looked into.
struct EncodedExtension: Hashable, Sendable {
    /// Real lists have a handful.
    private static let limit = 32

    /// The object identifier with tag and length.
    let identifier: ArraySlice<UInt8>
    let isCritical: Bool
    let value: ArraySlice<UInt8>
    /// The last number of an identifier below id-ce, 2.5.29.
    let number: UInt8?

    /// Reads the next one.
    init(from reader: inout DERReader) throws(RevocationEncodingError) {
        var fields = try reader.open(DERTag.sequence, .extensions)
        let identifier = try fields.take(DERTag.objectIdentifier, .extensions)
        guard let last = identifier.content.last, last < 0x80 else { throw .malformed(.extensions) }
        self.identifier = identifier.bytes
        number = identifier.content.count == 3 && identifier.content.starts(with: [0x55, 0x1d]) ? last : nil
        isCritical = try fields.takeFlag(DERTag.boolean, .extensions)
        value = try fields.only(DERTag.octetString, .extensions).content
    }

    /// Reads the next one of evidence, which counts in spite of its form, and steps over one that cannot be read.
    ///
    /// - Parameters:
    ///   - reader: The reader before it.
    ///   - isFormal: Becomes false for an extension that is not as DER and the standard have it.
    init?(from reader: inout DERReader, _ isFormal: inout Bool) {
        var strict = reader
        if let one = try? EncodedExtension(from: &strict) {
            (self, reader) = (one, strict)
            return
        }
        isFormal = false
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

    /// Reads those of evidence in a tagged field that may not be there (RFC 5280 section 4.2).
    ///
    /// - Parameters:
    ///   - number: The number of the tag.
    ///   - fields: The reader before the field.
    ///   - isFormal: Becomes false if an extension is there twice, or cannot be read.
    /// - Returns: The first of each identifier.
    /// - Throws: ``RevocationEncodingError`` if the field has no end, or too many extensions.
    static func all(
        tagged number: UInt8, in fields: inout DERReader, _ isFormal: inout Bool
    ) throws(RevocationEncodingError) -> [EncodedExtension] {
        guard var outer = try fields.openIfPresent(DERTag.constructed(number), .extensions) else { return [] }
        guard var reader = outer.enter(DERTag.sequence) else {
            isFormal = false
            return []
        }
        if reader.isAtEnd || !outer.isAtEnd { isFormal = false }
        var all: [EncodedExtension] = []
        while !reader.isAtEnd {
            guard all.count < limit else { throw .tooMany(.extensions) }
            guard let one = EncodedExtension(from: &reader, &isFormal) else { continue }
            if all.contains(where: { $0.identifier == one.identifier }) { isFormal = false } else { all.append(one) }
        }
        return all
    }

    /// The object identifier in numbers with dots.
    var name: String {
        (try? ASN1ObjectIdentifier(derEncoded: identifier)).map { "\($0)" } ?? "?"
    }
}
