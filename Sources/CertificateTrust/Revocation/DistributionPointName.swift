// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Where a list is found: the same in a list and in a certificate (RFC 5280 section 4.2.1.13).
struct DistributionPointName: Hashable, Sendable {
    /// Real ones have one or two.
    private static let limit = 64

    private(set) var fullNames: [GeneralName] = []
    /// Relative to the issuer of the list, as it was encoded.
    private(set) var relativeName: ArraySlice<UInt8>?

    init(issuer: DistinguishedName) {
        fullNames = [.directoryName(issuer)]
    }

    /// Reads what is in the field distributionPoint.
    init(_ field: DERReader) throws(RevocationEncodingError) {
        var field = field
        if let relative = try field.takeIfPresent(DERTag.constructed(1), .extensions) {
            relativeName = relative.content
            try field.finish(.extensions)
            return
        }
        var names = DERReader(try field.only(DERTag.constructed(0), .extensions).content)
        repeat {
            guard fullNames.count < Self.limit else { throw .tooMany(.extensions) }
            guard let name = names.next() else { throw .malformed(.extensions) }
            fullNames.append(try GeneralName(name.bytes, .extensions))
        } while !names.rest.isEmpty
    }

    /// Whether one of the names is the same in both (RFC 5280 section 6.3.3 step b 2 i).
    func agrees(with other: DistributionPointName) -> Bool {
        if let relativeName { return relativeName == other.relativeName }
        return fullNames.contains(where: other.fullNames.contains)
    }
}
