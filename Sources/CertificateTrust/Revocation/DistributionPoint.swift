// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place where a certificate says that it would be listed (RFC 5280 section 4.2.1.13).
struct DistributionPoint: Hashable, Sendable {
    /// Real certificates have one or two.
    private static let limit = 32

    let name: DistributionPointName?
    /// Whether the list there is only for some reasons of revocation.
    let isPartial: Bool
    /// Whether the list there is another issuer's.
    let isIndirect: Bool

    /// Those of the extension CRLDistributionPoints.
    static func all(_ value: ArraySlice<UInt8>) throws(RevocationEncodingError) -> [DistributionPoint] {
        var outer = DERReader(value)
        var reader = DERReader(try outer.only(DERTag.sequence, .extensions).content)
        var all: [DistributionPoint] = []
        while !reader.rest.isEmpty, all.count < limit {
            all.append(try DistributionPoint(reader.open(DERTag.sequence, .extensions)))
        }
        return all
    }

    private init(_ fields: DERReader) throws(RevocationEncodingError) {
        var fields = fields
        if let field = try fields.openIfPresent(DERTag.constructed(0), .extensions) {
            name = try DistributionPointName(field)
        } else {
            name = nil
        }
        isPartial = try fields.takeIfPresent(DERTag.primitive(1), .extensions) != nil
        isIndirect = try fields.takeIfPresent(DERTag.constructed(2), .extensions) != nil
        try fields.finish(.extensions)
    }
}
