// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// A place where a certificate says that it would be listed (RFC 5280 section 4.2.1.13).
struct DistributionPoint: Hashable, Sendable {
    /// Real certificates have one or two.
    private static let limit = 32

    let name: DistributionPointName?
    /// The reasons of revocation that the list there is for.
    let reasons: RevocationReasons
    /// The issuers of the list there; empty where it is the certificate's own.
    let listIssuers: [GeneralName]

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
        if let field = try fields.takeIfPresent(DERTag.primitive(1), .extensions) {
            reasons = try RevocationReasons(field.content)
        } else {
            reasons = .all
        }
        if let field = try fields.takeIfPresent(DERTag.constructed(2), .extensions) {
            listIssuers = try DistributionPointName.names(field.content)
        } else {
            listIssuers = []
        }
        try fields.finish(.extensions)
    }

    /// Whether an issuer's list is the one there.
    func isListed(by issuer: NameKey) -> Bool {
        listIssuers.contains { DistributionPointName.Key($0) == .directory(issuer) }
    }
}
