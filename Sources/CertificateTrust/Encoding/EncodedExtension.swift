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

    /// Reads those in a tagged field that may not be there, none twice (RFC 5280 section 4.2).
    static func all(
        tagged number: UInt8, in fields: inout DERReader
    ) throws(RevocationEncodingError) -> [EncodedExtension] {
        guard var outer = try fields.openIfPresent(DERTag.constructed(number), .extensions) else { return [] }
        var reader = DERReader(try outer.only(DERTag.sequence, .extensions).content)
        var all: [EncodedExtension] = []
        repeat {
            guard all.count < limit else { throw .tooMany(.extensions) }
            let one = try EncodedExtension(from: &reader)
            guard !all.contains(where: { $0.identifier == one.identifier }) else { throw .malformed(.extensions) }
            all.append(one)
        } while !reader.rest.isEmpty
        return all
    }

    /// The object identifier in numbers with dots.
    var name: String {
        (try? ASN1ObjectIdentifier(derEncoded: identifier)).map { "\($0)" } ?? "?"
    }
}
