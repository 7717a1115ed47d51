// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

/// Where a list is found: the same in a list and in a certificate (RFC 5280 section 4.2.1.13).
struct DistributionPointName: Hashable, Sendable {
    /// A name in the form in which names are compared.
    enum Key: Hashable {
        case directory(NameKey)
        case other(GeneralName)

        init(_ name: GeneralName) {
            self = if case .directoryName(let name) = name { .directory(NameKey(name)) } else { .other(name) }
        }
    }

    /// Real ones have one or two.
    private static let limit = 64

    let fullNames: [GeneralName]
    /// What follows the name of the list's issuer.
    private let relativeName: RelativeDistinguishedName?

    /// Reads what is in the field distributionPoint.
    init(_ field: DERReader) throws(RevocationEncodingError) {
        var field = field
        if let relative = try field.takeIfPresent(DERTag.constructed(1), .extensions) {
            try field.finish(.extensions)
            relativeName = try RelativeDistinguishedName([DERTag.set] + relative.bytes.dropFirst(), .extensions)
            fullNames = []
            return
        }
        relativeName = nil
        fullNames = try Self.names(field.only(DERTag.constructed(0), .extensions).content)
    }

    /// Reads GeneralNames, of which there is one at least.
    static func names(_ content: ArraySlice<UInt8>) throws(RevocationEncodingError) -> [GeneralName] {
        var reader = DERReader(content)
        var names: [GeneralName] = []
        repeat {
            guard names.count < limit else { throw .tooMany(.extensions) }
            guard let name = reader.next() else { throw .malformed(.extensions) }
            names.append(try GeneralName(name.bytes, .extensions))
        } while !reader.rest.isEmpty
        return names
    }

    /// The names, of which two places have one in common where they are the same (RFC 5280 section 6.3.3 step b 2 i).
    ///
    /// - Parameter issuer: The issuer of the list.
    /// - Returns: The names, in the form in which they are compared.
    func keys(of issuer: DistinguishedName) -> Set<Key> {
        guard let relativeName else { return Set(fullNames.map(Key.init)) }
        return [.directory(NameKey(DistinguishedName(Array(issuer) + [relativeName])))]
    }
}
